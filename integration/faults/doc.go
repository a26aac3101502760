// Package faults holds tests of what clients see while parts of a running cluster are killed, frozen or cut off: statements for other
// nodes go on, errors come within three seconds and say which node it is, and everything recovers by itself.
package faults
