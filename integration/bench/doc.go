// Command bench measures what a statement costs in the middle: over a direct connection to a server, through a plain relay of two
// goroutines per client, through the floor (a relay on one epoll loop, as cheap as Go makes one) and through Ballast.
//
//	go run ./integration/bench [-server mariadb] [-works point_text,insert] [-threads 1,8,64] [-rounds 5] [-time 1s] [-out file.json]
//	go run ./integration/bench -latency 100000     one client, the middles in turns
//	go run ./integration/bench -profile folder     profiles of the router under a load
//
// One run starts four db nodes, a metadata server, a master, a router and the relays, on free ports and with the same server settings for
// all. The middles take turns within a round, so that a machine that gets slower or faster does so for all of them; a cell's numbers
// are the medians of the rounds, and a ratio is the median of the rounds' ratios. CPU is the middle's own process, divided by the queries
// done. The load comes from this process, one thread for any number of clients, over the wire protocol, with nothing decoded but the end
// of each answer.
//
//	main.go       the command line, and the order of things
//	scene.go      servers, master, router, certificate; middles.go and tables.go beside it
//	relay.go      the plain relay, floor.go the floor: this program again, as processes of their own
//	load.go       clients as coroutines on one epoll instance; socket.go, login.go, client.go are one client
//	works.go      what is measured
//	measure.go    one cell: load for a while, counted; latency.go and idle.go measure otherwise
//	results.go    medians and ratios of the rounds
//	targets.go    what Ballast is held to
//	report.go     the tables, the JSON; history.go what is kept from run to run
package main
