// Package loops tests what clients see of event loops through a whole Ballast over real servers. Statements are carried out in two ways:
// by a goroutine, and, when their plan is cached, by the loop itself. So every script runs several times over, the first time by one way and
// then by the other, and what it sees must always be what one plain server answers: in transactions, after errors, when killed, when nodes
// go away, when clients come in crowds, read slowly or not at all.
package loops
