// Package clients runs live clients of other makers against a plain server and against Ballast, and compares what they print.
//
// Every script in scripts does the same work in its own language: plain and prepared statements, NULLs, decimals, dates, four-byte
// characters, generated ids, a large value, a failed insert, a transaction that is rolled back and one that is committed.
// It takes host, port, user and password, works in schema "clients", and prints one line per step. Lines that name a version or a
// connection id would differ, so no script prints any. install.sh gets the clients from the distribution's packages.
package clients
