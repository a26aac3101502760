package sqlfront_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"ballast/sqlfront"
	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
	"ballast/sqlfront/wiretest"
)

const usual = wire.ClientLongPassword | wire.ClientMultiStatements | wire.ClientMultiResults | wire.ClientPSMultiResults | wire.ClientDeprecateEOF

// peer logs in; nil attributes and caps 0 mean the usual.
func peer(t testing.TB, r *running, user, password string, caps wire.Capability) *wiretest.Peer {
	t.Helper()
	p, err := wiretest.Dial(r.addr)
	if err != nil {
		t.Fatal(err)
	}
	closing(t, p)
	if err := p.Login(auth.ClientConfig{User: user, Password: password, Capabilities: caps, AskKey: true}, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

// closing closes c when the test ends; it may be closed before.
func closing(t testing.TB, c io.Closer) {
	t.Cleanup(func() {
		if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("close: %v", err)
		}
	})
}

func text(t testing.TB, p *wiretest.Peer, sql string) []string {
	t.Helper()
	if err := p.Query(sql); err != nil {
		t.Fatal(err)
	}
	return values(t, p, wire.Text)
}

func values(t testing.TB, p *wiretest.Peer, f wire.Format) []string {
	t.Helper()
	res, err := p.RecvResult()
	if err != nil {
		t.Fatal(err)
	}
	return rowsOf(t, res, f)
}

func rowsOf(t testing.TB, res wiretest.Result, f wire.Format) []string {
	t.Helper()
	var out []string
	fields := make([]wire.Field, max(len(res.Columns), 1))
	columns := []wire.Column{{Type: wire.TypeVarString}}
	for _, row := range res.Rows {
		err := wire.ScanTextRow(row, fields)
		if f == wire.Binary {
			err = wire.ScanBinaryRow(row, columns, fields)
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(fields[0].Of(row)))
	}
	return out
}

func same(t testing.TB, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// refused asks for an error's number and SQLSTATE.
func refused(t testing.TB, err error, number uint16, state string) {
	t.Helper()
	var se *wire.ServerError
	if !errors.As(err, &se) || se.Number != number || se.State != state {
		t.Errorf("error %v, want %d (%s)", err, number, state)
	}
}

func TestCommands(t *testing.T) {
	r := start(t, nil)
	for _, caps := range []wire.Capability{usual, usual &^ wire.ClientDeprecateEOF} {
		t.Run(fmt.Sprintf("deprecate eof %v", caps.Has(wire.ClientDeprecateEOF)), func(t *testing.T) {
			p := peer(t, r, "app", "secret", caps)
			same(t, text(t, p, "user"), "app/")
			same(t, text(t, p, "rows 3"), "0", "1", "2")
			for _, cmd := range []wire.Command{wire.ComPing, wire.ComResetConnection} {
				if err := p.Command(cmd); err != nil {
					t.Fatal(err)
				}
				if _, err := p.RecvOK(); err != nil {
					t.Fatal(cmd, err)
				}
			}
			if err := p.Command(wire.ComInitDB, []byte("shop")...); err != nil {
				t.Fatal(err)
			}
			if _, err := p.RecvOK(); err != nil {
				t.Fatal(err)
			}
			same(t, text(t, p, "user"), "app/shop")
			if err := p.Command(wire.ComInitDB, []byte("nowhere")...); err != nil {
				t.Fatal(err)
			}
			_, err := p.RecvOK()
			refused(t, err, 1049, "42000")
			if err := p.Command(wire.ComStatistics); err != nil {
				t.Fatal(err)
			}
			if line, err := p.Recv(); err != nil || string(line) != "Uptime: 1" {
				t.Fatalf("statistics %q %v", line, err)
			}
			if err := p.Command(wire.ComProcessInfo); err != nil {
				t.Fatal(err)
			}
			same(t, values(t, p, wire.Text), "1")
			p.In.Seq = 0
			if err := p.Send((&wire.FieldList{Table: "t"}).Append(nil)); err != nil {
				t.Fatal(err)
			}
			var fields wiretest.Result
			if err := p.RecvRows(&fields); err != nil || len(fields.Rows) != 2 {
				t.Fatalf("field list: %d columns, %v", len(fields.Rows), err)
			}
			for _, cmd := range []wire.Command{wire.ComDebug, wire.ComBinlogDump, wire.ComRegisterSlave, wire.ComSleep, wire.ComShutdown, 0x7f} {
				if err := p.Command(cmd); err != nil {
					t.Fatal(err)
				}
				se, err := p.RecvErr()
				if err != nil {
					t.Fatal(err)
				}
				refused(t, se, 1047, "08S01")
			}
			same(t, text(t, p, "user"), "app/shop")
		})
	}
}

func TestAnswers(t *testing.T) {
	r := start(t, nil)
	p := peer(t, r, "root", "", usual)
	for _, tc := range []struct {
		sql    string
		number uint16
		state  string
	}{
		{"error 1146", 1146, "42S02"}, {"plain", 1105, "HY000"}, {"nothing", 1105, "HY000"}, {"half", 1158, "08S01"}, {"what", 1064, "42000"},
	} {
		if err := p.Query(tc.sql); err != nil {
			t.Fatal(err)
		}
		_, err := p.RecvResult()
		refused(t, err, tc.number, tc.state)
	}
	if err := p.Query("affected 3"); err != nil {
		t.Fatal(err)
	}
	ok, err := p.RecvOK()
	if err != nil || ok.Affected != 3 || ok.InsertID != 7 || ok.Info != "Rows matched: 1" {
		t.Fatalf("ok %+v %v", ok, err)
	}
	// 400 rows and more make the sequence number run over; a relayed answer in second place begins at a number that is not its own.
	if err := p.Query("rows 700; relay 900; affected 1; relay 2"); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{700, 900, 0, 2} {
		res, err := p.RecvResult()
		if err != nil {
			t.Fatal(i, err)
		}
		if len(res.Rows) != want {
			t.Errorf("result %d: %d rows, want %d", i, len(res.Rows), want)
		}
	}
	if err := p.Query("fatal"); err != nil {
		t.Fatal(err)
	}
	_, err = p.RecvResult()
	refused(t, err, 1317, "70100")
	if err := p.RecvEnd(); err != nil {
		t.Fatal(err)
	}
}

func TestErrorAfterTheAnswer(t *testing.T) {
	r := start(t, nil)
	for _, caps := range []wire.Capability{usual, usual &^ wire.ClientDeprecateEOF} {
		p := peer(t, r, "root", "", caps)
		same(t, text(t, p, "late"), "0", "1")
		if payload, err := p.Recv(); err == nil {
			t.Errorf("after the answer came %q", payload)
		}
		p = peer(t, r, "root", "", caps)
		same(t, text(t, p, "relay 3; what"), "0", "1", "2")
		_, err := p.RecvResult()
		refused(t, err, 1064, "42000")
		same(t, text(t, p, "user"), "root/")
	}
}

func TestPanicEndsOneConnection(t *testing.T) {
	r := start(t, nil)
	p, other := peer(t, r, "root", "", usual), peer(t, r, "root", "", usual)
	if err := p.Query("panic"); err != nil {
		t.Fatal(err)
	}
	_, err := p.RecvResult()
	refused(t, err, 1105, "HY000")
	if err := p.RecvEnd(); err != nil {
		t.Fatal(err)
	}
	same(t, text(t, other, "user"), "root/")
}

func TestLargePackets(t *testing.T) {
	r := start(t, nil)
	p := peer(t, r, "root", "", usual)
	for _, n := range []int{10 << 20, wire.MaxPayload - 1, wire.MaxPayload, 40 << 20} {
		sql := "len " + strings.Repeat("x", n-5) // with the command byte: a payload of n bytes
		same(t, text(t, p, sql), fmt.Sprint(n-1))
	}
	for _, n := range []int{20_000, wire.MaxPayload - 4, wire.MaxPayload, 35 << 20} {
		got := text(t, p, fmt.Sprintf("big %d", n))
		if len(got) != 1 || len(got[0]) != n || strings.Trim(got[0], "x") != "" {
			t.Fatalf("big %d: wrong value", n)
		}
	}
	if err := p.Query("len " + strings.Repeat("x", 64<<20)); err != nil {
		t.Fatal(err)
	}
	se, err := p.RecvErr()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, se, 1153, "08S01")
	if err := p.RecvEnd(); err != nil {
		t.Fatal(err)
	}
}

func TestBadBytes(t *testing.T) {
	r := start(t, nil)
	for _, tc := range []struct {
		name   string
		send   []byte
		number uint16
		state  string
	}{
		{"sequence", []byte{1, 0, 0, 3, 0x0e}, 1156, "08S01"},
		{"execute", []byte{2, 0, 0, 0, 0x17, 1}, 1835, "HY000"},
		{"fetch", []byte{2, 0, 0, 0, 0x1c, 1}, 1835, "HY000"},
		{"option", []byte{1, 0, 0, 0, 0x1b}, 1835, "HY000"},
		{"kill", []byte{3, 0, 0, 0, 0x0c, 1, 2}, 1835, "HY000"},
		{"change user", []byte{3, 0, 0, 0, 0x11, 'a', 'b'}, 1835, "HY000"},
		{"announced too large", []byte{0xff, 0xff, 0xff, 0, 3}, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := peer(t, r, "root", "", usual)
			if err := p.SendRaw(tc.send); err != nil {
				t.Fatal(err)
			}
			if tc.number == 0 { // waits for the rest, which never comes
				return
			}
			p.In.Seq = tc.send[3] + 1
			if tc.name == "sequence" {
				p.In.Seq = 1
			}
			se, err := p.RecvErr()
			if err != nil {
				t.Fatal(err)
			}
			refused(t, se, tc.number, tc.state)
			if err := p.RecvEnd(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestBadHandshakes(t *testing.T) {
	r := start(t, nil)
	response := func(caps wire.Capability) []byte {
		m := wire.HandshakeResponse{Capabilities: caps | wire.ClientProtocol41 | wire.ClientSecureConnection, User: "root"}
		out, _ := wire.AppendPacket(nil, 1, m.Append(nil))
		return out
	}
	for _, tc := range []struct {
		name   string
		send   []byte
		number uint16
	}{
		{"nonsense", []byte("\x05\x00\x00\x01hello"), 1043},
		{"old protocol", []byte{6, 0, 0, 1, 5, 0, 0, 0, 0, 'u'}, 1043},
		{"sequence", []byte{1, 0, 0, 9, 0}, 1043},
		{"too large", []byte{0xff, 0xff, 0x7f, 1}, 1043},
		{"compression", response(wire.ClientCompress), 1043},
		{"zstd", response(wire.ClientZstdCompression), 1043},
		{"tls where there is none", append([]byte{32, 0, 0, 1, 0, 0xa8}, make([]byte, 30)...), 1043},
		{"proxy 1", []byte("PROXY TCP4 192.0.2.1 192.0.2.2 4000 3306\r\n"), 1130},
		{"proxy 2", []byte("\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c123456789012"), 1130},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := wiretest.Dial(r.addr)
			if err != nil {
				t.Fatal(err)
			}
			closing(t, p)
			if _, err := p.Recv(); err != nil {
				t.Fatal(err)
			}
			if err := p.SendRaw(tc.send); err != nil {
				t.Fatal(err)
			}
			header := make([]byte, 4)
			if n, err := p.Conn.Read(header); n != 4 {
				t.Fatalf("answer: %d bytes, %v", n, err)
			}
			_, seq := wire.Header(header)
			p.In.Filled(copy(p.In.Space(4), header))
			p.In.Seq = seq
			se, err := p.RecvErr()
			if err != nil {
				t.Fatal(err)
			}
			if se.Number != tc.number {
				t.Errorf("error %v, want %d", se, tc.number)
			}
			if err := p.RecvEnd(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestLogins(t *testing.T) {
	tlsConfig, err := sqlfront.DevelopmentTLS(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, func(c *sqlfront.Config) { c.TLS = tlsConfig })
	for _, tc := range []struct {
		user, password, db string
		tls                bool
		number             uint16
		message            string
	}{
		{user: "root"},
		{user: "app", password: "secret"},
		{user: "new", password: "secret"},
		{user: "old", password: "secret"}, // by RSA
		{user: "app", password: "secret", tls: true},
		{user: "old", password: "secret", tls: true, db: "shop"},
		{user: "app", password: "wrong", number: 1045, message: "Access denied for user 'app'@'localhost' (using password: YES)"},
		{user: "app", number: 1045, message: "Access denied for user 'app'@'localhost' (using password: NO)"},
		{user: "old", password: "wrong", number: 1045, message: "Access denied for user 'old'@'localhost' (using password: YES)"},
		{user: "old", password: "wrong", tls: true, number: 1045, message: "Access denied for user 'old'@'localhost' (using password: YES)"},
		{user: "nobody", password: "secret", number: 1045, message: "Access denied for user 'nobody'@'localhost' (using password: YES)"},
		{user: "root", db: "nowhere", number: 1049, message: "Unknown database 'nowhere'"},
	} {
		t.Run(fmt.Sprintf("%s %q %s tls %v", tc.user, tc.password, tc.db, tc.tls), func(t *testing.T) {
			p, err := wiretest.Dial(r.addr)
			if err != nil {
				t.Fatal(err)
			}
			closing(t, p)
			var use *tls.Config
			if tc.tls {
				use = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // the certificate is made for this test
			}
			err = p.Login(auth.ClientConfig{User: tc.user, Password: tc.password, DB: tc.db, Capabilities: usual, AskKey: true}, use)
			if tc.number == 0 {
				if err != nil {
					t.Fatal(err)
				}
				same(t, text(t, p, "user"), tc.user+"/"+tc.db)
				return
			}
			var se *wire.ServerError
			if !errors.As(err, &se) || se.Number != tc.number || se.Message != tc.message {
				t.Fatalf("error %v, want %d %s", err, tc.number, tc.message)
			}
			if err := p.RecvEnd(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
