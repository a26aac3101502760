// Package backend holds the router's connections to db nodes: the only sockets of the router that point that way.
//
// A session asks the Cluster for a connection to a node and gets a Conn that already speaks the client's dialect:
//
//	k, err := cluster.Acquire(ctx, shard, node, class, settings) // pool.go; TryAcquire and Queue for event loops
//	ans, err := k.Relay(ctx, command, reply, false)              // relay.go: one write, then the answer's bytes as they come
//	err = k.Send(ctx, &stream, sql, format)                      // send.go, stream.go: rows one by one, and several nodes at once
//	k.Release()                                                  // back to the pool, or closed if it is not clean any more
//
// Four ideas carry the package.
//
// A pool per node, split by capability class (class.go) and into shards, one per event loop (shard.go). Rows are relayed and never decoded,
// so the backend connection must have the very capabilities that the client negotiated. Connections are shared between sessions and taken
// last in, first out, so few of them stay warm; a session keeps one only for a transaction, or while something pins it. The places for
// connections are the node's and move to where they are needed (places.go); whoever finds no connection waits in line (waiting.go, queueing.go).
//
// A node is given as many statements at a time as it works on best (load.go, limit.go). That number follows from how long statements take;
// transactions, and statements that wait for locks or run for long, do not count.
//
// Settings are values (settings.go). What a session has SET is an immutable, interned set; two sessions with equal settings hold the
// same pointer. A connection knows the set that is in force on it, and becomes usable for another session by one SET statement that
// names the difference. Whatever can't be described as a setting taints the connection, which is then reset before anybody else gets it.
//
// A node is up or down (health.go). A node that does not accept connections, or whose server stops answering, is down: requests for it
// fail at once with the reason, a probe in the background finds out when it is back. Nothing waits longer than Config allows.
//
// Conn is not safe for concurrent use, except KillQuery and Interrupt.
package backend
