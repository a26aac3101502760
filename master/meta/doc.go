// Package meta keeps a cluster's metadata in a MySQL or MariaDB schema (ballast_meta). It is the only part that speaks SQL with the
// metadata server.
//
// One rule holds everywhere: a transaction that changes anything begins with UPDATE lease … WHERE epoch = mine, and ends at once when that
// finds no row (ErrDeposed). So a master that was deposed, frozen or cut off can change nothing, whatever it believes; no clock is asked.
// A commit whose outcome is unknown is ErrUnknown: the caller must stop leading and take over again under a higher epoch, a write that
// waits for, or conflicts with, the lost one.
//
// Open brings the schema up to date by numbered migrations. A schema newer than this build is refused.
package meta
