package plan

import (
	"context"
	"math"
	"testing"

	"ballast/sqlfront/wire"
)

func TestParamLiterals(t *testing.T) {
	for _, c := range []struct {
		p    wire.Param
		want string
	}{
		{wire.Param{Type: typeTiny, Value: []byte{0xff}}, "-1"},
		{wire.Param{Type: typeTiny, Value: []byte{0xff}, Unsigned: true}, "255"},
		{wire.Param{Type: typeShort, Value: []byte{0xfb, 0xff}}, "-5"},
		{wire.Param{Type: typeLong, Value: []byte{0xfb, 0xff, 0xff, 0xff}}, "-5"},
		{wire.Param{Type: typeLongLong, Value: []byte{0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}, "-5"},
		{wire.Param{Type: typeLongLong, Value: []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, Unsigned: true}, "18446744073709551615"},
		{wire.Param{Type: typeLongLong, Value: []byte{0, 0, 0, 0, 0, 0, 0, 0x80}}, "-9223372036854775808"},
		{wire.Param{Type: typeDouble, Value: []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}}, "1.5e+00"},
		{wire.Param{Type: typeFloat, Value: []byte{0, 0, 0xc0, 0x3f}}, "1.5e+00"},
		{wire.Param{Type: 253, Value: []byte("it's \\ \x00")}, `'it''s \\ \0'`},
		{wire.Param{Type: typeBlob, Value: []byte{0xff, '\''}}, "_binary'\xff'''"},
		{wire.Param{Type: typeNewDec, Value: []byte("-1.50")}, "-1.50"},
		{wire.Param{Type: typeNewDec, Value: []byte("1.5 or 1")}, "'1.5 or 1'"},
		{wire.Param{Type: typeDate, Value: []byte{0xe8, 0x07, 1, 5}}, "DATE'2024-01-05'"},
		{wire.Param{Type: typeDate}, "'0000-00-00'"},
		{wire.Param{Type: typeDateTime, Value: []byte{0xe8, 0x07, 1, 5, 10, 0, 1}}, "TIMESTAMP'2024-01-05 10:00:01'"},
		{wire.Param{Type: typeDateTime, Value: []byte{0xe8, 0x07, 1, 5, 10, 0, 1, 0x40, 0x42, 0x0f, 0}}, ""},
		{wire.Param{Type: typeDateTime, Value: []byte{0xe8, 0x07, 1, 5, 10, 0, 1, 1, 0, 0, 0}}, "TIMESTAMP'2024-01-05 10:00:01.000001'"},
		{wire.Param{Type: typeTime, Value: []byte{1, 1, 0, 0, 0, 2, 3, 4}}, "TIME'-26:03:04'"},
		{wire.Param{Type: typeTime, Value: []byte{0, 34, 0, 0, 0, 22, 3, 4, 7, 0, 0, 0}}, "TIME'838:03:04.000007'"},
		{wire.Param{Type: typeTime}, "TIME'00:00:00'"},
		{wire.Param{Type: typeTime, Value: []byte{0, 35, 0, 0, 0, 0, 3, 4}}, ""},
		{wire.Param{Type: typeDate, Value: []byte{0xe8, 0x07, 13, 5}}, ""},
		{wire.Param{Type: typeDate, Value: []byte{0xe8, 0x07, 1}}, ""},
		{wire.Param{Type: typeBlob, Long: true, Value: []byte("a")}, "_binary'a'"},
		{wire.Param{Type: typeLong, Long: true, Value: []byte("a")}, "'a'"},
		{wire.Param{Type: typeBit, Value: []byte{5}}, "_binary'\x05'"},
		{wire.Param{Type: typeNull}, "NULL"},
		{wire.Param{Type: 253, Null: true}, "NULL"},
		{wire.Param{Type: typeLong, Value: []byte{1}}, ""},
		{wire.Param{Type: typeDouble, Value: []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}}, ""},
	} {
		if err := checkParams([]wire.Param{c.p}); err != nil {
			if c.want != "" {
				t.Errorf("%+v: %v", c.p, err)
			}
			continue
		}
		lit, _ := paramLiteral(&c.p, nil)
		if got := string(lit.AppendSQL(nil, 0)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.p, got, c.want)
		}
	}
	if got := string(AppendString(nil, []byte(`a\'b`), NoBackslashEscapes)); got != `'a\''b'` {
		t.Errorf("without escapes: %s", got)
	}
}

func TestPreparedStatements(t *testing.T) {
	session := &fakeSession{}
	env := &Env{Snapshot: fixture(t), DB: "app", Flags: Strict, Charset: "utf8mb4", Collation: "utf8mb4_general_ci", TimeZone: "+00:00", Funcs: session}
	p := New(Config{})
	integer := func(v uint64) wire.Param {
		return wire.Param{Type: typeLongLong, Value: []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24), byte(v >> 32), byte(v >> 40), byte(v >> 48), byte(v >> 56)}}
	}
	text := func(s string) wire.Param { return wire.Param{Type: 253, Value: []byte(s)} }
	for _, c := range []struct {
		sql    string
		params []wire.Param
		want   string
	}{
		{"SELECT v FROM t WHERE id = ?", []wire.Param{integer(5)}, "node 1 verbatim"},
		{"SELECT v FROM t WHERE id = ?", []wire.Param{text("-1")}, "node 3 verbatim"},
		{"SELECT v FROM t WHERE id = ? AND v = 3", []wire.Param{integer(math.MaxUint64)}, "node 3 verbatim"},
		{"INSERT INTO t (id, v, s) VALUES (?, 7, ?), (?, 8, ?)", []wire.Param{integer(1), text("a'b"), integer(2), {Type: typeNull}},
			"node 1 INSERT INTO `t` (`id`,`v`,`s`) VALUES (1,7,'a''b')\nnode 2 INSERT INTO `t` (`id`,`v`,`s`) VALUES (2,8,NULL)"},
		{"INSERT INTO t (id, v) VALUES (?, ?) ON DUPLICATE KEY UPDATE v = ?", []wire.Param{integer(1), integer(2), integer(3)}, "node 1 verbatim"},
		{"INSERT INTO t (id, v) VALUES (?, ?), (?, ?) ON DUPLICATE KEY UPDATE v = ?", []wire.Param{integer(1), integer(2), integer(4), integer(5), integer(6)},
			"node 0 INSERT INTO `t` (`id`,`v`) VALUES (4,5) ON DUPLICATE KEY UPDATE `v`=6\nnode 1 INSERT INTO `t` (`id`,`v`) VALUES (1,2) ON DUPLICATE KEY UPDATE `v`=6"},
		{"INSERT INTO ai (v) VALUES (?)", []wire.Param{integer(9)}, "node 1 INSERT INTO `ai` (`v`,`id`) VALUES (9,1001)\ninsert id 1001"},
		{"UPDATE t SET v = ? WHERE id IN (?, ?)", []wire.Param{integer(9), integer(1), integer(2)},
			"node 1 UPDATE `t` SET `v`=9 WHERE `id` IN (1,2)\nnode 2 UPDATE `t` SET `v`=9 WHERE `id` IN (1,2)"},
		{"SELECT v FROM t WHERE s->'$.a' = ? AND id = ?", []wire.Param{text("x"), integer(5)}, "node 1 verbatim"},
		{"SELECT v FROM t WHERE s LIKE 'a' 'b' AND id = ?", []wire.Param{integer(6)}, "node 2 verbatim"},
		{"SELECT v FROM t WHERE id = ?", nil, "1210 (HY000) Incorrect arguments to EXECUTE"},
	} {
		session.next = 0
		pr, _, err := p.Prepare(context.Background(), env, []byte(c.sql))
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		var a Args
		var b Bound
		var pl *Plan
		if err = pr.Bind(c.params, &a); err == nil {
			if pl, err = pr.Plan(context.Background(), env, &a); err == nil {
				err = pl.Bind(context.Background(), env, &a, session, &b)
			}
		}
		got := ""
		if err != nil {
			got = describeError(err)
		} else {
			got = describe(env, pl, &b, session)
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.want)
		}
	}
	if _, err := p.Plan(context.Background(), env, []byte("SELECT v FROM t WHERE id = ?"), 0, &Args{}); err == nil {
		t.Error("a marker in COM_QUERY was taken")
	}
}

// TestPreparedStatementsReadLittle holds executions to no allocation, and to reading no more parameters than routing needs.
func TestPreparedStatementsReadLittle(t *testing.T) {
	env := sessionEnv(t)
	p := New(Config{})
	number := wire.Param{Type: typeLong, Value: []byte{5, 0, 0, 0}}
	date := wire.Param{Type: typeDateTime, Value: []byte{0xe8, 0x07, 1, 5, 10, 0, 1, 1, 0, 0, 0}}
	text := wire.Param{Type: 253, Value: []byte("text")}
	for _, c := range []struct {
		sql    string
		params []wire.Param
		read   []bool
	}{
		{"SELECT s FROM t WHERE id = ?", []wire.Param{number}, []bool{true}},
		{"SELECT s FROM t WHERE ts > ? AND id = ? AND s = ?", []wire.Param{date, number, text}, []bool{false, true, false}},
		{"INSERT INTO t (ts, v, id, s) VALUES (?, ?, ?, ?)", []wire.Param{date, number, number, text}, []bool{false, false, true, false}},
		{"UPDATE t SET ts = ?, v = ? WHERE id IN (?, ?)", []wire.Param{date, number, number, number}, []bool{false, false, true, true}},
		{"SELECT s FROM t WHERE id = ? LIMIT ?, ?", []wire.Param{number, number, number}, []bool{true, true, false}},
		{"SELECT v FROM kd WHERE d = ?", []wire.Param{{Type: typeDate, Value: []byte{0xe8, 0x07, 1, 5}}}, []bool{true}},
	} {
		pr, _, err := p.Prepare(context.Background(), env, []byte(c.sql))
		if err != nil {
			t.Fatalf("%s: %v", c.sql, err)
		}
		var a Args
		var b Bound
		var pl *Plan
		n := testing.AllocsPerRun(100, func() {
			if err := pr.Bind(c.params, &a); err != nil {
				t.Fatal(err)
			}
			if pl, err = pr.Plan(context.Background(), env, &a); err != nil {
				t.Fatal(err)
			}
			if err := pl.Bind(context.Background(), env, &a, nil, &b); err != nil {
				t.Fatal(err)
			}
		})
		if n > 0 {
			t.Errorf("%s: %v allocations", c.sql, n)
		}
		for i, want := range c.read {
			if read := a.lits[i].Kind != LitMarker; read != want {
				t.Errorf("%s: parameter %d was read: %v", c.sql, i+1, read)
			}
		}
		if pl.After()&AfterOffset != 0 && pl.Offset(&a) != 5 {
			t.Errorf("%s: offset %d", c.sql, pl.Offset(&a))
		}
	}
}
