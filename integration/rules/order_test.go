package rules_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ballast/dbserver"
	"ballast/integration/cluster"
	"ballast/rules/collate"
)

// TestOrderEqualsServer holds that values of every type compare in Go as they do on the server: bounds and windows rest on it.
func TestOrderEqualsServer(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 1})
	t.Logf("%s, seed %d", s.Flavour, *seed)
	c := rand.New(rand.NewPCG(*seed, 2))
	conn := connection(t, s.Nodes[0].DB)
	run(t, conn, "CREATE DATABASE predicates")
	for i, name := range typeNames(s.Flavour) {
		t.Run(name, func(t *testing.T) {
			tab := newTable(t, conn, c, fmt.Sprintf("t%d", i), name)
			faults := 0
			var a, b, want int
			query := "SELECT a.id, b.id, IF(a.k0 < b.k0, -1, IF(a.k0 = b.k0, 0, 1)) FROM " + tab.name + " a, " + tab.name + " b WHERE a.k0 IS NOT NULL AND b.k0 IS NOT NULL"
			each(t, conn, query, []any{&a, &b, &want}, func() {
				if got := tab.types[0].Compare(tab.keys[a][0], tab.keys[b][0]); sign(got) != want && faults < 5 {
					faults++
					t.Errorf("%q and %q: %d, the server says %d", tab.types[0].Text(tab.keys[a][0]), tab.types[0].Text(tab.keys[b][0]), got, want)
				}
			})
		})
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

// TestWeightStrings compares the keys of random strings with the server's weight strings: characters must not weigh otherwise beside others.
func TestWeightStrings(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 1})
	t.Logf("%s, seed %d", s.Flavour, *seed)
	c := rand.New(rand.NewPCG(*seed, 3))
	conn := connection(t, s.Nodes[0].DB)
	run(t, conn, "CREATE DATABASE weights")
	for _, name := range []string{"utf8mb4_general_ci", "utf8mb4_0900_ai_ci"} {
		if strings.Contains(name, "_0900_") && s.Flavour != dbserver.MySQL {
			continue
		}
		run(t, conn, "CREATE TABLE weights."+name+" (id INT PRIMARY KEY, v VARCHAR(40) CHARACTER SET utf8mb4 COLLATE "+name+")")
		var texts, rows []string
		for id := range 4000 {
			text := randomText(c)
			texts = append(texts, text)
			rows = append(rows, fmt.Sprintf("(%d, _utf8mb4 X'%X')", id, text))
		}
		run(t, conn, "INSERT INTO weights."+name+" VALUES "+strings.Join(rows, ", "))
		coll, _ := collate.Lookup(name)
		faults := 0
		var id int
		var text string
		each(t, conn, "SELECT id, HEX(WEIGHT_STRING(v)) FROM weights."+name, []any{&id, &text}, func() {
			want, err := hex.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			key, ok := coll.AppendKey(nil, texts[id])
			for coll.PadSpace() && bytes.HasSuffix(want, []byte{0, ' '}) {
				want = want[:len(want)-2]
			}
			if (!ok || !bytes.Equal(key, want)) && faults < 5 {
				faults++
				t.Errorf("%s %q: key %X, the server's weights are %X", name, texts[id], key, want)
			}
		})
	}
}

// randomText strings characters of a few scripts together, those with contractions and combining marks in other collation tables among them.
func randomText(c *rand.Rand) string {
	blocks := [][2]rune{{0x20, 0x7E}, {0xC0, 0x24F}, {0x300, 0x36F}, {0x370, 0x52F}, {0x5D0, 0x64A}, {0x900, 0x97F}, {0xE00, 0xEDF}, {0x1100, 0x11FF}, {0x1E00, 0x1FFF}, {0x3040, 0x30FF}, {0x4E00, 0x4FFF}, {0xAA80, 0xAADF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0x1F600, 0x1F64F}, {0x17000, 0x17050}, {0x20000, 0x20050}}
	block, other := blocks[c.IntN(len(blocks))], blocks[c.IntN(len(blocks))]
	var out strings.Builder
	for range c.IntN(10) {
		b := block
		if c.IntN(3) == 0 {
			b = other
		}
		out.WriteRune(b[0] + rune(c.IntN(int(b[1]-b[0]+1))))
	}
	return out.String()
}
