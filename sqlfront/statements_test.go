package sqlfront_test

import (
	"fmt"
	"strings"
	"testing"

	"ballast/sqlfront"
	"ballast/sqlfront/wire"
	"ballast/sqlfront/wiretest"
)

// prepare prepares sql and reads the whole answer.
func prepare(t testing.TB, p *wiretest.Peer, sql string) (wire.StmtPrepareOK, error) {
	t.Helper()
	var head wire.StmtPrepareOK
	if err := p.Command(wire.ComStmtPrepare, []byte(sql)...); err != nil {
		t.Fatal(err)
	}
	payload, err := p.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if payload[0] == wire.ErrHeader {
		se := &wire.ServerError{}
		if err := se.Decode(payload); err != nil {
			t.Fatal(err)
		}
		return head, se
	}
	if err := head.Decode(payload); err != nil {
		t.Fatal(err)
	}
	for _, n := range []uint16{head.Params, head.Columns} {
		packets := int(n)
		if n > 0 && !p.Client.Capabilities().Has(wire.ClientDeprecateEOF) {
			packets++
		}
		for range packets {
			if _, err := p.Recv(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return head, nil
}

func execute(t testing.TB, p *wiretest.Peer, id uint32, cursor wire.Cursor, params ...wire.Param) {
	t.Helper()
	m := wire.StmtExecute{ID: id, Cursor: cursor, Iterations: 1, NewTypes: true, Params: params}
	p.In.Seq = 0
	if err := p.Send(m.Append(nil)); err != nil {
		t.Fatal(err)
	}
}

func longData(t testing.TB, p *wiretest.Peer, id uint32, param uint16, data string) {
	t.Helper()
	m := wire.StmtLongData{ID: id, Param: param, Data: []byte(data)}
	p.In.Seq = 0
	if err := p.Send(m.Append(nil)); err != nil {
		t.Fatal(err)
	}
}

func str(s string) wire.Param { return wire.Param{Type: wire.TypeVarString, Value: []byte(s)} }

var null = wire.Param{Type: wire.TypeNull, Null: true}

func tiny(v byte, unsigned bool) wire.Param {
	return wire.Param{Type: wire.TypeTiny, Unsigned: unsigned, Value: []byte{v}}
}

func TestPreparedStatements(t *testing.T) {
	r := start(t, nil)
	for _, caps := range []wire.Capability{usual, usual &^ wire.ClientDeprecateEOF} {
		p := peer(t, r, "root", "", caps)
		st, err := prepare(t, p, "echo ?, ?, ?")
		if err != nil || st.Params != 3 || st.Columns != 1 {
			t.Fatalf("prepared %+v, %v", st, err)
		}
		execute(t, p, st.ID, 0, str("a"), tiny(255, true), null)
		same(t, values(t, p, wire.Binary), `"a"`, "1:true:ff", "NULL")
		execute(t, p, st.ID, 0, str(""), tiny(255, false), str("c"))
		same(t, values(t, p, wire.Binary), `""`, "1:false:ff", `"c"`)

		// The long parameter is left out of the values; it is gone after the execution, and after a reset.
		long := wire.Param{Type: wire.TypeVarString, Long: true}
		longData(t, p, st.ID, 0, "ab")
		longData(t, p, st.ID, 0, "cd")
		execute(t, p, st.ID, 0, long, tiny(1, false), tiny(2, false))
		same(t, values(t, p, wire.Binary), `"abcd"`, "1:false:01", "1:false:02")
		execute(t, p, st.ID, 0, str("z"), tiny(1, false), null)
		same(t, values(t, p, wire.Binary), `"z"`, "1:false:01", "NULL")
		longData(t, p, st.ID, 0, "")
		execute(t, p, st.ID, 0, long, tiny(1, false), null)
		same(t, values(t, p, wire.Binary), `""`, "1:false:01", "NULL")
		longData(t, p, st.ID, 0, "lost")
		p.In.Seq = 0
		if err := p.Send((&wire.StmtID{ID: st.ID}).Append(nil, wire.ComStmtReset)); err != nil {
			t.Fatal(err)
		}
		if _, err := p.RecvOK(); err != nil {
			t.Fatal(err)
		}
		execute(t, p, st.ID, 0, str("y"), null, null)
		same(t, values(t, p, wire.Binary), `"y"`, "NULL", "NULL")

		longData(t, p, st.ID, 9, "no such parameter")
		execute(t, p, st.ID, 0, str("y"), null, null)
		_, err = p.RecvResult()
		refused(t, err, 1210, "HY000")

		p.In.Seq = 0
		if err := p.Send((&wire.StmtID{ID: st.ID}).Append(nil, wire.ComStmtClose)); err != nil {
			t.Fatal(err)
		}
		execute(t, p, st.ID, 0, str("y"), null, null)
		_, err = p.RecvResult()
		refused(t, err, 1243, "HY000")
		_, err = prepare(t, p, "bad")
		refused(t, err, 1064, "42000")
		same(t, text(t, p, "user"), "root/")

		// Without waiting for the statement's id.
		if st, err = prepare(t, p, "echo ?"); err != nil {
			t.Fatal(err)
		}
		execute(t, p, 1<<32-1, 0, str("latest"))
		same(t, values(t, p, wire.Binary), `"latest"`)
		execute(t, p, st.ID, 0, str("latest"))
		same(t, values(t, p, wire.Binary), `"latest"`)
		_, err = prepare(t, p, "bad")
		refused(t, err, 1064, "42000")
		execute(t, p, 1<<32-1, 0, str("latest"))
		_, err = p.RecvResult()
		refused(t, err, 1243, "HY000")
	}
}

func TestLongDataOver16MiB(t *testing.T) {
	r := start(t, nil)
	p := peer(t, r, "root", "", usual)
	st, err := prepare(t, p, "echo ?")
	if err != nil {
		t.Fatal(err)
	}
	execute(t, p, st.ID, 0, str(strings.Repeat("x", 20<<20)))
	same(t, values(t, p, wire.Binary), fmt.Sprintf("%q", fmt.Sprintf("%d bytes", 20<<20)))
	for range 5 {
		longData(t, p, st.ID, 0, strings.Repeat("y", 15<<20))
	}
	execute(t, p, st.ID, 0, wire.Param{Type: wire.TypeVarString, Long: true})
	_, err = p.RecvResult()
	refused(t, err, 1105, "HY000")
}

func TestCursors(t *testing.T) {
	for _, memory := range []int64{1 << 20, 100} { // all in memory; nearly all in a file
		r := start(t, func(c *sqlfront.Config) { c.CursorMemory, c.CursorFolder = memory, t.TempDir() })
		for _, caps := range []wire.Capability{usual, usual &^ wire.ClientDeprecateEOF} {
			p := peer(t, r, "root", "", caps)
			st, err := prepare(t, p, "rows 2500")
			if err != nil {
				t.Fatal(err)
			}
			fetch := func(n uint32) (wiretest.Result, error) {
				p.In.Seq = 0
				if err := p.Send((&wire.StmtFetch{ID: st.ID, Rows: n}).Append(nil)); err != nil {
					t.Fatal(err)
				}
				var res wiretest.Result
				err := p.RecvRows(&res)
				return res, err
			}
			opened := func() wire.Status {
				execute(t, p, st.ID, wire.CursorReadOnly)
				res, err := p.RecvResult()
				if err != nil || len(res.Rows) != 0 || len(res.Columns) != 1 {
					t.Fatalf("open a cursor: %+v, %v", res, err)
				}
				return res.OK.Status
			}
			if !opened().Has(wire.StatusCursorExists) {
				t.Fatal("no cursor")
			}
			total := 0
			for _, want := range []int{1000, 1000, 500} {
				res, err := fetch(1000)
				if err != nil || len(res.Rows) != want {
					t.Fatalf("fetched %d rows, want %d; %v", len(res.Rows), want, err)
				}
				if got := rowsOf(t, res, wire.Binary); got[0] != fmt.Sprint(total) {
					t.Fatalf("first row %s, want %d", got[0], total)
				}
				total += want
				if last := res.OK.Status.Has(wire.StatusLastRowSent); last != (want == 500) || last == res.OK.Status.Has(wire.StatusCursorExists) {
					t.Fatalf("status %x after %d rows", res.OK.Status, total)
				}
			}
			_, err = fetch(1)
			refused(t, err, 1421, "HY000")
			// A second execution drops the first cursor; other commands may come in between.
			opened()
			if res, err := fetch(10); err != nil || len(res.Rows) != 10 {
				t.Fatal(err)
			}
			same(t, text(t, p, "user"), "root/")
			opened()
			if res, err := fetch(1); err != nil || rowsOf(t, res, wire.Binary)[0] != "0" {
				t.Fatal(err)
			}
			// What is no result set is answered as without a cursor.
			for sql, want := range map[string]uint16{"affected 2": 0, "error 1146": 1146} {
				if st, err = prepare(t, p, sql); err != nil {
					t.Fatal(err)
				}
				execute(t, p, st.ID, wire.CursorReadOnly)
				res, err := p.RecvResult()
				if want != 0 {
					refused(t, err, want, "42S02")
				} else if err != nil || res.OK.Affected != 2 {
					t.Fatal(err)
				}
			}
			// An error in place of a row comes when it is its turn.
			if st, err = prepare(t, p, "half"); err != nil {
				t.Fatal(err)
			}
			opened()
			_, err = fetch(1)
			refused(t, err, 1158, "08S01")
		}
	}
}

func TestCursorBound(t *testing.T) {
	r := start(t, func(c *sqlfront.Config) { c.CursorMemory, c.CursorDisk, c.CursorFolder = 1000, 50_000, t.TempDir() })
	p := peer(t, r, "root", "", usual)
	st, err := prepare(t, p, "big 100000")
	if err != nil {
		t.Fatal(err)
	}
	execute(t, p, st.ID, wire.CursorReadOnly)
	_, err = p.RecvResult()
	refused(t, err, 1041, "HY000")
	same(t, text(t, p, "user"), "root/")
}

func TestStatementLimit(t *testing.T) {
	r := start(t, func(c *sqlfront.Config) { c.MaxStatements = 2 })
	p, q := peer(t, r, "root", "", usual), peer(t, r, "root", "", usual)
	for range 2 {
		if _, err := prepare(t, p, "echo ?"); err != nil {
			t.Fatal(err)
		}
	}
	_, err := prepare(t, q, "echo ?")
	refused(t, err, 1461, "42000")
	if err := p.Command(wire.ComResetConnection); err != nil {
		t.Fatal(err)
	}
	if _, err := p.RecvOK(); err != nil {
		t.Fatal(err)
	}
	if _, err := prepare(t, q, "echo ?"); err != nil {
		t.Fatal(err)
	}
}

func TestSetOptionAndMultiStatements(t *testing.T) {
	r := start(t, nil)
	p := peer(t, r, "root", "", usual&^wire.ClientMultiStatements)
	set := func(option uint16) {
		p.In.Seq = 0
		if err := p.Send((&wire.SetOption{Option: option}).Append(nil)); err != nil {
			t.Fatal(err)
		}
		var res wiretest.Result
		if err := p.RecvRows(&res); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Query("user; user"); err != nil {
		t.Fatal(err)
	}
	_, err := p.RecvResult()
	refused(t, err, 1064, "42000")
	set(wire.OptionMultiStatementsOn)
	same(t, text(t, p, "user; user"), "root/")
	same(t, values(t, p, wire.Text), "root/")
	set(wire.OptionMultiStatementsOff)
	if err := p.Query("user; user"); err != nil {
		t.Fatal(err)
	}
	_, err = p.RecvResult()
	refused(t, err, 1064, "42000")
}

func TestChangeUser(t *testing.T) {
	r := start(t, nil)
	for _, tc := range []struct {
		user, password, plugin string
		number                 uint16
	}{
		{"app", "secret", "caching_sha2_password", 0},
		{"app", "secret", "mysql_native_password", 0},
		{"new", "secret", "mysql_native_password", 0},
		{"root", "", "caching_sha2_password", 0},
		{"app", "wrong", "caching_sha2_password", 1045},
		{"nobody", "secret", "", 1045},
	} {
		t.Run(tc.user+" "+tc.plugin, func(t *testing.T) {
			p := peer(t, r, "app", "secret", usual)
			if _, err := prepare(t, p, "echo ?"); err != nil {
				t.Fatal(err)
			}
			m := wire.ChangeUser{User: tc.user, DB: "shop", Collation: 45, Plugin: tc.plugin}
			p.In.Seq = 0
			if err := p.Send(m.Append(nil, p.Client.Capabilities())); err != nil {
				t.Fatal(err)
			}
			err := finishChange(p, tc.password)
			if tc.number != 0 {
				refused(t, err, tc.number, "28000")
				if err := p.RecvEnd(); err != nil {
					t.Fatal(err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			same(t, text(t, p, "user"), tc.user+"/shop")
			execute(t, p, 1, 0, null)
			_, err = p.RecvResult()
			refused(t, err, 1243, "HY000")
		})
	}
}
