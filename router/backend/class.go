package backend

import "ballast/sqlfront/wire"

// Class is the part of a client's capabilities that shapes answers: rows can be relayed undecoded only from a connection of the same
// class. Everything else is equal on all backend connections (protocol 4.1, multiple results, plugin authentication; never
// multi-statements, session tracking or local files).
type Class uint8

// The bits of a class.
const (
	// FoundRows: affected rows count the rows found, not the rows changed.
	FoundRows Class = 1 << iota
	// DeprecateEOF: result sets end with an OK packet.
	DeprecateEOF

	classes = 4
)

// ClassOf takes the class out of a client's negotiated capabilities.
func ClassOf(c wire.Capability) Class {
	var class Class
	if c&wire.ClientFoundRows != 0 {
		class |= FoundRows
	}
	if c&wire.ClientDeprecateEOF != 0 {
		class |= DeprecateEOF
	}
	return class
}
