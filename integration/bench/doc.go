// Command bench measures what a statement costs in the middle: over a direct connection to a server, through a plain relay of two
// goroutines per client, and through Ballast.
//
//	go run ./integration/bench [-server mariadb] [-works point_text,insert] [-threads 1,8,64] [-rounds 3] [-time 2s] [-out file.json]
//
// One run starts four db nodes, a metadata server, a master, a router and the relay, on free ports and with the same server settings for
// all. The middles take turns within a round, so that a machine that gets slower or faster does so for all of them; a cell's numbers
// are the medians of the rounds. CPU is the middle's own process, from /proc, divided by the queries done. The load comes from this
// process, over the wire protocol, with nothing decoded but the end of each answer.
//
//	setup.go    servers, master, router, relay, tables
//	relay.go    the plain relay: this program again, as its own process
//	client.go   a connection of the load
//	works.go    what is measured
//	measure.go  one cell: load for a while, counted
//	report.go   medians, the table, the JSON
package main
