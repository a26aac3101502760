//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// sysbench puts the load of a sysbench script on a middle: clients that are threads of C, each with its own blocking connection, as most
// applications have them. Their commands come one by one, while the one thread of the other works sends what it has in bursts, and bursts
// are what a relay of goroutines is best at.
func sysbench(ctx context.Context, m *middle, w work, threads int, d time.Duration) (result, error) {
	r := result{Middle: m.name, Work: w.name, Threads: threads}
	program, err := exec.LookPath("sysbench")
	if err != nil {
		r.Note = "sysbench is not installed"
		return r, nil
	}
	host, port, err := net.SplitHostPort(m.addr)
	if err != nil {
		return r, err
	}
	seconds := max(int((d+time.Second-1)/time.Second), 1)
	args := append([]string{
		"--mysql-host=" + host, "--mysql-port=" + port, "--mysql-user=root", "--mysql-db=" + m.db, "--tables=1", fmt.Sprintf("--table-size=%d", m.rows),
		fmt.Sprintf("--threads=%d", threads), fmt.Sprintf("--time=%d", seconds), "--histogram=off",
	}, w.sysbench...)
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+answerWithin)
	defer cancel()
	before, err := used(m.pid)
	if err != nil {
		return r, err
	}
	load := exec.CommandContext(ctx, program, append(args, "run")...)
	out, err := load.CombinedOutput()
	if err != nil {
		return r, errors.Join(ctx.Err(), fmt.Errorf("sysbench: %w: %.500s", err, out))
	}
	after, err := used(m.pid)
	if err != nil {
		return r, err
	}
	queries, perSecond, err := numbers(out, `queries: +(\d+) +\(([\d.]+) per sec`)
	if err != nil || queries == 0 {
		return r, fmt.Errorf("sysbench did nothing: %w: %.500s", err, out)
	}
	mean, p95, err := numbers(out, `(?s)avg: +([\d.]+).*95th percentile: +([\d.]+)`)
	if err != nil {
		return r, err
	}
	usage := after.since(before)
	r.QPS, r.Mean, r.P95 = perSecond, mean, p95
	r.CPU, r.Sleeps = float64(usage.cpu.Microseconds())/queries, float64(usage.sleeps)/queries
	r.Load = float64((load.ProcessState.UserTime() + load.ProcessState.SystemTime()).Microseconds()) / queries
	return r, nil
}

// numbers finds two numbers in sysbench's report.
func numbers(report []byte, pattern string) (a, b float64, err error) {
	found := regexp.MustCompile(pattern).FindSubmatch(report)
	if found == nil {
		return 0, 0, fmt.Errorf("no %s in: %.500s", strings.Fields(pattern)[0], report)
	}
	a, errA := strconv.ParseFloat(string(found[1]), 64)
	b, errB := strconv.ParseFloat(string(found[2]), 64)
	return a, b, errors.Join(errA, errB)
}
