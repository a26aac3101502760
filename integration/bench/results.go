//go:build linux

package main

import (
	"cmp"
	"slices"
)

// results are cells of several rounds, in the order in which they were measured.
type results []result

// cell names what is compared: the same work with the same number of clients.
type cell struct {
	work    string
	threads int
}

// field picks a number of a result.
type field func(r result) float64

func qps(r result) float64   { return r.QPS }
func cpuUS(r result) float64 { return r.CPU }
func mean(r result) float64  { return r.Mean }
func rowsS(r result) float64 { return r.RowsPerSecond }

// cells lists what was measured.
func (rs results) cells() []cell {
	var out []cell
	for _, r := range rs {
		if c := (cell{r.Work, r.Threads}); !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// of gives one middle's rounds of a cell that have numbers, by round.
func (rs results) of(c cell, middle string) map[int]result {
	out := map[int]result{}
	for _, r := range rs {
		if r.Work == c.work && r.Threads == c.threads && r.Middle == middle && r.Note == "" {
			out[r.round] = r
		}
	}
	return out
}

// compare joins two middles' cells round by round (what one round has of both was measured side by side) and gives the median.
func (rs results) compare(a cell, middleA string, b cell, middleB string, join func(a, b result) float64) (float64, bool) {
	other := rs.of(b, middleB)
	var all []float64
	for round, r := range rs.of(a, middleA) {
		if o, ok := other[round]; ok {
			all = append(all, join(r, o))
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	return median(all), true
}

// ratio is the median of a number of one middle divided by that of another.
func (rs results) ratio(c cell, f field, middle, to string) (float64, bool) {
	return rs.compare(c, middle, c, to, func(a, b result) float64 {
		if f(b) == 0 {
			return 0
		}
		return f(a) / f(b)
	})
}

// medians joins the rounds of each cell; a cell with a note in any round has no numbers.
func (rs results) medians() results {
	type key struct {
		cell
		middle string
	}
	var order []key
	by := map[key]results{}
	for _, r := range rs {
		k := key{cell{r.Work, r.Threads}, r.Middle}
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], r)
	}
	slices.SortStableFunc(order, func(a, b key) int { // works in the order of the catalogue, so that a cell's middles stand together
		return cmp.Or(cmp.Compare(place(a.work), place(b.work)), cmp.Compare(a.threads, b.threads))
	})
	var out results
	for _, k := range order {
		rounds := by[k]
		if i := slices.IndexFunc(rounds, func(r result) bool { return r.Note != "" }); i >= 0 {
			out = append(out, rounds[i])
			continue
		}
		of := func(f field) float64 {
			var all []float64
			for _, r := range rounds {
				all = append(all, f(r))
			}
			return median(all)
		}
		out = append(out, result{
			Middle: k.middle, Work: k.work, Threads: k.threads, QPS: of(qps), Mean: of(mean), CPU: of(cpuUS), RowsPerSecond: of(rowsS),
			P50: of(func(r result) float64 { return r.P50 }), P95: of(func(r result) float64 { return r.P95 }),
			P99: of(func(r result) float64 { return r.P99 }), Load: of(func(r result) float64 { return r.Load }),
			Sleeps: of(func(r result) float64 { return r.Sleeps }),
		})
	}
	return out
}

// place is a work's number in the catalogue.
func place(name string) int {
	return slices.IndexFunc(catalogue, func(w work) bool { return w.name == name })
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}
