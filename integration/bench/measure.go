package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// middle is one way from a client to the rows.
type middle struct {
	name string
	addr string
	db   string
	pid  int // the process in the middle; 0 for none
	*world
}

// result is one cell of one round; the JSON is what the other tools read.
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
	// RowsPerSecond is left out for works without many rows.
	RowsPerSecond float64 `json:"rows_s,omitempty"`
}

// maxSamples bounds the latencies that one client keeps.
const maxSamples = 200_000

// measure puts the load of so many clients on a middle for a while. Connections are opened, and used once, before the clock starts.
func measure(ctx context.Context, m middle, w work, threads int, d time.Duration) (result, error) {
	clients := make([]*client, threads)
	defer func() {
		for _, c := range clients {
			if c != nil {
				c.close()
			}
		}
	}()
	for i := range clients {
		c, err := login(m.addr, m.db)
		if err != nil {
			return result{}, err
		}
		clients[i], c.seed, c.db = c, uint64(i)*0x9e3779b97f4a7c15+1, m.db
		if w.begin != nil {
			if err := w.begin(c); err != nil {
				return result{}, err
			}
		}
		if _, err := w.step(c, m.world); err != nil {
			return result{}, err
		}
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	samples, errs := make([][]time.Duration, threads), make([]error, threads)
	var rows atomic.Uint64
	before, err := cpu(m.pid)
	if err != nil {
		return result{}, err
	}
	begin := time.Now()
	for i, c := range clients {
		wg.Go(func() {
			var mine uint64
			for last := time.Now(); !stop.Load(); {
				n, err := w.step(c, m.world)
				if err == nil && w.rows > 0 && n != w.rows {
					err = fmt.Errorf("%d rows in place of %d", n, w.rows)
				}
				if err != nil {
					errs[i] = err
					return
				}
				mine += n
				now := time.Now()
				if len(samples[i]) < maxSamples {
					samples[i] = append(samples[i], now.Sub(last))
				}
				last = now
			}
			rows.Add(mine)
		})
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	stop.Store(true)
	wg.Wait() // what was begun counts, and so does its time
	after, err := cpu(m.pid)
	took := time.Since(begin)
	if err := errors.Join(append(errs, err, ctx.Err())...); err != nil {
		return result{}, err
	}
	return summarize(m.name, w, threads, slices.Concat(samples...), took, after-before, rows.Load()), nil
}

func summarize(name string, w work, threads int, all []time.Duration, took, used time.Duration, rows uint64) result {
	slices.Sort(all)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	at := func(p float64) float64 { return ms(all[min(int(p*float64(len(all))), len(all)-1)]) }
	var sum time.Duration
	for _, d := range all {
		sum += d
	}
	n := float64(len(all))
	r := result{
		Middle: name, Work: w.name, Threads: threads, QPS: n / took.Seconds(), Mean: ms(sum / time.Duration(len(all))),
		P50: at(0.5), P95: at(0.95), P99: at(0.99), CPU: float64(used.Microseconds()) / n,
	}
	if w.rows > 100 {
		r.RowsPerSecond = float64(rows) / took.Seconds()
	}
	return r
}

// cpu is the processor time that a process has used.
func cpu(pid int) (time.Duration, error) {
	if pid == 0 {
		return 0, nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // behind the program's name, which may hold anything
	fields := strings.Fields(rest)
	const user, system = 11, 12 // counted from the state, the field behind the name
	if len(fields) <= system {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	var ticks int64
	for _, f := range fields[user : system+1] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	const ticksPerSecond = 100 // the same on every Linux that Go runs on
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}

// resident is a process's memory, in bytes.
func resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if v, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "kB")), 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no VmRSS", pid)
}
