package plan

import (
	"context"
	"errors"
	"testing"

	"ballast/rules/catalog"
	"ballast/rules/failure"
)

// TestSingleTablesMove binds one plan before and after single tables moved: their shape is as before.
func TestSingleTablesMove(t *testing.T) {
	with := func(on string) *catalog.Snapshot {
		s := fixture(t)
		other := fixtureTable(t, "sh:id int, g int null", "SINGLE")
		other.SingleOn = on
		s.Tables = append(s.Tables, other)
		if err := s.Compile(); err != nil {
			t.Fatal(err)
		}
		return s
	}
	env, p := sessionEnv(t), New(Config{})
	env.Snapshot = with("n2")
	const sql = "SELECT sg.g FROM sg JOIN sh ON sg.id = sh.id"
	pl := planned(t, p, env, sql)
	var a Args
	var out Bound
	if err := pl.BindInline(env, &a, nil, &out); err != nil || out.Single.Node != 2 {
		t.Fatalf("%v, %+v", err, out.Single)
	}
	env.Snapshot = with("n1")
	again, ok := p.Cached(env, []byte(sql), 0, &a)
	if !ok || again != pl {
		t.Fatal("the plan was not found")
	}
	var failed *failure.Error
	if err := again.BindInline(env, &a, nil, &out); !errors.As(err, &failed) || failed.Kind != errSingles {
		t.Errorf("tables on two nodes: %v", err)
	}
	if _, err := p.Plan(context.Background(), env, []byte(sql), 0, &a); err != nil {
		t.Error(err)
	}
}
