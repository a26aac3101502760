// Package protocol tests what clients see of the protocol through a whole Ballast: the same packets go to Ballast over four nodes and to one
// plain server, and the answers must say the same. The peers are scripted, so that they can do what drivers don't: send long data in any
// order, leave types out, fetch from cursors, change users in the middle of a transaction.
package protocol
