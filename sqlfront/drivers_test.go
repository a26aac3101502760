package sqlfront_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
	driver "github.com/go-sql-driver/mysql"

	"ballast/sqlfront"
)

// TestGoSQLDriver speaks to the server with the driver that most Go programs use.
func TestGoSQLDriver(t *testing.T) {
	tlsConfig, err := sqlfront.DevelopmentTLS(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, func(c *sqlfront.Config) { c.TLS = tlsConfig })
	for _, tc := range []struct{ user, password, params, fails string }{
		{"root", "", "", ""},
		{"app", "secret", "", ""},
		{"app", "secret", "tls=skip-verify", ""},
		{"new", "secret", "", ""},
		{"old", "secret", "", ""}, // full authentication, RSA
		{"old", "secret", "tls=skip-verify", ""},
		{"app", "wrong", "", "Error 1045 (28000): Access denied for user 'app'@'localhost' (using password: YES)"},
		{"nobody", "", "", "Error 1045 (28000): Access denied for user 'nobody'@'localhost' (using password: NO)"},
	} {
		t.Run(tc.user+" "+tc.params+" "+tc.password, func(t *testing.T) {
			db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s)/shop?multiStatements=true&%s", tc.user, tc.password, r.addr, tc.params))
			if err != nil {
				t.Fatal(err)
			}
			closing(t, db)
			err = db.PingContext(context.Background())
			if tc.fails != "" {
				if err == nil || err.Error() != tc.fails {
					t.Fatalf("error %v, want %s", err, tc.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			drive(t, db, tc.user)
		})
	}
}

func drive(t *testing.T, db *sql.DB, user string) {
	ctx := context.Background()
	var v string
	if err := db.QueryRowContext(ctx, "user").Scan(&v); err != nil || v != user+"/shop" {
		t.Fatalf("%q %v", v, err)
	}
	res, err := db.ExecContext(ctx, "affected 5")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := res.RowsAffected(); n != 5 || err != nil {
		t.Fatalf("affected %d %v", n, err)
	}
	rows, err := db.QueryContext(ctx, "rows 3; affected 1; relay 4")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	var counts []int
	for {
		n := 0
		for rows.Next() {
			n++
		}
		counts = append(counts, n)
		if !rows.NextResultSet() {
			break
		}
	}
	if err := rows.Err(); err != nil || fmt.Sprint(counts) != "[3 0 4]" && fmt.Sprint(counts) != "[3 4]" {
		t.Fatalf("results %v, %v", counts, err)
	}
	st, err := db.PrepareContext(ctx, "echo ?, ?, ?, ?")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	for range 2 {
		rows, err := st.QueryContext(ctx, "a", nil, int64(-1), uint64(1)<<63)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := rows.Close(); err != nil {
				t.Error(err)
			}
		}()
		var got []string
		for rows.Next() {
			if err := rows.Scan(&v); err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		same(t, got, `"a"`, "NULL", "8:false:ffffffffffffffff", "8:true:0000000000000080")
	}
	// The driver sends large values as long data.
	if err := db.QueryRowContext(ctx, "echo ?, ?", bytes.Repeat([]byte("x"), 30<<20), "y").Scan(&v); err != nil || v != fmt.Sprintf("%q", fmt.Sprintf("%d bytes", 30<<20)) {
		t.Fatalf("%q %v", v, err)
	}
	_, err = db.ExecContext(ctx, "error 1146")
	var me *driver.MySQLError
	if !errors.As(err, &me) || me.Number != 1146 {
		t.Fatal(err)
	}
	if err := db.PingContext(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestGoMySQLClient speaks to the server with another implementation of the protocol.
func TestGoMySQLClient(t *testing.T) {
	tlsConfig, err := sqlfront.DevelopmentTLS(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, func(c *sqlfront.Config) { c.TLS = tlsConfig })
	for _, tc := range []struct {
		user, password string
		tls            bool
	}{{"root", "", false}, {"app", "secret", false}, {"app", "secret", true}, {"old", "secret", false}, {"old", "secret", true}} {
		t.Run(fmt.Sprintf("%s tls %v", tc.user, tc.tls), func(t *testing.T) {
			c, err := client.Connect(r.addr, tc.user, tc.password, "shop", func(c *client.Conn) error {
				if tc.tls {
					c.SetTLSConfig(&tls.Config{InsecureSkipVerify: true}) //nolint:gosec // the certificate is made for this test
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			closing(t, c)
			for range 2 {
				res, err := c.Execute("relay 1000")
				if err != nil || len(res.Values) != 1000 {
					t.Fatalf("%v", err)
				}
			}
			res, err := c.Execute("echo ?, ?", uint8(255), strings.Repeat("z", 300))
			if err != nil {
				t.Fatal(err)
			}
			if v, err := res.GetString(1, 0); err != nil || v != `"300 bytes"` {
				t.Fatalf("%q %v", v, err)
			}
			fields, err := c.FieldList("t", "")
			if err != nil || len(fields) != 2 {
				t.Fatalf("%d fields, %v", len(fields), err)
			}
			if err := c.UseDB("nowhere"); mysql.ErrorCode(err.Error()) != 1049 {
				t.Fatal(err)
			}
			if err := c.Ping(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
