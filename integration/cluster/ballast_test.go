package cluster

import (
	"testing"
)

func TestBallastStartsAndHeals(t *testing.T) {
	b := pool.Ballast(t, Shape{Nodes: 2}, Size{Routers: 2})
	db, err := b.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { quiet(db.Close()) })
	for _, statement := range []string{
		"CREATE DATABASE heal", "CREATE TABLE heal.t (id BIGINT PRIMARY KEY, v INT) BALANCE BY (id) MOD 2",
		"INSERT INTO heal.t VALUES (1, 10), (2, 20), (3, 30)",
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for i, want := range []string{"1", "2"} {
		got, err := column(t.Context(), b.Servers.Nodes[i].DB, "SELECT COUNT(*) FROM heal.t")
		if err != nil || got[0] != want {
			t.Errorf("%s holds %v rows, want %s; error %v", b.Servers.Nodes[i].Name(), got, want, err)
		}
	}
	b.Servers.Nodes[0].Kill()
	b.Servers.Nodes[1].Link.Set(Cut)
	b.Masters[0].Kill()
	b.Routers[0].Kill()
	again := pool.Ballast(t, Shape{Nodes: 2}, Size{Routers: 2})
	if again != b {
		t.Error("another cluster was started")
	}
	got, err := column(t.Context(), db, "SELECT SUM(v) FROM heal.t")
	if err != nil || got[0] != "60" {
		t.Errorf("after healing the sum is %v, error %v", got, err)
	}
	if _, err := db.ExecContext(t.Context(), "DROP DATABASE heal"); err != nil {
		t.Error(err)
	}
}
