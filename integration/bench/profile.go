//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// profile puts a load on the router and leaves profiles of its processor time and of its allocations in a folder, with the heads of both
// printed.
func (s *scene) profile(ctx context.Context, o options, stdout io.Writer) error {
	if s.ballast == nil {
		return errors.New("a profile is taken of ballast; it is not among -middles")
	}
	if err := os.MkdirAll(o.profile, 0o755); err != nil {
		return err
	}
	w, threads, m := o.works[0], o.threads[0], s.middles[0]
	seconds := max(int(o.time.Seconds()), 1)
	var taken []chan error
	files := map[string]string{}
	for _, kind := range []string{"profile", "allocs"} {
		file := filepath.Join(o.profile, fmt.Sprintf("%s-%d-%s.prof", w.name, threads, strings.Replace(kind, "profile", "cpu", 1)))
		files[kind] = file
		done := make(chan error, 1)
		taken = append(taken, done)
		go func() {
			done <- download(ctx, fmt.Sprintf("http://%s/debug/pprof/%s?seconds=%d", s.ballast.Routers[0].Admin, kind, seconds), file)
		}()
	}
	r, err := measure(ctx, m, w, threads, time.Duration(seconds)*time.Second+200*time.Millisecond) // not done before the profiles are
	for _, done := range taken {
		err = errors.Join(err, <-done)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s with %d clients: %.0f queries/s, %.1f µs CPU per query\n", w.name, threads, r.QPS, r.CPU)
	program := fmt.Sprintf("/proc/%d/exe", m.pid)
	if real, err := os.Readlink(program); err == nil {
		program = real
	}
	for _, show := range [][]string{{"-top", "-nodecount=30", program, files["profile"]}, {"-top", "-sample_index=alloc_objects", "-nodecount=20", program, files["allocs"]}} {
		cmd := exec.CommandContext(ctx, "go", append([]string{"tool", "pprof"}, show...)...)
		cmd.Stdout, cmd.Stderr = stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go tool pprof: %w", err)
		}
		fmt.Fprintf(stdout, "→ go tool pprof -http=: %s %s\n\n", program, show[len(show)-1])
	}
	return nil
}

func download(ctx context.Context, url, file string) (err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, resp.Body)
	return errors.Join(err, out.Close())
}
