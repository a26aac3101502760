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
	&Collation{name: "latin1_swedish_ci", form: formLatin1, pad: true, bytes: latin1Swedish()},
	&Collation{name: "ascii_general_ci", form: formLatin1, pad: true, ascii: true, bytes: asciiGeneral()},
	&Collation{name: "utf8mb4_general_ci", form: formWeights, pad: true, table: "general_ci"},
	&Collation{name: "utf8mb3_general_ci", form: formWeights, pad: true, three: true, table: "general_ci"},
	&Collation{name: "utf8mb4_0900_ai_ci", form: formWeights, table: "0900_ai_ci"},
)

func known(all ...*Collation) map[string]*Collation {
	m := make(map[string]*Collation, len(all))
	tables := map[string]func() *table{}
	for _, c := range all {
		m[c.name] = c
		if c.table == "" {
			continue
		}
		if tables[c.table] == nil {
			tables[c.table] = loader(c.table)
		}
		c.load = tables[c.table]
	}
	return m
}

func asciiGeneral() *[256]byte {
	var w [256]byte
	for i := range w {
		w[i] = byte(i)
		if i >= 'a' && i <= 'z' {
			w[i] -= 'a' - 'A'
		}
	}
	return &w
}

// latin1Swedish folds case and most accents; Å, Ä, Ö and what sorts as they do come behind Z, in the places of [, \ and ].
func latin1Swedish() *[256]byte {
	w := asciiGeneral()
	high := "AAAA\\[\\CEEEEIIII" + "DNOOOO]\xd7\xd8UUUYY\xde\xdf"
	for i := range 32 {
		w[0xC0+i] = high[i]
		w[0xE0+i] = high[i]
	}
	w[0xF7], w[0xFF] = 0xF7, 0xFF
	return w
}
