//go:build linux

package main

import (
	"testing"
)

// twoRounds has a machine that is half as fast in its second round, and a floor that was not measured in its third.
func twoRounds() results {
	at := func(round int, middle string, cpu, qps float64) result {
		return result{Middle: middle, Work: "point_text", Threads: 8, CPU: cpu, QPS: qps, Mean: 1 / qps, round: round}
	}
	return results{
		at(0, "relay", 40, 1000), at(0, "floor", 20, 2000), at(0, "ballast", 24, 1900),
		at(1, "relay", 80, 500), at(1, "floor", 40, 1000), at(1, "ballast", 48, 950),
		at(2, "relay", 40, 1000), at(2, "ballast", 28, 1900),
	}
}

func TestRatiosCompareWithinARound(t *testing.T) {
	rs := twoRounds()
	c := cell{"point_text", 8}
	for _, test := range []struct {
		f    field
		to   string
		want float64
	}{{cpuUS, "relay", 0.6}, {cpuUS, "floor", 1.2}, {qps, "floor", 0.95}} {
		if got, ok := rs.ratio(c, test.f, "ballast", test.to); !ok || got != test.want {
			t.Errorf("ratio to the %s: %v, want %v", test.to, got, test.want)
		}
	}
	if _, ok := rs.ratio(c, qps, "ballast", "direct"); ok {
		t.Error("a ratio to what was not measured")
	}
}

func TestNotesStandForNumbers(t *testing.T) {
	rs := append(twoRounds(), result{Middle: "floor", Work: "point_text", Threads: 8, Note: "broke", round: 2})
	for _, r := range rs.medians() {
		if (r.Middle == "floor") != (r.Note == "broke") {
			t.Errorf("%+v", r)
		}
	}
}

func TestTargetsAreJudged(t *testing.T) {
	rep := report{rounds: twoRounds(), Memory: &memory{Clients: 10_000, With: 260e6}}
	rep.finish()
	want := map[string]bool{cpuOfRelay.label(): true, cpuOfFloor.label(): true, idleMemory.label(): false}
	if len(rep.Targets) != len(want) {
		t.Errorf("judged %+v", rep.Targets)
	}
	for _, o := range rep.Targets {
		if o.Met != want[o.What] {
			t.Errorf("%+v", o)
		}
	}
}

func TestTargetsNameWorks(t *testing.T) {
	for _, target := range targets {
		if place(target.work) < 0 && target.what.name != idleMemory.name {
			t.Errorf("there is no work %q", target.work)
		}
	}
}
