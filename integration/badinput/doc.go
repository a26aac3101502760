// Package badinput gives Ballast what it must not choke on: rules that can't be, keys that have no place, wrong passwords, broken packets,
// huge statements, thousands of idle clients, a start without a master. Each gets a clear error with number, SQLSTATE and hint, or a
// bounded wait; nothing panics, hangs, or is left half written.
package badinput
