package rules_test

import (
	"strconv"
	"testing"
	"time"

	"ballast/rules"
	"ballast/rules/rulestest"
)

// TestManyBounds: 100,000 bounds are found by binary search; so are as many exceptions. Compiling ten times as many takes ten times
// as long, or forty where they don't fit into the processor's cache, but not a hundred times.
func TestManyBounds(t *testing.T) {
	const n = 100_000
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
		many, few := made(n), made(n/10)
		p, took := compiled(t, many)
		_, short := compiled(t, few)
		for range 2 { // the machine may be busy: the least counts
			_, again := compiled(t, many)
			_, shortAgain := compiled(t, few)
			took, short = min(took, again), min(short, shortAgain)
		}
		if took > 70*short {
			t.Errorf("%d %s take %s to compile, a tenth of them %s", n, name, took, short)
		}
		for _, i := range []int64{0, 1, 4242, n - 1} {
			if got := nodeIndex(t, p, i*1000+7); got != int(i%4) {
				t.Errorf("interval %d on node %d", i, got)
			}
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
