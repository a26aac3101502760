// Package dbserver finds, unpacks and runs real MySQL and MariaDB servers: the db nodes and the metadata server of a local cluster,
// and the servers of the tests.
//
// The story in three steps:
//
//   - Find answers with an Install: the program and the folders it needs. It looks at BALLAST_SERVER_BIN, at PATH and the usual
//     folders, and at what an earlier run unpacked. With none, on Debian and Ubuntu, it downloads Debian's packages with a private
//     apt configuration and unpacks them into a cache folder. Nothing is installed in the system and no root is needed; the
//     programs run through the dynamic loader that was unpacked with them, so the host's libraries don't matter.
//   - New describes one server: install, folder, port, server id. Init gives it a data folder, copied from a template that is made
//     once per install (system tables, time zones, accounts), so that a further server takes about a second.
//   - Start, Stop, Kill, Pause, Resume, Restart drive its process. Start returns once the server answers.
//
// Invariants: a server that this package runs is one that a Ballast node must be (row binlog with full images, GTIDs, durable
// commits: see RequiredFlags); it listens on loopback only and its root account can be used from loopback only, without a password;
// no process outlives its owner (on Linux the kernel ends it).
package dbserver
