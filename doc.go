// Package ballast is a sharding middleware over stock MySQL and MariaDB servers: any MySQL client connects to a router, which sends
// each statement to the servers that hold its rows and makes their answers one.
//
// The code is in the packages below; this one holds nothing but house_test.go, the rules of the house as a test. docs/map.md says
// which package does what, docs/life-of-a-statement.md follows one statement through them.
package ballast
