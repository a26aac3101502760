package rules_test

import (
	"bytes"
	"compress/flate"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"ballast/dbserver"
	"ballast/integration/cluster"
	"ballast/rules/collate"
)

var update = flag.Bool("update", false, "write the weight tables of rules/collate from the server")

// TestWeightTables compares the key of every single character with the server's weight string.
func TestWeightTables(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 1})
	db := s.Nodes[0].DB
	fillCharacters(t, db)
	for _, name := range collate.Supported() {
		if name == "binary" || strings.Contains(name, "_0900_") && s.Flavour != dbserver.MySQL {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c, _ := collate.Lookup(name)
			weights := readWeights(t, db, c)
			if *update && c.Table() != "" && s.Flavour == dbserver.MySQL {
				writeTable(t, c.Table(), weights)
				return
			}
			if len(weights) < 128 {
				t.Fatalf("only %d characters to compare", len(weights))
			}
			faults := 0
			for r, want := range weights {
				got, ok := c.AppendKey(nil, string(r))
				if c.PadSpace() && r == ' ' {
					want = nil // the key leaves trailing spaces out
				}
				if faults < 10 && (!ok || !bytes.Equal(got, want)) {
					faults++
					t.Errorf("U+%04X: key %X, the server's weight is %X", r, got, want)
				}
			}
		})
	}
}

// fillCharacters makes a table of all characters.
func fillCharacters(t *testing.T, db *sql.DB) {
	t.Helper()
	exec(t, db, "CREATE DATABASE IF NOT EXISTS weights")
	exec(t, db, "CREATE TABLE weights.characters (n INT PRIMARY KEY, c VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) ENGINE=MyISAM")
	const batch = 20000
	var values []string
	for r := rune(0); r <= utf8.MaxRune; r++ {
		const sparse = 61 // of the planes that hold no assigned characters, a sample does
		if utf8.ValidRune(r) && (*update || r < 0x34000 || r>>12 == 0xE0 || r%sparse == 0) {
			values = append(values, fmt.Sprintf("(%d,X'%X')", r, string(r)))
		}
		if len(values) == batch || r == utf8.MaxRune && len(values) > 0 {
			exec(t, db, "INSERT INTO weights.characters VALUES "+strings.Join(values, ","))
			values = values[:0]
		}
	}
}

func exec(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("%.200s: %v", query, err)
	}
}

// readWeights gives the weight string of every character that the collation's character set holds.
func readWeights(t *testing.T, db *sql.DB, c *collate.Collation) map[rune][]byte {
	t.Helper()
	converted := fmt.Sprintf("CONVERT(c USING %s)", c.Charset())
	weight := fmt.Sprintf("WEIGHT_STRING(%s COLLATE %s)", converted, c.Name())
	if c.ByBytes() {
		weight = "CAST(" + converted + " AS BINARY)"
	}
	query := fmt.Sprintf("SELECT n, HEX(%s) FROM weights.characters WHERE CONVERT(%s USING utf8mb4) = c", weight, converted)
	out := map[rune][]byte{}
	var n rune
	var text string
	each(t, connection(t, db), query, []any{&n, &text}, func() {
		var err error
		if out[n], err = hex.DecodeString(text); err != nil {
			t.Fatal(err)
		}
	})
	return out
}

// writeTable writes the table in the form that rules/collate reads: a class per page of 256 characters (see collate's table.go), then for each
// page of class 0, per character, the number of weights and the weights.
func writeTable(t *testing.T, name string, weights map[rune][]byte) {
	t.Helper()
	var classes, pages []byte
	for page := rune(0); page <= utf8.MaxRune>>8; page++ {
		class, found := collate.PageClass(page, weights)
		classes = append(classes, class)
		if found {
			continue
		}
		for r := page << 8; r < (page+1)<<8; r++ {
			w := weights[r]
			pages = append(pages, byte(len(w)/2))
			pages = append(pages, w...)
		}
	}
	var raw bytes.Buffer
	raw.Write(binary.BigEndian.AppendUint32(nil, uint32(len(classes))))
	raw.Write(classes)
	raw.Write(pages)
	var out bytes.Buffer
	z, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(raw.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../../rules/collate/tables/"+name, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes, %d compressed", name, raw.Len(), out.Len())
}
