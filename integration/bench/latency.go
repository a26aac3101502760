//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// batch is how many calls one middle gets in a turn.
const batch = 100

// latency is what one call costs one client, in microseconds.
type latency struct {
	Middle string  `json:"middle"`
	Work   string  `json:"work"`
	Calls  int     `json:"calls"`
	Mean   float64 `json:"mean_us"`
	P50    float64 `json:"p50_us"`
	P99    float64 `json:"p99_us"`
	// OverFloor and P50OverFloor are the differences to the floor; TurnOverFloor is the median, over all turns, of the difference between
	// the means of a turn, which what else the machine does hardly touches.
	OverFloor     float64 `json:"mean_over_floor_us"`
	P50OverFloor  float64 `json:"p50_over_floor_us"`
	TurnOverFloor float64 `json:"turn_over_floor_us"`

	hasFloor bool
}

// latencies lets one client call each middle so often, the middles taking turns.
func (s *scene) latencies(ctx context.Context, w work, calls int) ([]latency, error) {
	turns := (calls + batch - 1) / batch
	samples := make([][]time.Duration, len(s.middles))
	means := make([][]float64, len(s.middles))
	err := alone(ctx, func(t *task) error {
		clients := make([]*client, len(s.middles))
		for i, m := range s.middles {
			c, err := m.login(t, w.tls)
			if err != nil {
				return err
			}
			defer c.close()
			clients[i], c.seed = c, 1
			if w.begin != nil {
				if err := w.begin(c); err != nil {
					return err
				}
			}
			samples[i] = make([]time.Duration, 0, turns*batch)
		}
		for turn := range turns + 1 {
			for k := range clients {
				i := (turn + k) % len(clients) // nobody always follows the same one
				begin := time.Now()
				last := begin
				for range batch {
					if _, err := w.step(clients[i]); err != nil {
						return fmt.Errorf("%s over %s: %w", w.name, s.middles[i].name, err)
					}
					now := time.Now()
					if turn > 0 { // the first turn warms up
						samples[i] = append(samples[i], now.Sub(last))
					}
					last = now
				}
				if turn > 0 {
					means[i] = append(means[i], float64(last.Sub(begin).Nanoseconds())/1e3/batch)
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []latency
	for i, m := range s.middles {
		out = append(out, summarizeLatency(m.name, w.name, samples[i]))
	}
	floor := slices.IndexFunc(s.middles, func(m *middle) bool { return m.name == "floor" })
	for i := range out {
		if floor < 0 {
			break
		}
		diffs := make([]float64, len(means[i]))
		for turn := range diffs {
			diffs[turn] = means[i][turn] - means[floor][turn]
		}
		l := &out[i]
		l.hasFloor, l.OverFloor, l.P50OverFloor, l.TurnOverFloor = true, l.Mean-out[floor].Mean, l.P50-out[floor].P50, median(diffs)
	}
	return out, nil
}

func summarizeLatency(middle, work string, all []time.Duration) latency {
	slices.Sort(all)
	var sum time.Duration
	for _, d := range all {
		sum += d
	}
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	return latency{
		Middle: middle, Work: work, Calls: len(all), Mean: us(sum) / float64(len(all)),
		P50: us(all[len(all)/2]), P99: us(all[len(all)*99/100]),
	}
}

func printLatency(w io.Writer, all []latency) error {
	if len(all) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\none client, µs\tmiddle\tcalls\tmean\tp50\tp99\tmean − floor's\tp50 − floor's\tmedian turn − floor's\t")
	for _, l := range all {
		fmt.Fprintf(t, "%s\t%s\t%d\t%.1f\t%.1f\t%.1f\t%+.1f\t%+.1f\t%+.1f\t\n", l.Work, l.Middle, l.Calls, l.Mean, l.P50, l.P99, l.OverFloor, l.P50OverFloor, l.TurnOverFloor)
	}
	return t.Flush()
}
