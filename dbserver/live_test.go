package dbserver_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ballast/dbserver"
)

func install(t *testing.T, f dbserver.Flavour) *dbserver.Install {
	t.Helper()
	in, err := dbserver.Find(t.Context(), dbserver.FindOptions{Flavour: f, Progress: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func server(t *testing.T, in *dbserver.Install, id uint32) *dbserver.Server {
	t.Helper()
	base, err := dbserver.FastTempDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(base, "dbserver-test-")
	if err != nil {
		t.Fatal(err)
	}
	port, err := dbserver.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	s := dbserver.New(dbserver.ServerConfig{Install: in, Dir: dir, Port: port, ServerID: id})
	t.Cleanup(func() {
		s.Kill()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := s.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t *testing.T, s *dbserver.Server) *sql.DB {
	t.Helper()
	db, err := s.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func value(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	var v string
	if err := db.QueryRowContext(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func TestServerLives(t *testing.T) {
	for _, f := range dbserver.Flavours() {
		t.Run(f.String(), func(t *testing.T) {
			in := install(t, f)
			begin := time.Now()
			s := server(t, in, 7)
			t.Logf("%s %s (%s) answers after %s", f.Title(), in.Version, in.Origin, time.Since(begin).Round(time.Millisecond))
			db := open(t, s)
			for query, want := range map[string]string{
				"SELECT @@server_id":                      "7",
				"SELECT @@binlog_format":                  "ROW",
				"SELECT @@binlog_row_image":               "FULL",
				"SELECT @@log_bin":                        "1",
				"SELECT @@sync_binlog":                    "1",
				"SELECT @@innodb_flush_log_at_trx_commit": "1",
				"SELECT @@default_storage_engine":         "InnoDB",
				"SELECT @@collation_server":               dbserver.DefaultCollation,
				"SELECT @@lower_case_table_names":         "0",
				"SELECT @@performance_schema":             "0",
				"SELECT CONVERT_TZ('2024-07-01 12:00:00','Europe/Berlin','America/New_York')": "2024-07-01 06:00:00",
			} {
				if got := value(t, db, query); got != want {
					t.Errorf("%s: got %s, want %s", query, got, want)
				}
			}
			for _, statement := range []string{
				"CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, v TEXT)", "INSERT INTO d.t VALUES (1, 'one')",
				"CREATE USER app@'%' IDENTIFIED BY 'secret'", "GRANT SELECT ON d.* TO app@'%'",
			} {
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}

			s.Kill()
			if s.PID() != 0 {
				t.Error("a killed server has a process id")
			}
			select {
			case <-s.Exited():
			default:
				t.Error("a killed server has not exited")
			}
			if err := s.Start(t.Context()); err != nil {
				t.Fatalf("start after a crash: %v", err)
			}
			if got := value(t, db, "SELECT v FROM d.t WHERE id = 1"); got != "one" {
				t.Errorf("after a crash the row reads %q", got)
			}

			s.Pause()
			paused, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			if err := db.PingContext(paused); err == nil {
				t.Error("a paused server answered")
			}
			cancel()
			s.Resume()
			if got := value(t, db, "SELECT COUNT(*) FROM d.t"); got != "1" {
				t.Errorf("after the pause there are %s rows", got)
			}
			if err := s.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := value(t, db, "SELECT COUNT(*) FROM d.t"); got != "1" {
				t.Errorf("after a restart there are %s rows", got)
			}
			s.Pause()
			if err := s.Stop(t.Context()); err != nil {
				t.Errorf("stop a paused server: %v", err)
			}
		})
	}
}

func TestCopiesDiffer(t *testing.T) {
	in := install(t, dbserver.MySQL)
	a, b := open(t, server(t, in, 1)), open(t, server(t, in, 2))
	if value(t, a, "SELECT @@server_uuid") == value(t, b, "SELECT @@server_uuid") {
		t.Error("two servers share a server_uuid")
	}
}

func TestFailuresSayWhy(t *testing.T) {
	in := install(t, dbserver.MariaDB)
	s := server(t, in, 1)
	twin := dbserver.New(dbserver.ServerConfig{Install: in, Dir: t.TempDir(), Name: "twin", Port: s.Port(), ServerID: 2})
	wantError(t, twin.Start(t.Context()), "BL7006", "twin", "mariadbd")

	port, err := dbserver.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	bad := dbserver.New(dbserver.ServerConfig{Install: in, Dir: t.TempDir(), Name: "bad", Port: port, Extra: []string{"--no-such-flag"}})
	if err := bad.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantError(t, bad.Start(t.Context()), "BL7005", "no-such-flag")

	_, err = dbserver.Find(t.Context(), dbserver.FindOptions{Flavour: dbserver.MySQL, ServerBin: filepath.Join(t.TempDir(), "mysqld")})
	wantError(t, err, "BL7003", "no such program")
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}
