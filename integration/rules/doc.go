// Package rules holds the rules against live servers: what package rules computes in Go must be what MySQL and MariaDB compute in SQL, for
// every strategy, value and session (I1), and the weight tables of rules/collate must be the servers' own.
//
// The environment's BALLAST_SERVER (mysql or mariadb) chooses the server. The tables are written anew, from a MySQL server, by
//
//	BALLAST_SERVER=mysql go test ./integration/rules -run TestWeightTables -update
package rules
