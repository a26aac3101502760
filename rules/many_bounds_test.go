package rules_test

import (
	"strconv"
	"testing"
	"time"

	"ballast/rules"
	"ballast/rules/rulestest"
)

// TestManyBounds: 100,000 bounds compile and are found; so are as many exceptions. Compiling ten times as many takes some ten times as long,
// not a hundred times, which is looked at where it takes less than a busy machine's slices of time.
func TestManyBounds(t *testing.T) {
	const n, few = 100_000, 400
	bounds := func(n int) rules.Strategy {
		s := rules.Strategy{By: []string{"id"}, Steps: []rules.Step{{Kind: rules.StepRange}, {Kind: rules.StepMod, Mod: 4}}}
		for i := range n + 1 {
			s.Steps[0].Bounds = append(s.Steps[0].Bounds, rules.Literal{Text: strconv.Itoa(i * 1000)})
		}
		return s
	}
	exceptions := func(n int) rules.Strategy {
		s := rules.Strategy{By: []string{"id"}, Steps: []rules.Step{{Kind: rules.StepMod, Mod: 4}}}
		for i := range n {
			from, to := rules.Literal{Text: strconv.Itoa(i * 1000)}, rules.Literal{Text: strconv.Itoa(i*1000 + 500)}
			s.Except = append(s.Except, rules.Exception{From: &from, To: &to, On: "n" + strconv.Itoa(i%4)})
		}
		return s
	}
	for name, made := range map[string]func(int) rules.Strategy{"bounds": bounds, "exceptions": exceptions} {
		p, _ := compiled(t, made(n))
		for _, i := range []int64{0, 1, 4242, n - 1} {
			if got := nodeIndex(t, p, i*1000+7); got != int(i%4) {
				t.Errorf("interval %d on node %d", i, got)
			}
		}
		more, less := made(10*few), made(few)
		took, short := time.Hour, time.Hour
		for range 25 {
			_, a := compiled(t, more)
			_, b := compiled(t, less)
			took, short = min(took, a), min(short, b)
		}
		t.Logf("%d %s: %s, a tenth of them %s", 10*few, name, took, short)
		if took > 40*short {
			t.Errorf("%d %s take %s to compile, a tenth of them %s", 10*few, name, took, short)
		}
	}
}

func compiled(t *testing.T, s rules.Strategy) (*rules.Placement, time.Duration) {
	t.Helper()
	began := time.Now()
	p, err := rules.Compile(s, []rules.FieldType{bigint}, rulestest.Nodes(4))
	if err != nil {
		t.Fatal(err)
	}
	return p, time.Since(began)
}
