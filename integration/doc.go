// Package integration holds the tests of whole clusters: the real binaries over real servers, seen as a client sees them.
//
// BALLAST_SERVER (mysql or mariadb) chooses the servers' flavour; see package cluster for how they are started.
package integration
