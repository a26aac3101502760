package protocol

import (
	"fmt"
	"testing"

	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
	"ballast/sqlfront/wiretest"
)

// fresh makes an empty schema and gives a client that uses it.
func (s side) fresh(schema string, caps wire.Capability, tables ...string) *client {
	s.t.Helper()
	admin := s.login("root", "", "", caps)
	admin.quietly("DROP DATABASE IF EXISTS "+schema, "CREATE DATABASE "+schema)
	c := s.login("root", "", schema, caps)
	c.quietly(tables...)
	return c
}

func TestFoundRowsFollowsTheClient(t *testing.T) {
	both(t, func(s side) []string {
		c := s.fresh("pfound", usual, "CREATE TABLE t (id BIGINT PRIMARY KEY, v INT)")
		found := s.login("root", "", "pfound", usual|wire.ClientFoundRows)
		c.query("INSERT INTO t (id, v) VALUES (1, 5), (2, 5)")
		for range 3 { // connections to the nodes are used in turn
			for _, one := range []*client{c, found} {
				one.query("UPDATE t SET v = 5")
				one.query("UPDATE t SET v = 5 WHERE id = 1")
				one.query("INSERT INTO t (id, v) VALUES (1, 5) ON DUPLICATE KEY UPDATE v = 5")
				one.affected("INSERT INTO t (id, v) VALUES (1, 5), (2, 5) ON DUPLICATE KEY UPDATE v = 5")
			}
		}
		return append(c.lines, found.lines...)
	})
}

func TestLongData(t *testing.T) {
	both(t, func(s side) []string {
		c := s.fresh("plong", usual|wire.ClientDeprecateEOF, "CREATE TABLE t (id BIGINT PRIMARY KEY, v INT, s VARCHAR(100))")
		id := c.prepare("INSERT INTO t (s, id, v) VALUES (?, ?, ?)")
		send := func(param uint16, data string) {
			c.command((&wire.StmtLongData{ID: id, Param: param, Data: []byte(data)}).Append(nil))
		}
		n := func(v uint64) wire.Param { return integer(wire.TypeLongLong, false, v) }
		send(0, "ab")
		send(0, "cd")
		c.execute(id, "two pieces", 0, long(), n(1), n(2))
		c.execute(id, "inline", 0, str("z"), n(2), n(2))
		send(0, "")
		c.execute(id, "empty", 0, long(), n(3), null)
		send(0, "lost")
		c.command((&wire.StmtID{ID: id}).Append(nil, wire.ComStmtReset))
		c.result("reset", wire.Text)
		c.execute(id, "after reset", 0, str("y"), n(4), n(1))
		c.query("SELECT id, v, s FROM t ORDER BY id")
		return c.lines
	})
}

func TestUnsignedParameters(t *testing.T) {
	both(t, func(s side) []string {
		c := s.fresh("punsigned", usual, "CREATE TABLE ku (id BIGINT UNSIGNED PRIMARY KEY, v INT)")
		insert, find := c.prepare("INSERT INTO ku (id, v) VALUES (?, ?)"), c.prepare("SELECT id, v FROM ku WHERE id = ?")
		for i, p := range []wire.Param{
			integer(wire.TypeTiny, true, 255), integer(wire.TypeShort, true, 65535), integer(wire.TypeLong, true, 1<<32-1),
			integer(wire.TypeLongLong, true, 1<<64-1), integer(wire.TypeTiny, false, 7), integer(wire.TypeLongLong, false, 1<<40),
		} {
			c.execute(insert, fmt.Sprint("insert ", i), 0, p, integer(wire.TypeLong, false, uint64(i)))
			c.execute(find, fmt.Sprint("find ", i), 0, p)
		}
		c.execute(insert, "negative into unsigned", 0, integer(wire.TypeTiny, false, 255), null)
		c.execute(find, "find minus one", 0, integer(wire.TypeTiny, false, 255))
		c.execute(find, "find NULL", 0, null)
		c.query("SELECT id, v FROM ku ORDER BY id")
		return c.lines
	})
}

func TestResetAndChangeUserClearTheSession(t *testing.T) {
	both(t, func(s side) []string {
		c := s.fresh("preset", usual, "CREATE TABLE t (id BIGINT PRIMARY KEY)")
		c.quietly("DROP DATABASE IF EXISTS preset2", "CREATE DATABASE preset2")
		for _, way := range []string{"reset", "change"} {
			c.quietly("USE preset", "START TRANSACTION", "INSERT INTO t (id) VALUES (1)", "SET @x = 1, sql_mode = ''", "PREPARE p FROM 'SELECT 1'")
			st := c.prepare("SELECT id FROM t WHERE id = ?")
			if way == "reset" {
				c.fatal(c.Command(wire.ComResetConnection))
				c.result("reset", wire.Text)
				c.query("SELECT DATABASE()")
			} else {
				c.change("root", "", "preset2")
				c.query("SELECT DATABASE()")
			}
			c.query("SELECT COUNT(*) FROM preset.t")
			c.query("SELECT @x")
			c.query("SELECT @@sql_mode = ''")
			c.query("EXECUTE p")
			c.execute(st, "statement of before", 0, integer(wire.TypeLongLong, false, 1))
		}
		return c.lines
	})
}

// change is COM_CHANGE_USER; it notes how it ended.
func (c *client) change(user, password, db string) {
	c.t.Helper()
	m := wire.ChangeUser{User: user, DB: db, Collation: wire.CollationUTF8MB4, Plugin: auth.CachingSHA2}
	c.command(m.Append(nil, c.Client.Capabilities()))
	payload, err := c.Recv()
	c.fatal(err)
	if payload[0] == wire.AuthSwitchHeader {
		var sw wire.AuthSwitch
		c.fatal(sw.Decode(payload))
		answer := auth.CachingSHA2Response(password, sw.Data)
		if sw.Plugin == auth.NativePassword {
			answer = auth.NativeResponse(password, sw.Data)
		}
		c.fatal(c.Send(answer))
		payload, err = c.Recv()
		c.fatal(err)
	}
	if payload[0] == wire.AuthMoreHeader {
		payload, err = c.Recv()
		c.fatal(err)
	}
	c.note("change user: first byte %x", payload[0])
}

func TestCursors(t *testing.T) {
	both(t, func(s side) []string {
		c := s.fresh("pcursor", usual|wire.ClientDeprecateEOF, "CREATE TABLE t (id BIGINT PRIMARY KEY, s VARCHAR(10), d DECIMAL(10, 2), at DATETIME(3))")
		c.query("INSERT INTO t VALUES (1, 'a', 1.5, '2024-02-29 01:02:03.004'), (2, NULL, NULL, NULL), (3, 'c', -3, '2000-01-01'), (4, '', 0, NULL), (5, 'e', 5, NULL)")
		fetch := func(id, n uint32, columns []wire.Column) {
			c.command((&wire.StmtFetch{ID: id, Rows: n}).Append(nil))
			res := wiretest.Result{Columns: columns}
			if err := c.RecvRows(&res); err != nil {
				c.note("fetch: %v", err)
				return
			}
			c.note("fetch: %d rows %s, status %x", len(res.Rows), rows(s.t, res, wire.Binary), res.OK.Status&(wire.StatusCursorExists|wire.StatusLastRowSent))
		}
		id := c.prepare("SELECT id, s, d, at FROM t WHERE id > ? ORDER BY id")
		m := wire.StmtExecute{ID: id, Cursor: wire.CursorReadOnly, Iterations: 1, NewTypes: true, Params: []wire.Param{integer(wire.TypeTiny, false, 0)}}
		for range 2 {
			c.command(m.Append(nil))
			res := c.result("open", wire.Binary)
			fetch(id, 2, res.Columns)
			c.query("SELECT COUNT(*) FROM t")
			fetch(id, 2, res.Columns)
			fetch(id, 2, res.Columns)
		}
		update := c.prepare("UPDATE t SET s = ? WHERE id = ?")
		c.execute(update, "a write with a cursor", wire.CursorReadOnly, str("x"), integer(wire.TypeTiny, false, 1))
		// A statement of its own: MySQL 9.7 sends no rows when one that had a cursor is executed without.
		c.execute(c.prepare("SELECT id, s, d, at FROM t WHERE id > ? ORDER BY id"), "all without a cursor", 0, integer(wire.TypeTiny, false, 3))
		return c.lines
	})
}

func TestManyStatementsAtOnce(t *testing.T) {
	both(t, func(s side) []string {
		c := s.fresh("pmulti", usual|wire.ClientMultiStatements|wire.ClientDeprecateEOF, "CREATE TABLE t (id BIGINT PRIMARY KEY, v INT)")
		c.fatal(c.Query("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3); SELECT v FROM t WHERE id = 2; UPDATE t SET v = v + 1 WHERE id = 3; " +
			"SELECT id, v FROM t ORDER BY id; SELECT nothing FROM t; SELECT 1"))
		for _, what := range []string{"insert", "point", "update", "all", "error"} {
			c.result(what, wire.Text)
		}
		c.query("SELECT COUNT(*) FROM t")
		return c.lines
	})
}

func TestLargeStatementsAndRows(t *testing.T) {
	both(t, func(s side) []string {
		c := s.fresh("plarge", usual|wire.ClientDeprecateEOF, "CREATE TABLE t (id BIGINT PRIMARY KEY, b LONGBLOB)")
		for i, size := range []int{10 << 20, wire.MaxPayload, 20 << 20} {
			id := c.prepare("INSERT INTO t (id, b) VALUES (?, ?)")
			value := make([]byte, size)
			value[0], value[size-1] = 1, 2
			c.execute(id, "insert", 0, integer(wire.TypeLong, false, uint64(i)), wire.Param{Type: wire.TypeBlob, Value: value})
			c.fatal(c.Query(fmt.Sprintf("SELECT b FROM t WHERE id = %d", i)))
			res, err := c.RecvResult()
			c.fatal(err)
			c.note("row of %d bytes, %d rows", len(res.Rows[0]), len(res.Rows))
			c.query(fmt.Sprintf("SELECT LENGTH(b), HEX(RIGHT(b, 1)) FROM t WHERE id = %d", i))
		}
		return c.lines
	})
}
