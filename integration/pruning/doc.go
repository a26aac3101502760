// Package pruning holds the planner's view of single values against real servers: whatever a server finds by a condition must be on a node
// that the planner names for it, and whatever a server stores must be where the planner sent it.
//
// One server with one table per column type is enough. The nodes are numbers only: 61 of them, so that two different keys hardly ever
// share one.
package pruning
