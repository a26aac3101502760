// Package merge holds the planner's SELECTs and the engine's operators against a real server, without a router: four schemas of one server
// play the nodes, a fifth holds all rows. Every statement runs on both and must give the same rows, column names and types, in text and in
// binary rows; or it is refused, which the test counts. It needs one server and no processes of ours, so it is quick.
package merge
