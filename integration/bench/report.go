//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

// report is the outcome of a run.
type report struct {
	Server  string    `json:"server"`
	Config  string    `json:"config"`
	Rounds  int       `json:"rounds"`
	Runs    results   `json:"runs"` // medians
	Ratios  []ratios  `json:"ratios,omitempty"`
	Latency []latency `json:"latency,omitempty"`
	Memory  *memory   `json:"memory,omitempty"`
	Targets []outcome `json:"targets"`

	rounds results
	io     string // the router's I/O mode
}

// ratios are a middle's numbers beside those of the others in the same cell; 0 is not known.
type ratios struct {
	Middle      string  `json:"middle"`
	Work        string  `json:"work"`
	Threads     int     `json:"threads"`
	CPUOfRelay  float64 `json:"cpu_of_relay"`
	CPUOfFloor  float64 `json:"cpu_of_floor"`
	QPSOfFloor  float64 `json:"qps_of_floor"`
	QPSOfDirect float64 `json:"qps_of_direct"`
	MeanOfFloor float64 `json:"mean_of_floor"`
}

// finish works out what follows from the rounds.
func (rep *report) finish() {
	rep.Runs = rep.rounds.medians()
	for _, r := range rep.Runs {
		if r.Note != "" {
			continue
		}
		of := func(f field, to string) float64 {
			v, _ := rep.rounds.ratio(cell{r.Work, r.Threads}, f, r.Middle, to)
			return v
		}
		rep.Ratios = append(rep.Ratios, ratios{
			r.Middle, r.Work, r.Threads, of(cpuUS, "relay"), of(cpuUS, "floor"), of(qps, "floor"), of(qps, "direct"), of(mean, "floor"),
		})
	}
	rep.Targets = rep.judge()
}

// print writes the tables that people read.
func (rep report) print(w io.Writer) error {
	fmt.Fprintf(w, "%s\n%s\n", rep.Server, rep.Config)
	if len(rep.Runs) > 0 {
		fmt.Fprintf(w, "\nmedians of %d rounds\n", rep.Rounds)
		if err := rep.printRuns(w); err != nil {
			return err
		}
	}
	if err := printLatency(w, rep.Latency); err != nil {
		return err
	}
	if m := rep.Memory; m != nil {
		fmt.Fprintf(w, "\nrouter memory: %.1f MB, with %d idle clients %.1f MB (%.1f kB each), after they left %.1f MB\n", float64(m.Before)/1e6, m.Clients,
			float64(m.With)/1e6, float64(m.With-m.Before)/1e3/float64(m.Clients), float64(m.After)/1e6)
	}
	return printOutcomes(w, rep.Targets)
}

func (rep report) printRuns(w io.Writer) error {
	by := map[string]ratios{}
	key := func(middle, work string, threads int) string { return fmt.Sprint(middle, work, threads) }
	for _, r := range rep.Ratios {
		by[key(r.Middle, r.Work, r.Threads)] = r
	}
	var notes []string
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\t\t\t\t\t\t\t\t\tCPU µs\tCPU of\tCPU of\tq/s of\tq/s of\tsleeps\tload µs\t")
	fmt.Fprintln(t, "work\tclients\tmiddle\tqueries/s\trows/s\tmean ms\tp50\tp95\tp99\t/query\trelay\tfloor\tfloor\tdirect\t/query\t/query\t")
	for _, r := range rep.Runs {
		if r.Note != "" {
			fmt.Fprintf(t, "%s\t%d\t%s%s\n", r.Work, r.Threads, r.Middle, strings.Repeat("\t–", 13)+"\t")
			notes = append(notes, fmt.Sprintf("%s by %d clients over %s: %s", r.Work, r.Threads, r.Middle, strings.ReplaceAll(r.Note, "\n", "; ")))
			continue
		}
		x := by[key(r.Middle, r.Work, r.Threads)]
		fmt.Fprintf(t, "%s\t%d\t%s\t%.0f\t%s\t%.3f\t%.3f\t%.3f\t%.3f\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t\n",
			r.Work, r.Threads, r.Middle, r.QPS, known(r.RowsPerSecond, 0), r.Mean, r.P50, r.P95, r.P99, known(r.CPU, 1),
			known(x.CPUOfRelay, 2), known(x.CPUOfFloor, 2), known(x.QPSOfFloor, 2), known(x.QPSOfDirect, 2),
			known(r.Sleeps, 1), r.Load)
	}
	err := t.Flush()
	for _, note := range notes {
		fmt.Fprintln(w, note)
	}
	return err
}

// known writes a number, or a dash for none.
func known(v float64, digits int) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.*f", digits, v)
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
