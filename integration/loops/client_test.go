package loops

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

const foundRows = "SELECT FOUND_ROWS()"

// rounds is how often a script runs: cached plans are used from the second time on.
const rounds = 3

const usual = wire.ClientLongPassword | wire.ClientMultiResults | wire.ClientPSMultiResults | wire.ClientDeprecateEOF

// ballast is what most tests use.
func ballast(t *testing.T) *cluster.Ballast {
	t.Helper()
	return pool.Ballast(t, cluster.Shape{Nodes: 2, Plain: true}, cluster.Size{Router: "loops: 2\n"})
}

// side is one of the two servers that must agree.
type side struct {
	name, addr string
	t          *testing.T
}

// both runs a script against the plain server and against Ballast, several times; all must give the same lines.
func both(t *testing.T, script func(s side) []string) {
	t.Helper()
	b := ballast(t)
	want := script(side{"plain", b.Servers.Plain.Addr(), t})
	for round := range rounds {
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
				t.Errorf("round %d, line %d:\n  plain   %s\n  ballast %s", round+1, i+1, w, g)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// split is what CREATE TABLE has at its end on Ballast only.
func (s side) split(by string) string {
	if s.name == "plain" {
		return ""
	}
	return " BALANCE BY " + by
}

// lines is what the clients of one run note together.
type lines struct{ all []string }

// client is a peer that notes what it was answered.
type client struct {
	side
	*wiretest.Peer
	who   string
	notes *lines
}

// login gives a client, whose notes begin with who.
func (s side) login(notes *lines, who, db string) *client {
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
	err = p.Login(auth.ClientConfig{User: "root", DB: db, Capabilities: usual, Collation: uint8(wire.CollationUTF8MB4), AskKey: true}, nil)
	if err != nil {
		s.t.Fatalf("%s: log in: %v", s.name, err)
	}
	return &client{side: s, Peer: p, who: who, notes: notes}
}

// fresh makes an empty schema with tables and gives clients that use it.
func (s side) fresh(schema string, tables []string, names ...string) (*lines, []*client) {
	s.t.Helper()
	notes := &lines{}
	admin := s.login(notes, "", "")
	admin.must("DROP DATABASE IF EXISTS "+schema, "CREATE DATABASE "+schema, "USE "+schema)
	admin.must(tables...)
	var out []*client
	for _, name := range names {
		out = append(out, s.login(notes, name, schema))
	}
	return notes, out
}

func (c *client) id() uint32 { return c.Client.Greeting().ConnectionID }

func (c *client) note(format string, args ...any) {
	c.notes.all = append(c.notes.all, c.who+": "+fmt.Sprintf(format, args...))
}

// fatal ends the test for faults that are no answers.
func (c *client) fatal(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("%s: %v", c.name, err)
	}
}

// must runs statements whose answers don't count; only their success does.
func (c *client) must(statements ...string) {
	c.t.Helper()
	for _, sql := range statements {
		c.fatal(c.Query(sql))
		if _, err := c.RecvResult(); err != nil {
			c.t.Fatalf("%s: %s: %v", c.name, sql, err)
		}
	}
}

// do runs statements and notes their answers.
func (c *client) do(statements ...string) {
	c.t.Helper()
	for _, sql := range statements {
		c.fatal(c.Query(sql))
		c.answer(sql, wire.Text)
	}
}

// answer notes one answer.
func (c *client) answer(what string, f wire.Format) wiretest.Result {
	c.t.Helper()
	res, err := c.RecvResult()
	var se *wire.ServerError
	switch {
	case errors.As(err, &se):
		c.note("%s: error %d (%s)", what, se.Number, se.State)
	case err != nil:
		c.note("%s: the connection is closed", what)
	case len(res.Columns) == 0:
		const readOnly = wire.StatusInTransReadonly // only a node knows it
		c.note("%s: affected %d, status %x, warnings %d, info %q", what, res.OK.Affected, res.OK.Status&^readOnly, res.OK.Warnings, res.OK.Info)
	case what == foundRows:
		c.note("%s: %s", what, rows(c.t, res, f)) // MySQL warns that it is deprecated
	default:
		var names []string
		for _, col := range res.Columns {
			names = append(names, fmt.Sprintf("%s:%d", col.Name, col.Type))
		}
		const plans = wire.StatusNoIndexUsed | wire.StatusNoGoodIndexUsed
		c.note("%s: %s %s, status %x, warnings %d", what, strings.Join(names, ","), rows(c.t, res, f), res.OK.Status&^plans, res.OK.Warnings)
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
	if payload[0] == wire.ErrHeader {
		se := &wire.ServerError{}
		c.fatal(se.Decode(payload))
		c.note("prepare %s: error %d (%s)", sql, se.Number, se.State)
		return 0
	}
	var head wire.StmtPrepareOK
	c.fatal(head.Decode(payload))
	for range int(head.Params) + int(head.Columns) {
		_, err := c.Recv()
		c.fatal(err)
	}
	return head.ID
}

// execute runs a prepared statement and notes its answer.
func (c *client) execute(id uint32, what string, params ...wire.Param) {
	c.t.Helper()
	m := wire.StmtExecute{ID: id, Iterations: 1, NewTypes: true, Params: params}
	c.In.Seq = 0
	c.fatal(c.Send(m.Append(nil)))
	c.answer(what, wire.Binary)
}
