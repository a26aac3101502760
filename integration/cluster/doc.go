// Package cluster starts real servers and the real Ballast binaries for tests, in seconds, on free ports and in a folder that goes
// away: db nodes n0, n1, …, a metadata server, a plain reference server, a master and routers.
//
// A test asks a Pool for a set of servers; the Pool, one per test program, keeps running sets for the tests that come after:
//
//	var pool = cluster.NewPool()
//
//	func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }
//
//	func TestSomething(t *testing.T) {
//		c := pool.Servers(t, cluster.Shape{Nodes: 4, Plain: true})
//		c.Nodes[0].DB.ExecContext(t.Context(), …)
//	}
//
// The environment's BALLAST_SERVER (mysql or mariadb) chooses the flavour of a whole run, so that a suite is written once and run twice.
// BALLAST_IO (loop or goroutine) chooses how routers serve their sockets, and BALLAST_RACE=1 has the binaries built with the race detector, whose
// findings fail the run when its cluster is closed.
//
// Everything that uses a node does so through its Link, a small TCP relay that can be cut or made to swallow everything, as a broken
// network does; the node's own pool goes directly, so that a test still sees the node when it is cut off.
package cluster
