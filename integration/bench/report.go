package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
)

// report is the outcome of a run.
type report struct {
	Server string  `json:"server"`
	Config string  `json:"config"`
	Runs   results `json:"runs"`
	Memory *memory `json:"memory,omitempty"`
}

// memory is what clients that do nothing cost the router.
type memory struct {
	// Clients is the number of connections; Before and With are the router's resident bytes without and with them.
	Clients int   `json:"clients"`
	Before  int64 `json:"before_bytes"`
	With    int64 `json:"with_bytes"`
}

// results are cells, in the order in which they were measured.
type results []result

type cell struct {
	middle, work string
	threads      int
}

// medians joins the rounds of each cell.
func (rs results) medians() results {
	var order []cell
	by := map[cell]results{}
	for _, r := range rs {
		c := cell{r.Middle, r.Work, r.Threads}
		if by[c] == nil {
			order = append(order, c)
		}
		by[c] = append(by[c], r)
	}
	var out results
	for _, c := range order {
		rounds := by[c]
		median := func(field func(r result) float64) float64 {
			var vs []float64
			for _, r := range rounds {
				vs = append(vs, field(r))
			}
			slices.Sort(vs)
			return vs[len(vs)/2]
		}
		out = append(out, result{
			Middle: c.middle, Work: c.work, Threads: c.threads,
			QPS: median(func(r result) float64 { return r.QPS }), Mean: median(func(r result) float64 { return r.Mean }),
			P50: median(func(r result) float64 { return r.P50 }), P95: median(func(r result) float64 { return r.P95 }),
			P99: median(func(r result) float64 { return r.P99 }), CPU: median(func(r result) float64 { return r.CPU }),
			RowsPerSecond: median(func(r result) float64 { return r.RowsPerSecond }),
		})
	}
	return out
}

// print writes the table that people read.
func (rep report) print(w io.Writer) {
	fmt.Fprintf(w, "%s; %s\n", rep.Server, rep.Config)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "work\tclients\tmiddle\tqueries/s\tmean ms\tp50\tp95\tp99\tCPU µs/query\tof relay\trows/s\t")
	relay := map[cell]float64{}
	for _, r := range rep.Runs {
		if r.Middle == "relay" {
			relay[cell{"", r.Work, r.Threads}] = r.CPU
		}
	}
	for _, r := range rep.Runs {
		of := ""
		if base := relay[cell{"", r.Work, r.Threads}]; base > 0 && r.CPU > 0 {
			of = fmt.Sprintf("%.2f", r.CPU/base)
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%.0f\t%.3f\t%.3f\t%.3f\t%.3f\t%.1f\t%s\t%.0f\t\n",
			r.Work, r.Threads, r.Middle, r.QPS, r.Mean, r.P50, r.P95, r.P99, r.CPU, of, r.RowsPerSecond)
	}
	if err := t.Flush(); err != nil {
		fmt.Fprintln(w, err)
	}
	if m := rep.Memory; m != nil {
		fmt.Fprintf(w, "router memory: %.1f MB, with %d idle clients %.1f MB (%.1f kB each)\n",
			float64(m.Before)/1e6, m.Clients, float64(m.With)/1e6, float64(m.With-m.Before)/1e3/float64(m.Clients))
	}
}

// write keeps the numbers; no file name, no file.
func (rep report) write(file string) error {
	if file == "" {
		return nil
	}
	text, err := json.MarshalIndent(rep, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
