// Package client is what routers, rulectl and the agents hold of the master.
//
// A Client knows all masters and finds the leading one by itself. For a router, Register begins an incarnation and Run keeps its stream:
// snapshot, deltas, acks, and on a lost master the search for the next. Current never blocks and never goes back; a router that can't reach
// any master keeps what it has. An incarnation that is over (the router was taken for dead, or another one took its name) is told by
// Config.OnReplaced and replaced by a new one, with a new account.
package client
