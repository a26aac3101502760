package plan

import (
	"context"
	"slices"
	"testing"
)

// TestFullKeysPruneLikeConditions holds the fast way for full keys against the way for any condition.
func TestFullKeysPruneLikeConditions(t *testing.T) {
	env, p := sessionEnv(t), New(Config{})
	fast := 0
	for _, where := range []string{
		"t WHERE id=5", "t WHERE id='5'", "t WHERE id=NULL", "t WHERE id=5.5", "t WHERE id=99999999999999999999",
		"t WHERE id IN (1,5,9)", "t WHERE id IN (1,2,3)", "t WHERE id IN (1,NULL)", "t WHERE id IN (NULL)", "t WHERE id IN (1,'5')",
		"t WHERE id IN ('1','5')", "t WHERE id IN (1,5.5)", "t WHERE id IN (5.5)", "t WHERE id IN (1,99999999999999999999)", "t WHERE id IN (-1,-5,3)",
		"t WHERE id IN (1,2,3) AND id > 2", "t WHERE id IN (1,2,3) AND id = 2", "t WHERE id IN (1,2) AND id IN (2,3)", "t WHERE id IN (1,2) AND v=3",
		"t WHERE id IN (1,5) AND (id=3 OR id=1)", "t WHERE id IN (x'31',1)", "t WHERE id IN (true,5)",
		"kr WHERE id IN (50,60,150)", "kr WHERE id IN (-1,500)", "kn WHERE k IN (1,2)", "kn WHERE k IN (3,7)", "kn WHERE k=9",
		"ks WHERE k IN ('a','b')", "ks WHERE k IN ('a','A','a ')", "ks WHERE k IN ('a',1)", "ku WHERE id IN (-1,1)", "ku WHERE id IN (18446744073709551615)",
		"m WHERE a='x' AND b IN (1,2)", "m WHERE a='x' AND b IN (1,3)", "m WHERE a IN ('x','z') AND b=1", "m WHERE a IN ('q') AND b=1", "m WHERE a='q' AND b IN (1,2)",
		"m WHERE a IN ('x','z') AND b IN (1,2)", "m WHERE b IN (1,2)", "m WHERE a=NULL AND b IN (1,2)", "m WHERE a='x' AND b IN (1,2) AND b=2",
		"kd WHERE d IN ('2023-05-06','2024-05-06')", "dc WHERE k IN (1.5,250)",
	} {
		sql := "SELECT v FROM " + where
		var a Args
		pl, err := p.Plan(context.Background(), env, []byte(sql), 0, &a)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		b, ok := pl.binder.(*selectBinder)
		if !ok {
			t.Fatalf("%s: %T", sql, pl.binder)
		}
		quick := b.spread.sets[0].filters[0]
		slow := &pruner{table: quick.table, cond: quick.cond}
		bc := &bindCtx{env: env, plan: pl, args: &a}
		for _, d := range pl.deps {
			bc.tables = append(bc.tables, d.in(env.Snapshot))
		}
		want := slow.nodes(bc, nil)
		if got := quick.nodes(bc, []int{77}); !slices.Equal(got[1:], want) || got[0] != 77 {
			t.Errorf("%s: nodes %v instead of %v", sql, got, want)
		}
		if quick.keys != nil {
			if got, done := quick.byKey(bc, bc.tables[quick.table], nil); done {
				fast++
				if !slices.Equal(got, want) {
					t.Errorf("%s: by key %v instead of %v", sql, got, want)
				}
			}
		}
	}
	if fast < 25 {
		t.Errorf("%d statements went the fast way", fast)
	}
}
