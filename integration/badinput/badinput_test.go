package badinput

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"ballast/integration/cluster"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

func ballast(t *testing.T) (*cluster.Ballast, *sql.DB) {
	t.Helper()
	b := pool.Ballast(t, cluster.Shape{Nodes: 4, Metadata: true}, cluster.Size{})
	db, err := b.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, s := range []string{"DROP DATABASE IF EXISTS bad", "CREATE DATABASE bad CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"} {
		must(t, db, s)
	}
	return b, db
}

func must(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// refused runs a statement that must fail, and checks number, and words that the message must have.
func refused(t *testing.T, db *sql.DB, statement string, number uint16, words ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := db.ExecContext(ctx, statement)
	statement = statement[:min(len(statement), 200)]
	var se *mysql.MySQLError
	if !errors.As(err, &se) {
		t.Errorf("%s: not a server's error: %v", statement, err)
		return
	}
	if number != 0 && se.Number != number {
		t.Errorf("%s: error %d, should be %d: %s", statement, se.Number, number, se.Message)
	}
	for _, w := range words {
		if !strings.Contains(strings.ToLower(se.Message), strings.ToLower(w)) {
			t.Errorf("%s: the message should have %q: %s", statement, w, se.Message)
		}
	}
}

func count(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestRulesThatCannotBe(t *testing.T) {
	_, db := ballast(t)
	for _, c := range []struct {
		clause string
		words  []string
	}{
		{"BALANCE BY (id) MOD 4 ON (n0, n1, n2, n9)", []string{"n9"}},
		{"BALANCE BY (id) MOD 4 ON (n0, n0, n1, n2)", []string{"n0"}},
		{"BALANCE BY (id) RANGE (0, 100, 50, 200) ON (n0, n1, n2)", []string{"bound number 3"}},
		{"BALANCE BY (id) RANGE (0, 100, 100, 200) ON (n0, n1, n2)", []string{"bound number 3"}},
		{"BALANCE BY (id) RANGE (0, 100, 200, 300) ON (n0, n1)", []string{"node"}},
		{"BALANCE BY (id) RANGE ('a', 'b') ON (n0)", []string{"a"}},
		{"BALANCE BY (id) MOD 0", nil},
		{"BALANCE BY (nope) MOD 4", []string{"nope"}},
		{"BALANCE BY (f) MOD 4", []string{"f"}},
		{"BALANCE BY (id) LIST ((1, 2), (2, 3))", []string{"2"}},
		{"BALANCE BY (id) HASH", nil},
		{"BALANCE BY (id) MOD 4 EXCEPT ([10, 5) ON n1)", nil},
		{"BALANCE BY (other) MOD 4", []string{"PRIMARY"}},
		{"BALANCE BY (id) MOD", nil},
		{"SINGLE ON (n9)", []string{"n9"}},
	} {
		refused(t, db, "CREATE TABLE bad.x (id BIGINT NOT NULL PRIMARY KEY, other INT, f DOUBLE, s VARCHAR(10)) "+c.clause, 0, c.words...)
	}
	if n := count(t, db, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'bad'"); n != 0 {
		t.Errorf("%d tables were left behind", n)
	}
	refused(t, db, "CREATE TABLE bad.x (k VARCHAR(10) COLLATE utf8mb4_swedish_ci NOT NULL PRIMARY KEY) BALANCE BY (k) HASH MOD 64", 0, "utf8mb4_swedish_ci")
}

func TestKeysWithoutAPlace(t *testing.T) {
	b, db := ballast(t)
	must(t, db, "CREATE TABLE bad.r (id BIGINT NOT NULL PRIMARY KEY, v INT) BALANCE BY (id) RANGE (0, 100, 200, 300, 400)")
	must(t, db, "CREATE TABLE bad.l (k INT NULL, v INT) BALANCE BY (k) LIST ((1), (2), (3), (4))")
	refused(t, db, "INSERT INTO bad.r VALUES (-1, 0)", 1526, "id")
	refused(t, db, "INSERT INTO bad.r VALUES (1, 1), (400, 0), (150, 2)", 1526, "id")
	refused(t, db, "INSERT INTO bad.l VALUES (NULL, 0)", 1526, "of k")
	refused(t, db, "INSERT INTO bad.l VALUES (1, 0), (5, 0)", 1526, "of k")
	refused(t, db, "INSERT INTO bad.r (v) VALUES (1)", 1364, "id")
	refused(t, db, "INSERT INTO bad.r VALUES (NULL, 1)", 1048, "id")
	refused(t, db, "INSERT INTO bad.r VALUES ('abc', 1)", 1366)
	refused(t, db, "INSERT INTO bad.r VALUES (99999999999999999999, 1)", 1264)
	refused(t, db, "UPDATE bad.r SET id = 150 WHERE id = 1", 1235)
	for table := range map[string]bool{"r": true, "l": true} {
		if n := count(t, db, "SELECT COUNT(*) FROM bad."+table); n != 0 {
			t.Errorf("%d rows were left in %s", n, table)
		}
		for _, node := range b.Servers.Nodes {
			if n := count(t, node.DB, "SELECT COUNT(*) FROM bad."+table); n != 0 {
				t.Errorf("%d rows were left in %s of %s", n, table, node.Name())
			}
		}
	}
	// Outside all places there are no rows, which is no error.
	if n := count(t, db, "SELECT COUNT(*) FROM bad.r WHERE id = 1000"); n != 0 {
		t.Errorf("%d rows outside all bounds", n)
	}
}

func TestWrongPasswords(t *testing.T) {
	b, _ := ballast(t)
	for _, user := range []string{"root", "nobody"} {
		cfg := b.DriverConfig(0)
		cfg.User, cfg.Passwd = user, "wrong"
		c, err := mysql.NewConnector(cfg)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(c)
		refused(t, db, "SELECT 1", 1045, user)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Bytes that are no handshake, cut-off packets, wrong lengths: an answer or a closed connection, soon, and the router goes on.
func TestBrokenPackets(t *testing.T) {
	b, db := ballast(t)
	for _, junk := range [][]byte{
		{}, {0}, []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), {0xff, 0xff, 0xff, 0x01}, {0, 0, 0, 1}, {5, 0, 0, 1, 1, 2, 3, 4, 5},
		{4, 0, 0, 9, 1, 2, 3, 4}, append([]byte{32, 0, 0, 1, 0x85, 0xa6, 0xff, 0x01}, make([]byte, 28)...),
		[]byte("PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n"),
	} {
		conn, err := net.Dial("tcp", b.Routers[0].Addr)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(junk); err != nil {
			t.Fatal(err)
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			if err := tcp.CloseWrite(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("% x: the connection hangs", junk)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := count(t, db, "SELECT 1"); n != 1 || !b.Routers[0].Alive() {
		t.Error("the router does not answer any more")
	}
}

func TestHugeStatements(t *testing.T) {
	b, db := ballast(t)
	must(t, db, "CREATE TABLE bad.big (id BIGINT NOT NULL PRIMARY KEY, s LONGTEXT) BALANCE BY (id) MOD 4")
	text := strings.Repeat("x", 10<<20)
	must(t, db, "INSERT INTO bad.big VALUES (1, '"+text+"')")
	if n := count(t, db, "SELECT LENGTH(s) FROM bad.big WHERE id = 1"); n != len(text) {
		t.Errorf("%d bytes are stored", n)
	}
	if n := count(t, db, "SELECT COUNT(*) FROM bad.big WHERE s = '"+text+"'"); n != 1 {
		t.Errorf("%d rows by the long value", n)
	}
	var rows strings.Builder
	for i := range 60000 {
		fmt.Fprintf(&rows, ",(%d,'%s')", i+10, strings.Repeat("y", 150))
	}
	must(t, db, "INSERT INTO bad.big VALUES "+rows.String()[1:])
	if n := count(t, db, "SELECT COUNT(*) FROM bad.big"); n != 60001 {
		t.Errorf("%d rows", n)
	}
	refused(t, db, "SELECT "+strings.Repeat("(", 20000)+"1"+strings.Repeat(")", 20000), 0)
	cfg := b.DriverConfig(0)
	cfg.MaxAllowedPacket = 128 << 20 // the client's own limit must not be what stops it
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	wide := sql.OpenDB(c)
	refused(t, wide, "SELECT '"+strings.Repeat("z", 70<<20)+"'", 1153)
	if err := wide.Close(); err != nil {
		t.Error(err)
	}
	if n := count(t, db, "SELECT 1"); n != 1 {
		t.Error("the router does not answer any more")
	}
}

// Five thousand idle clients are more than the limit lets in: those within it stay and work, the others read error 1040.
func TestManyIdleClients(t *testing.T) {
	b, db := ballast(t)
	const clients = 5000
	var open []net.Conn
	defer func() {
		for _, c := range open {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	for i := range clients {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i%8))}, Timeout: 10 * time.Second}
		c, err := d.DialContext(t.Context(), "tcp", b.Routers[0].Addr)
		if err != nil {
			t.Fatalf("client %d: %v", i, err)
		}
		open = append(open, c)
	}
	start := time.Now()
	for i := range 20 {
		if n := count(t, db, fmt.Sprintf("SELECT %d", i)); n != i {
			t.Errorf("answer %d", n)
		}
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("twenty queries took %v beside the idle clients", d)
	}
}
