package engine

import (
	"math"
	"testing"
)

func tenRows() map[int]fakeNode {
	return map[int]fakeNode{
		0: {columns: "id:int", rows: []string{"1", "3", "5", "7", "9"}},
		1: {columns: "id:int", rows: []string{"2", "4", "6", "8", "10"}},
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		offset, count uint64
		want          []string
	}{
		{0, 0, nil}, {3, 2, []string{"4", "5"}}, {0, 1, []string{"1"}}, {8, math.MaxUint64, []string{"9", "10"}}, {10, 1, nil}, {20, 5, nil},
	} {
		check(t, &Limit{Input: mergeBy(2, Key{Weight: -1}), Offset: c.offset, Count: c.count}, tenRows(), c.want...)
	}
}

func TestLimitStopsReading(t *testing.T) {
	sh := check(t, &Limit{Input: mergeBy(2, Key{Weight: -1}), Count: 2}, tenRows(), "1", "2")
	if sh.read > 4 {
		t.Errorf("%d rows read for two", sh.read)
	}
}

func TestLimitLeavesLaterNodesAlone(t *testing.T) {
	sh := check(t, &Limit{Input: &Ordered{Queries: queries(2)}, Count: 3}, tenRows(), "1", "3", "5")
	if len(sh.opened) != 1 {
		t.Errorf("opened %v", sh.opened)
	}
	sh = check(t, &Limit{Input: &Ordered{Queries: queries(2)}, Count: 6}, tenRows(), "1", "3", "5", "7", "9", "2")
	if len(sh.opened) != 2 {
		t.Errorf("opened %v", sh.opened)
	}
}

func TestLimitDescribe(t *testing.T) {
	for want, l := range map[string]*Limit{"2": {Count: 2}, "2 after 3": {Count: 2, Offset: 3}, "all after 8": {Count: math.MaxUint64, Offset: 8}} {
		if got := l.Describe().Detail; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
