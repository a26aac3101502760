package loops

import (
	"context"
	"testing"
	"time"

	"ballast/integration/cluster"
	"ballast/sqlfront/wire"
)

// nodeOf finds the node that has the rows of g = 1.
func nodeOf(t *testing.T, b *cluster.Ballast, schema string) *cluster.Node {
	t.Helper()
	for _, n := range b.Servers.Nodes {
		var rows int
		if err := n.DB.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+schema+".t WHERE g = 1").Scan(&rows); err != nil {
			t.Fatal(err)
		}
		if rows > 0 {
			return n
		}
	}
	t.Fatal("no node has the rows")
	return nil
}

// failure runs a statement that must fail, and gives the error's number.
func (c *client) failure(sql string) uint16 {
	c.t.Helper()
	c.fatal(c.Query(sql))
	se, err := c.RecvErr()
	c.fatal(err)
	return se.Number
}

// A node that goes away inside a transaction: the client hears that it is rolled back, or, where nobody can know, that nobody does. Nothing
// is half done, and no statement is carried out twice.
func TestNodeGoesAwayInTransactions(t *testing.T) {
	b := ballast(t)
	s := side{"ballast", b.Routers[0].Addr, t}
	notes, c := s.fresh("laway", s.accounts(), "a", "b")
	a := c[0]
	node := nodeOf(t, b, "laway")
	t.Cleanup(func() {
		if err := b.Heal(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	up, see := "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1", "SELECT v FROM t WHERE g = 1 AND id = 1"
	value := func() string {
		t.Helper()
		v := ""
		within(t, 20*time.Millisecond, "the node answers again", func() bool {
			a.fatal(a.Query(see))
			res, err := a.RecvResult()
			if err == nil {
				v = rows(t, res, wire.Text)
			}
			return err == nil
		})
		return v
	}
	a.must("BEGIN", up, see, "ROLLBACK", "BEGIN", up, see, "COMMIT") // plans are known
	if v := value(); v != `("11")` {
		t.Fatal(v)
	}
	lose, back := func() { node.Link.Set(cluster.Cut) }, func() { node.Link.Set(cluster.Open) }
	a.must("BEGIN", up)
	lose()
	switch n := a.failure("COMMIT"); n {
	case 1213: // the loss was known before
	case 1105: // COMMIT was on its way by then: nobody can know
		a.fatal(a.RecvEnd())
		a = s.login(notes, "a", "laway")
	default:
		t.Errorf("COMMIT over a node that was lost before: error %d", n)
	}
	a.must("SELECT v FROM t WHERE g = 2 AND id = 1")
	back()
	if v := value(); v != `("11")` {
		t.Errorf("after a lost transaction the row has %s", v)
	}
	for _, next := range []string{see, up} {
		a.must("BEGIN", up)
		lose()
		if n := a.failure(next); n != 1213 && n != 1158 {
			t.Errorf("%s over a node that was lost: error %d", next, n)
		}
		a.must("ROLLBACK", "SELECT v FROM t WHERE g = 2 AND id = 1")
		back()
		if v := value(); v != `("11")` {
			t.Errorf("after a lost transaction the row has %s", v)
		}
	}
	// Only reads: nothing is lost by COMMIT, and ROLLBACK always works.
	for _, end := range []string{"COMMIT", "ROLLBACK"} {
		a.must("BEGIN", see)
		lose()
		a.must(end)
		back()
		value()
	}
	// The answer to COMMIT never comes.
	a.must("BEGIN", up)
	node.Link.Set(cluster.Silent)
	if n := a.failure("COMMIT"); n != 1105 {
		t.Errorf("COMMIT without an answer: error %d", n)
	}
	a.fatal(a.RecvEnd())
	node.Link.Set(cluster.Open)
	a = c[1]
	if v := value(); v != `("11")` && v != `("12")` {
		t.Errorf("the row has %s", v)
	}
	a.must("BEGIN", up, "COMMIT")
}
