// Package collate says which strings are one key: it computes, in Go, the weight strings that MySQL and MariaDB compare by.
//
// Only the collations that may stand on a balancing field are known (see Supported); any other is refused by name. Strings come in
// as UTF-8 whatever the column's character set is. A key is the sequence of weights without the trailing spaces that PAD SPACE
// collations ignore: two strings are equal under the collation exactly when their keys are equal bytes, and CRC32 over the key is
// CRC32(WEIGHT_STRING(RTRIM(col))) on the servers (CRC32 over the bytes for binary collations).
package collate
