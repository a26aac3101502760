package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"ballast/sqlfront/wire"
)

// values gives values of a column type that are likely to meet at the edges of ranks.
func valuesOf(typ string, rnd *rand.Rand) string {
	if rnd.IntN(8) == 0 {
		return "NULL"
	}
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	switch typ {
	case "bigint":
		return pick("-9223372036854775808", "-9223372036854775807", "-1", "0", "1", "999999999999999999", "1000000000000000000", "9223372036854775807", strconv.Itoa(rnd.IntN(100)-50))
	case "ubigint":
		return pick("0", "1", "9223372036854775807", "9223372036854775808", "18446744073709551615", strconv.Itoa(rnd.IntN(100)))
	case "double":
		return pick("-1e300", "-1.5", "-0", "0", "1e-300", "1.5", "1e300", strconv.Itoa(rnd.IntN(100)-50))
	case "dec2":
		return pick("-99999999999999999999.00", "-1000000000000000000.00", "-1.50", "-1.20", "-0.50", "0.00", "0.50", "1.20", "999999999999999999.99", "1000000000000000000.00", "99999999999999999999.00",
			fmt.Sprintf("%d.%02d", rnd.IntN(9)-4, rnd.IntN(100)))
	case "datetime":
		return pick("1000-01-01 00:00:00", "1999-12-31 23:59:59.5", "1999-12-31 23:59:59.25", "9999-12-31 23:59:59.999999")
	case "time":
		return pick("-838:59:59", "-00:00:00.000001", "00:00:00", "100:00:00", "838:59:59")
	}
	b := make([]byte, rnd.IntN(12))
	for i := range b {
		b[i] = "\x00 ab"[rnd.IntN(4)]
	}
	return string(b)
}

// TestRanksAgree: rows of different rank stand in that order, and rows of one rank are equal where the ranker says so.
func TestRanksAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, typ := range []string{"bigint", "ubigint", "double", "dec2", "datetime", "time", "bin"} {
		for _, desc := range []bool{false, true} {
			for _, format := range []wire.Format{wire.Text, wire.Binary} {
				s := shape{columns: fakeColumns("v:" + typ), format: format}
				reader, err := newKeyReader([]Key{{Weight: -1, Desc: desc}}, s)
				if err != nil {
					t.Fatal(err)
				}
				ranks := newRanker(s, reader.keys[0])
				read := func() (string, uint64, []value) {
					text := valuesOf(typ, rnd)
					row := fakeRow(s, text)
					keys, err := reader.read(row, nil)
					if err != nil {
						t.Fatal(err)
					}
					n, err := ranks.rank(row, reader.fields)
					if err != nil {
						t.Fatal(err)
					}
					return text, n, keys
				}
				for range 3000 {
					a, x, ak := read()
					b, y, bk := read()
					c := reader.compare(ak, bk)
					if x < y && c >= 0 || x > y && c <= 0 || x == y && ranks.whole && x != ranks.none && c != 0 {
						t.Fatalf("%s desc=%v format %d: %q has rank %#x, %q %#x, compare gives %d", typ, desc, format, a, x, b, y, c)
					}
				}
			}
		}
	}
}

func TestRanksOfPaddedWeights(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		a, b := []byte(valuesOf("bin", rnd)), []byte(valuesOf("bin", rnd))
		for _, pad := range [][]byte{nil, []byte(" ")} {
			x, y, c := firstBytes(a, pad), firstBytes(b, pad), comparePadded(a, b, pad, pad)
			if x < y && c >= 0 || x > y && c <= 0 {
				t.Fatalf("%q %q: ranks %#x %#x, compare gives %d", a, b, x, y, c)
			}
		}
	}
}

// TestMergeSortAnyNumberOfNodes merges sorted numbers of one to nine nodes, some without rows.
func TestMergeSortAnyNumberOfNodes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for n := 1; n < 10; n++ {
		for _, desc := range []bool{false, true} {
			nodes, all := map[int]fakeNode{}, []int64{}
			order := func(a, b int64) int {
				if desc {
					a, b = b, a
				}
				switch {
				case a < b:
					return -1
				case a > b:
					return 1
				}
				return 0
			}
			for i := range n {
				var mine []int64
				for range rnd.IntN(20) {
					mine = append(mine, int64(rnd.IntN(30))-15)
				}
				slices.SortFunc(mine, order)
				node := fakeNode{columns: "v:bigint h:bin"}
				for _, v := range mine {
					node.rows = append(node.rows, strconv.FormatInt(v, 10)+"|x")
				}
				nodes[i] = node
				all = append(all, mine...)
			}
			slices.SortFunc(all, order)
			want := []string{}
			for _, v := range all {
				want = append(want, strconv.FormatInt(v, 10))
			}
			check(t, &Project{First: 1, Width: 2, Input: &Limit{Count: math.MaxUint64, Input: mergeBy(n, Key{Weight: -1, Desc: desc})}}, nodes, want...)
		}
	}
}

func TestSumsOfAnySize(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "s:dec0", rows: []string{"9000000000000000000"}},
		1: {columns: "s:dec0", rows: []string{"900000000000000000", "-5", "NULL"}},
		2: {columns: "s:dec0", rows: []string{"99999999999999999999999999", "-1"}},
	}
	sum := &Group{Input: &Scatter{Queries: queries(3)}, Aggs: []Agg{{Func: Sum, Arg: []int{0}}}}
	check(t, sum, nodes, "100000009899999999999999993")
	sum.Input = &Scatter{Queries: queries(2)}
	check(t, sum, nodes, "9899999999999999995")
	check(t, sum, map[int]fakeNode{0: {columns: "s:dec0", rows: []string{"-7"}}, 1: {columns: "s:dec0", rows: []string{"3"}}}, "-4")
}
