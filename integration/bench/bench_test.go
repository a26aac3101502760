//go:build linux

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ballast/integration/cluster"
)

// TestBenchRuns: every work runs over every middle, and all that is promised is in the report.
func TestBenchRuns(t *testing.T) {
	flavour, err := cluster.Flavour()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, history := filepath.Join(dir, "out.json"), filepath.Join(dir, "bench", "history.csv")
	var stdout, stderr strings.Builder
	args := []string{"-server", flavour.String(), "-threads", "3", "-rounds", "2", "-time", "20ms", "-rows", "2000", "-idle", "50", "-out", out, "-history", history}
	if code := run(args, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s\n%s", code, stdout.String(), stderr.String())
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var rep report
	if err := json.Unmarshal(text, &rep); err != nil {
		t.Fatal(err)
	}
	for _, w := range catalogue {
		for _, m := range []string{"direct", "relay", "floor", "ballast"} {
			found := false
			for _, r := range rep.Runs {
				if r.Work == w.name && r.Middle == m && r.Threads == 3 {
					found = r.Note == "" && r.QPS > 0 && r.Mean > 0 && (r.CPU > 0) == (m != "direct")
				}
			}
			if !found {
				t.Errorf("%s over %s has no good numbers", w.name, m)
			}
		}
	}
	if rep.Memory == nil || rep.Memory.With < rep.Memory.Before || !strings.Contains(rep.Config, "sync_binlog=1") || !strings.Contains(rep.Config, "max_per_node=") {
		t.Errorf("memory %v, config %s", rep.Memory, rep.Config)
	}
	lines, err := os.ReadFile(history)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(lines), "\n"); n != 1+len(catalogue) {
		t.Errorf("the history has %d lines:\n%s", n, lines)
	}
}
