package protocol

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"ballast/integration/cluster"
	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
	"ballast/sqlfront/wiretest"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

const usual = wire.ClientLongPassword | wire.ClientMultiResults | wire.ClientPSMultiResults

// side is one of the two servers that must agree.
type side struct {
	name, addr string
	t          *testing.T
}

// both runs a script against the plain server and against Ballast; the lines it gives must be equal.
func both(t *testing.T, script func(s side) []string) {
	t.Helper()
	b := pool.Ballast(t, cluster.Shape{Nodes: 4, Plain: true}, cluster.Size{})
	want := script(side{"plain", b.Servers.Plain.Addr(), t})
	got := script(side{"ballast", b.Routers[0].Addr, t})
	for i := range max(len(want), len(got)) {
		w, g := "nothing", "nothing"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			t.Errorf("line %d:\n  plain   %s\n  ballast %s", i+1, w, g)
		}
	}
}

// login gives a client of side s.
func (s side) login(user, password, db string, caps wire.Capability) *client {
	s.t.Helper()
	p, err := wiretest.Dial(s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			s.t.Logf("close: %v", err)
		}
	})
	err = p.Login(auth.ClientConfig{User: user, Password: password, DB: db, Capabilities: caps, Collation: uint8(wire.CollationUTF8MB4), AskKey: true}, nil)
	if err != nil {
		s.t.Fatalf("%s: log in: %v", s.name, err)
	}
	return &client{side: s, Peer: p}
}

// client is a peer that notes what it was answered.
type client struct {
	side
	*wiretest.Peer
	lines []string
}

func (c *client) note(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

// fatal ends the test for faults that are no answers.
func (c *client) fatal(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("%s: %v", c.name, err)
	}
}

// query runs a statement and notes its answer.
func (c *client) query(sql string) {
	c.t.Helper()
	c.fatal(c.Query(sql))
	c.result(sql, wire.Text)
}

// affected runs a write and notes its count only: for one that Ballast splits, the text beside the count is made of parts.
func (c *client) affected(sql string) {
	c.t.Helper()
	c.fatal(c.Query(sql))
	ok, err := c.RecvOK()
	c.fatal(err)
	c.note("%s: affected %d", sql, ok.Affected)
}

// quietly runs statements whose answers don't count; only their success does.
func (c *client) quietly(statements ...string) {
	c.t.Helper()
	for _, sql := range statements {
		c.fatal(c.Query(sql))
		if _, err := c.RecvResult(); err != nil {
			c.t.Fatalf("%s: %s: %v", c.name, sql, err)
		}
	}
}

// result notes one answer.
func (c *client) result(what string, f wire.Format) wiretest.Result {
	c.t.Helper()
	res, err := c.RecvResult()
	var se *wire.ServerError
	switch {
	case errors.As(err, &se):
		c.note("%s: error %d (%s)", what, se.Number, se.State)
	case err != nil:
		c.t.Fatalf("%s: %s: %v", c.name, what, err)
	case len(res.Columns) == 0:
		c.note("%s: affected %d, insert id %d, status %x, warnings %d, info %q", what, res.OK.Affected, res.OK.InsertID, res.OK.Status, res.OK.Warnings, res.OK.Info)
	default:
		var names []string
		for _, col := range res.Columns {
			names = append(names, fmt.Sprintf("%s:%d:%x", col.Name, col.Type, col.Flags&wire.FlagUnsigned))
		}
		c.note("%s: %s %s, status %x", what, strings.Join(names, ","), rows(c.t, res, f), res.OK.Status&^(wire.StatusNoIndexUsed|wire.StatusNoGoodIndexUsed))
	}
	return res
}

func rows(t *testing.T, res wiretest.Result, f wire.Format) string {
	t.Helper()
	var out []string
	fields := make([]wire.Field, len(res.Columns))
	for _, row := range res.Rows {
		err := wire.ScanTextRow(row, fields)
		if f == wire.Binary {
			err = wire.ScanBinaryRow(row, res.Columns, fields)
		}
		if err != nil {
			t.Fatal(err)
		}
		var values []string
		for i, fd := range fields {
			switch v := fd.Of(row); {
			case fd.Null():
				values = append(values, "NULL")
			case f == wire.Binary && res.Columns[i].Charset == wire.CollationBinary:
				values = append(values, fmt.Sprintf("%x", v))
			default:
				values = append(values, fmt.Sprintf("%q", v))
			}
		}
		out = append(out, "("+strings.Join(values, " ")+")")
	}
	return strings.Join(out, "")
}

// prepare prepares a statement and gives its id.
func (c *client) prepare(sql string) uint32 {
	c.t.Helper()
	c.fatal(c.Command(wire.ComStmtPrepare, []byte(sql)...))
	payload, err := c.Recv()
	c.fatal(err)
	var head wire.StmtPrepareOK
	if payload[0] == wire.ErrHeader {
		se := &wire.ServerError{}
		c.fatal(se.Decode(payload))
		c.note("prepare %s: error %d (%s)", sql, se.Number, se.State)
		return 0
	}
	c.fatal(head.Decode(payload))
	c.note("prepare %s: %d parameters, %d columns", sql, head.Params, head.Columns)
	for _, n := range []uint16{head.Params, head.Columns} {
		packets := int(n)
		if n > 0 && !c.Client.Capabilities().Has(wire.ClientDeprecateEOF) {
			packets++
		}
		for range packets {
			_, err := c.Recv()
			c.fatal(err)
		}
	}
	return head.ID
}

// execute runs a prepared statement and notes its answer.
func (c *client) execute(id uint32, what string, cursor wire.Cursor, params ...wire.Param) {
	c.t.Helper()
	m := wire.StmtExecute{ID: id, Cursor: cursor, Iterations: 1, NewTypes: true, Params: params}
	c.In.Seq = 0
	c.fatal(c.Send(m.Append(nil)))
	c.result(what, wire.Binary)
}

func (c *client) command(payload []byte) {
	c.t.Helper()
	c.In.Seq = 0
	c.fatal(c.Send(payload))
}

func str(s string) wire.Param { return wire.Param{Type: wire.TypeVarString, Value: []byte(s)} }

func long() wire.Param { return wire.Param{Type: wire.TypeVarString, Long: true} }

// integer is a parameter of type t with the lowest bytes of v.
func integer(t wire.Type, unsigned bool, v uint64) wire.Param {
	size := map[wire.Type]int{wire.TypeTiny: 1, wire.TypeShort: 2, wire.TypeLong: 4, wire.TypeLongLong: 8}[t]
	value := make([]byte, 8)
	for i := range value {
		value[i] = byte(v >> (8 * i))
	}
	return wire.Param{Type: t, Unsigned: unsigned, Value: value[:size]}
}

var null = wire.Param{Type: wire.TypeNull, Null: true}
