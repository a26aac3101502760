// Package supervise is the local cluster of `ballast up`: a metadata server, db nodes, a master and a router on one machine, kept
// running by a supervisor of its own.
//
// Up prepares everything in the foreground (it finds or fetches a database server, checks the ports, makes the token), then starts
// the supervisor, a detached process that executes Run, and waits until every role is ready. It brings the nodes to the master, loads
// the sample tables through the router as any client would, and prints a page: how to connect, where the rows are, a few
// queries with their answers. A second Up finds the supervisor and prints the page again.
//
// Run keeps each role alive: a role that ends is started again after a pause that grows from a fifth of a second to ten. It starts
// the roles in the order servers, master, router and stops them in the reverse order. What it knows stands in status.json, which Up and Status read.
//
// Everything lies in one folder, .ballast: data, logs (rotated), the token, pids. Down ends all processes and keeps the data;
// Clean removes the folder. A cluster has one flavour; asking for the other one while there is data is an error.
package supervise
