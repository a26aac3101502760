// Package sqlfront is the MySQL server that clients see: it accepts connections, proves who they are, cuts what they send into commands, and
// writes the answers. What a statement means it does not know; it hands commands to a Session that the Frontend opened, and gives it a Reply to
// answer through.
//
// The parts, from the socket inwards:
//
//   - Server accepts (server.go), holds the limits, and drains on shutdown. One goroutine drives one connection (conn.go) until the client has
//     logged in; then an event loop of package netloop takes it over (conn_loop.go), launches what commands it can, and lends the connection
//     to a goroutine for the others. Without loops, and inside TLS, the goroutine stays. Either way there is one read and
//     one write on the socket for a small statement, and no buffer is held while the client is idle.
//   - handshake (handshake.go) and commands (commands*.go, statements.go, cursor.go) are state machines over payloads: what the client sent goes in, packets
//     for the client come out through a Reply. They touch no socket, so they run under an event loop as well as under a goroutine.
//   - Reply (reply*.go) frames packets into one buffer and hands it on when it is full or the command is over.
//   - the watch (conn_watch.go) is one ticker for all connections: idle and handshake time-outs, writes that hang, clients that vanished while their
//     statement runs. There is no timer per statement.
//
// Passwords are only known as verifiers (package auth); bytes are package wire's.
package sqlfront
