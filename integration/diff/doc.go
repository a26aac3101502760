// Package diff runs the same statements on Ballast over four nodes and on one plain server, and compares all that a client can see:
// rows, column names and types, affected rows, error numbers and SQLSTATEs.
//
// Hand-written cases stand in testdata, one file per kind of fault; generate.go makes more from a seed. A statement that Ballast refuses
// must be marked so in the case; the share of generated statements that are refused is printed, and bounded by the test.
// An expectation is never written down: the plain server is the expectation.
package diff
