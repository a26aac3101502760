//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// historyHead names the columns of the history: Ballast's numbers divided by those of the relay, the floor and direct connections.
const historyHead = "date,commit,server,io,work,threads,rounds,cpu_of_relay,cpu_of_floor,qps_of_floor,qps_of_direct,mean_of_floor\n"

// appendHistory adds a line for each of Ballast's cells; no file name, no history.
func (rep report) appendHistory(ctx context.Context, file string) error {
	if file == "" {
		return nil
	}
	commit, err := currentCommit(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	var out bytes.Buffer
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		out.WriteString(historyHead)
	}
	date := time.Now().UTC().Format(time.DateOnly)
	for _, r := range rep.Ratios {
		if r.Middle == "ballast" {
			fmt.Fprintf(&out, "%s,%s,%s,%s,%s,%d,%d,%s,%s,%s,%s,%s\n", date, commit, strings.ReplaceAll(rep.Server, ",", " "), rep.io, r.Work, r.Threads, rep.Rounds,
				known(r.CPUOfRelay, 2), known(r.CPUOfFloor, 2), known(r.QPSOfFloor, 2), known(r.QPSOfDirect, 2), known(r.MeanOfFloor, 2))
		}
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(out.Bytes())
	return errors.Join(err, f.Close())
}

// currentCommit names the commit that was measured; a plus sign says that files were changed since.
func currentCommit(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--exclude=*", "--abbrev=10", "--dirty=+").Output()
	if err != nil {
		return "", fmt.Errorf("ask git for the commit: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
