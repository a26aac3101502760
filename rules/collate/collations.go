package collate

// Binary is the collation of BINARY and VARBINARY: bytes, no padding.
var Binary = &Collation{name: "binary", form: formBytes}

// collations holds everything that Lookup knows.
var collations = known(
	Binary,
	&Collation{name: "utf8mb4_bin", form: formBytes, pad: true},
	&Collation{name: "utf8mb4_0900_bin", form: formBytes},
	&Collation{name: "utf8mb3_bin", form: formBytes, pad: true, three: true},
	&Collation{name: "ascii_bin", form: formBytes, pad: true, ascii: true},
	&Collation{name: "latin1_bin", form: formLatin1, pad: true},
)

func known(all ...*Collation) map[string]*Collation {
	m := make(map[string]*Collation, len(all))
	for _, c := range all {
		m[c.name] = c
	}
	return m
}
