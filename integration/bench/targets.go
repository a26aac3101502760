//go:build linux

package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// target is what Ballast is held to in one cell.
type target struct {
	cell
	what  gauge
	bound float64
}

// gauge is a number of Ballast's beside another's, from the rounds of one run.
type gauge struct {
	name  string
	unit  string
	least bool // the bound is a lower one
	of    func(rep report, c cell) (float64, bool)
}

// beside makes a gauge of Ballast's number divided by another middle's.
func beside(name string, least bool, f field, middle string) gauge {
	return gauge{name: name, least: least, of: func(rep report, c cell) (float64, bool) { return rep.rounds.ratio(c, f, "ballast", middle) }}
}

var (
	cpuOfRelay  = beside("CPU/query of relay", false, cpuUS, "relay")
	cpuOfFloor  = beside("CPU/query of floor", false, cpuUS, "floor")
	qpsOfFloor  = beside("queries/s of floor", true, qps, "floor")
	qpsOfDirect = beside("queries/s of direct", true, qps, "direct")
	rowsOfRelay = beside("rows/s of relay", true, rowsS, "relay")
	overDirect  = gauge{name: "mean latency over direct", unit: "ms", of: func(rep report, c cell) (float64, bool) {
		return rep.rounds.compare(c, "ballast", c, "direct", func(a, b result) float64 { return a.Mean - b.Mean })
	}}
	cpuOfPoint = gauge{name: "CPU/query of point_text", of: func(rep report, c cell) (float64, bool) {
		return rep.rounds.compare(c, "ballast", cell{"point_text", c.threads}, "ballast", func(a, b result) float64 { return a.CPU / b.CPU })
	}}
	overFloor = gauge{name: "mean latency over floor", unit: "µs", of: func(rep report, c cell) (float64, bool) {
		for _, l := range rep.Latency {
			if l.Middle == "ballast" && l.Work == c.work {
				return l.OverFloor, l.hasFloor
			}
		}
		return 0, false
	}}
	idleMemory = gauge{name: "router memory with idle clients", unit: "MB", of: func(rep report, c cell) (float64, bool) {
		if rep.Memory == nil || rep.Memory.Clients != c.threads {
			return 0, false
		}
		return float64(rep.Memory.With) / 1e6, true
	}}
)

// targets are the bounds, all within one run on one machine.
var targets = []target{
	{cell{"point_text", 8}, cpuOfRelay, 0.72}, {cell{"point_text", 64}, cpuOfRelay, 0.72},
	{cell{"point_prepared", 8}, cpuOfRelay, 0.72}, {cell{"point_prepared", 64}, cpuOfRelay, 0.72},
	{cell{"point_text", 8}, cpuOfFloor, 1.25}, {cell{"point_text", 64}, cpuOfFloor, 1.25},
	{cell{"point_prepared", 8}, cpuOfFloor, 1.25}, {cell{"point_prepared", 64}, cpuOfFloor, 1.25},
	{cell{"point_spread", 8}, cpuOfRelay, 0.72}, {cell{"point_spread", 64}, cpuOfRelay, 0.72},
	{cell{"point_spread", 8}, cpuOfFloor, 1.25}, {cell{"point_spread", 64}, cpuOfFloor, 1.25}, {cell{"point_spread", 64}, qpsOfFloor, 0.95},
	{cell{"sysbench_point", 8}, cpuOfRelay, 0.72}, {cell{"sysbench_point", 64}, cpuOfRelay, 0.72},
	{cell{"sysbench_prepared", 8}, cpuOfRelay, 0.72}, {cell{"sysbench_prepared", 64}, cpuOfRelay, 0.72},
	{cell{"sysbench_point", 8}, cpuOfFloor, 1.25}, {cell{"sysbench_point", 64}, cpuOfFloor, 1.25},
	{cell{"sysbench_prepared", 8}, cpuOfFloor, 1.25}, {cell{"sysbench_prepared", 64}, cpuOfFloor, 1.25},
	{cell{"sysbench_point", 64}, qpsOfFloor, 0.95}, {cell{"sysbench_prepared", 64}, qpsOfFloor, 0.95},
	{cell{"sysbench_update", 8}, cpuOfRelay, 0.8}, {cell{"sysbench_update", 64}, cpuOfRelay, 0.8},
	{cell{"point_text", 1}, overFloor, 15}, {cell{"point_prepared", 1}, overFloor, 15},
	{cell{"point_text", 64}, qpsOfFloor, 0.95}, {cell{"point_prepared", 64}, qpsOfFloor, 0.95},
	{cell{"point_text", 1024}, qpsOfDirect, 1}, {cell{"point_prepared", 1024}, qpsOfDirect, 1},
	{cell{"insert", 8}, cpuOfRelay, 0.8}, {cell{"insert", 64}, cpuOfRelay, 0.8},
	{cell{"update", 8}, cpuOfRelay, 0.8}, {cell{"update", 64}, cpuOfRelay, 0.8},
	{cell{"txn_4", 8}, cpuOfRelay, 0.9}, {cell{"txn_4", 64}, cpuOfRelay, 0.9},
	{cell{"scatter_count", 8}, overDirect, 0.25}, {cell{"scatter_count", 8}, cpuOfPoint, 5},
	{cell{"rows_50000", 8}, rowsOfRelay, 0.95}, {cell{"rows_50000", 8}, cpuOfRelay, 1.2}, {cell{"rows_sorted", 8}, cpuOfRelay, 3},
	{cell{"idle", 10_000}, idleMemory, 250},
}

// outcome is a target and what became of it.
type outcome struct {
	Work    string  `json:"work"`
	Threads int     `json:"threads"`
	What    string  `json:"what"`
	Bound   float64 `json:"bound"`
	Value   float64 `json:"value"`
	Met     bool    `json:"met"`
}

// judge compares the run with the targets it has numbers for.
func (rep report) judge() []outcome {
	var out []outcome
	for _, t := range targets {
		v, ok := t.what.of(rep, t.cell)
		if !ok {
			continue
		}
		met := v <= t.bound
		if t.what.least {
			met = v >= t.bound
		}
		out = append(out, outcome{t.work, t.threads, t.what.label(), t.bound, v, met})
	}
	return out
}

func (m gauge) label() string {
	sign := "≤"
	if m.least {
		sign = "≥"
	}
	if m.unit != "" {
		return m.name + ", " + m.unit + " " + sign
	}
	return m.name + " " + sign
}

// printOutcomes writes the targets as people read them.
func printOutcomes(w io.Writer, all []outcome) error {
	if len(all) == 0 {
		return nil
	}
	met := 0
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\ntarget\tclients\twhat\tbound\tis\t\t")
	for _, o := range all {
		verdict := "MISSED"
		if o.Met {
			verdict = "met"
			met++
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%.2f\t%.2f\t%s\t\n", o.Work, o.Threads, o.What, o.Bound, o.Value, verdict)
	}
	err := t.Flush()
	fmt.Fprintf(w, "%d of the %d targets measured in this run are met; %d were not measured\n", met, len(all), len(targets)-len(all))
	return err
}
