//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// result is one cell: of one round, or the medians of all rounds. The JSON is what other tools read.
type result struct {
	Middle  string  `json:"middle"`
	Work    string  `json:"work"`
	Threads int     `json:"threads"`
	QPS     float64 `json:"qps"`
	Mean    float64 `json:"mean_ms"`
	P50     float64 `json:"p50_ms"`
	P95     float64 `json:"p95_ms"`
	P99     float64 `json:"p99_ms"`
	// CPU is microseconds of the middle's processor time per query.
	CPU float64 `json:"cpu_us"`
	// Sleeps is how often a thread of the middle went to sleep, per query.
	Sleeps float64 `json:"sleeps"`
	// Load is microseconds of the load generator's processor time per query.
	Load float64 `json:"load_us"`
	// RowsPerSecond is left out for works without many rows.
	RowsPerSecond float64 `json:"rows_s,omitempty"`
	// Note says why there are no numbers.
	Note string `json:"note,omitempty"`

	round int
}

// cannot says why a middle can't serve a cell; empty if it can.
func (m *middle) cannot(w work, threads int) (string, error) {
	if w.tls && m.secure == nil {
		return "no TLS", nil
	}
	if m.pid == 0 || m.name == "ballast" {
		return "", nil
	}
	limit, err := descriptors()
	const others = 20
	if need := 2*threads + others; need > limit {
		return fmt.Sprintf("needs %d descriptors, may have %d", need, limit), err
	}
	return "", err
}

// usual is the number of clients that every middle must be able to serve.
const usual = 64

// measure puts the load of so many clients on a middle for a while. Connections are opened, and used once, before the clock starts. What
// can't be opened is noted in the result; what fails later is an error.
func measure(ctx context.Context, m *middle, w work, threads int, d time.Duration) (result, error) {
	r := result{Middle: m.name, Work: w.name, Threads: threads}
	var err error
	if r.Note, err = m.cannot(w, threads); err != nil || r.Note != "" {
		return r, err
	}
	if w.sysbench != nil {
		return sysbench(ctx, m, w, threads, d)
	}
	l, err := newLoad()
	if err != nil {
		return r, err
	}
	defer l.close()
	samples := make([]time.Duration, 0, 1<<18)
	var rows uint64
	body := func(t *task, i int) error {
		c, err := m.login(t, w.tls)
		if err != nil {
			return err
		}
		defer c.close()
		c.seed = uint64(i)*0x9e3779b97f4a7c15 + 1
		if w.begin != nil {
			if err := w.begin(c); err != nil {
				return err
			}
		}
		if _, err := w.step(c); err != nil {
			return err
		}
		if err := t.awaitStart(); err != nil {
			return err
		}
		for last := time.Now(); !l.stopped; {
			n, err := w.step(c)
			if err == nil && w.rows > 0 && n != w.rows {
				err = fmt.Errorf("%d rows in place of %d", n, w.rows)
			}
			if err != nil {
				return err
			}
			rows += n
			now := time.Now()
			samples = append(samples, now.Sub(last))
			last = now
		}
		return nil
	}
	if err := l.openAll(ctx, threads, body); err != nil {
		if ctx.Err() == nil && threads > usual {
			r.Note, err = fmt.Sprintf("at client %d: %v", l.open+1, err), nil
		}
		return r, err
	}
	before, err := look(m.pid)
	if err != nil {
		return r, err
	}
	begin := time.Now()
	if err := l.drive(ctx, d); err != nil {
		return r, err
	}
	took := time.Since(begin)
	after, err := look(m.pid)
	if err != nil {
		return r, err
	}
	r.summarize(samples, took, after.middle.since(before.middle), after.own-before.own)
	if w.rows > 100 {
		r.RowsPerSecond = float64(rows) / took.Seconds()
	}
	return r, nil
}

// state is what a middle and this process have used so far.
type state struct {
	middle usage
	own    time.Duration
}

func look(pid int) (state, error) {
	middle, err := used(pid)
	if err != nil {
		return state{}, err
	}
	own, err := cpu(os.Getpid())
	return state{middle, own}, err
}

// summarize fills in the numbers.
func (r *result) summarize(all []time.Duration, took time.Duration, middle usage, own time.Duration) {
	slices.Sort(all)
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	at := func(p float64) float64 { return us(all[min(int(p*float64(len(all))), len(all)-1)]) / 1e3 }
	var sum time.Duration
	for _, d := range all {
		sum += d
	}
	n := float64(len(all))
	r.QPS, r.Mean = n/took.Seconds(), us(sum)/n/1e3
	r.P50, r.P95, r.P99 = at(0.5), at(0.95), at(0.99)
	r.CPU, r.Sleeps, r.Load = us(middle.cpu)/n, float64(middle.sleeps)/n, us(own)/n
}
