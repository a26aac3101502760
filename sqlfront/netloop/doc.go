// Package netloop runs many sockets on few goroutines. A Loop is one epoll instance and the goroutine that waits on it; a Conn is a socket
// registered with one loop for its life. A Conn is in one of two modes at a time:
//
//   - on the loop: its Handler is called by the loop whenever the socket may have become readable or writable. A handler never blocks: it
//     reads and writes by TryRead and TryWrite, does a bounded piece of work, and asks for another turn by Again when there is more.
//   - held by a goroutine: the Conn is a net.Conn. Read and Write park the goroutine until the loop reports the socket ready.
//
// The modes exist because most of a router's statements need nothing but "read, write, read, write", which costs least without any goroutine
// to wake, while the rest is written best as ordinary blocking code over the same sockets.
//
// Sockets are registered once, edge-triggered for reading and writing, so a statement costs no epoll_ctl. What an edge said is kept in the
// Conn until a read or write finds that it no longer holds, so an edge that comes while nobody looks is not lost.
//
// Loops exist on Linux only; elsewhere New fails, and callers keep to goroutines.
package netloop
