package core

import "testing"

// TestJobTable: every state is reached from Checked, ends have no way out, every pair that is not listed is refused.
func TestJobTable(t *testing.T) {
	events := []JobEvent{Begin, Hide, Hidden, NodesDone, NodeRefused, Undone, Published}
	reached := map[JobState]bool{Checked: true}
	for range jobTable {
		for state := range reached {
			for _, next := range jobTable[state] {
				reached[next] = true
			}
		}
	}
	for state, exits := range jobTable {
		if !reached[state] {
			t.Errorf("%s is never reached", state)
		}
		if state.Over() != (len(exits) == 0) {
			t.Errorf("%s: over is %v with %d ways out", state, state.Over(), len(exits))
		}
		for _, e := range events {
			next, err := state.Next(e)
			if want, listed := exits[e]; listed && (err != nil || next != want) || !listed && err == nil {
				t.Errorf("%s + %s = %s, error %v", state, e, next, err)
			}
		}
	}
}

func TestNodeStep(t *testing.T) {
	for _, c := range []struct {
		current, before, after string
		want                   Step
	}{
		{"a", "a", "b", Run}, {"b", "a", "b", Skip}, {"c", "a", "b", Refuse}, {"", "", "b", Run}, {"x", "", "b", Refuse}, {"a", "a", "a", Skip},
	} {
		if got := NodeStep(c.current, c.before, c.after); got != c.want {
			t.Errorf("NodeStep(%q, %q, %q) = %d, want %d", c.current, c.before, c.after, got, c.want)
		}
	}
}

func TestLeftNodes(t *testing.T) {
	j := Job{Nodes: []int{0, 1, 2, 3}, Done: []int{2, 0}}
	if left := j.Left(); len(left) != 2 || left[0] != 1 || left[1] != 3 {
		t.Errorf("left %v", left)
	}
}
