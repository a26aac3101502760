//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ballast/dbserver"
)

// options is what the command line asks for.
type options struct {
	flavour dbserver.Flavour
	middles []string
	works   []work
	threads []int
	rounds  int
	time    time.Duration
	rows    int
	idle    int
	latency int
	router  string
	out     string
	history string
	profile string
}

// mostClients is the largest number of connections at a time.
func (o options) mostClients() int {
	most := max(slices.Max(o.threads), o.idle)
	for _, w := range o.works {
		if w.most >= 1024 {
			return most
		}
	}
	return max(min(most, usual), o.idle)
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 1 && relays[args[0]] != nil {
		signal.Ignore(os.Interrupt, syscall.SIGTERM) // an interrupt at the terminal reaches the parent too, which may still need its relays
		go endWithParent()
		if err := relays[args[0]](args[1:], stdout); err != nil {
			fmt.Fprintln(stderr, args[0]+":", err)
			return 1
		}
		return 0
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(args, stderr)
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stderr, "bench:", err)
		}
		return 2
	}
	if err := bench(ctx, o, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var server, middleList, workList, threadList string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&server, "server", "mariadb", "kind of server: mysql or mariadb")
	f.StringVar(&middleList, "middles", "direct,relay,floor,ballast", "what stands between client and server")
	f.StringVar(&workList, "works", "all", "what is measured, separated by commas")
	f.StringVar(&threadList, "threads", "1,8,64,1024,10000", "numbers of clients at a time; each work has its own bound")
	f.IntVar(&o.rounds, "rounds", 5, "how often each cell is measured; medians are shown")
	f.DurationVar(&o.time, "time", time.Second, "how long each cell is measured in one round, and a profile taken")
	f.IntVar(&o.rows, "rows", 20_000, "rows in the tables of point reads and updates")
	f.IntVar(&o.idle, "idle", 10_000, "idle clients for the memory measurement; 0 leaves it out")
	f.IntVar(&o.latency, "latency", 0, "so many calls of each middle in turns by one client, and nothing else, for each of -works (default point_text,point_prepared)")
	f.StringVar(&o.router, "router", "", "further settings of the router, as YAML")
	f.StringVar(&o.out, "out", os.Getenv("OUT"), "file for the numbers, as JSON")
	f.StringVar(&o.history, "history", "", "file to which ratios are added, a line per cell")
	f.StringVar(&o.profile, "profile", "", "folder for profiles of the router under the first of -works and -threads, and nothing else")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.latency > 0 {
		o.idle, threadList = 0, "1"
		if workList == "all" {
			workList = "point_text,point_prepared"
		}
	}
	if o.profile != "" {
		o.idle, middleList = 0, "ballast"
	}
	var err error
	if o.flavour, err = dbserver.ParseFlavour(server); err != nil {
		return o, err
	}
	if o.works, err = findWorks(workList); err != nil {
		return o, err
	}
	o.middles = strings.Split(middleList, ",")
	for _, s := range strings.Split(threadList, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return o, fmt.Errorf("-threads: %q is not a number of clients", s)
		}
		o.threads = append(o.threads, n)
	}
	if o.rounds < 1 || o.time <= 0 || o.rows < 1000 {
		return o, errors.New("-rounds and -time must be positive, -rows at least 1000")
	}
	return o, nil
}

// bench sets everything up, measures and reports.
func bench(ctx context.Context, o options, stdout, stderr io.Writer) (err error) {
	s, err := setup(ctx, o, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if o.profile != "" {
		return s.profile(ctx, o, stdout)
	}
	rep := report{Server: s.version, Config: strings.Join(s.config, "\n"), Rounds: o.rounds, io: s.io}
	if rep.Memory, err = s.idle(ctx, o.idle); err != nil { // before the load, whose garbage would hide it
		return err
	}
	var failed error
	if o.latency > 0 {
		for _, w := range o.works {
			one, err := s.latencies(ctx, w, o.latency)
			if err != nil {
				return err
			}
			rep.Latency = append(rep.Latency, one...)
		}
	} else if rep.rounds, failed = s.rounds(ctx, o, stderr); ctx.Err() != nil {
		return ctx.Err()
	}
	rep.finish()
	return errors.Join(rep.print(stdout), rep.write(o.out), rep.appendHistory(ctx, o.history), failed)
}

// rounds measures every cell, round by round. A cell that fails is noted, and the others are still measured.
func (s *scene) rounds(ctx context.Context, o options, stderr io.Writer) (all results, err error) {
	for round := range o.rounds {
		for _, w := range o.works {
			for _, threads := range o.threads {
				if threads > w.most {
					continue
				}
				for _, m := range s.middles {
					fmt.Fprintf(stderr, "\rround %d of %d: %-20s %5d clients  %-8s", round+1, o.rounds, w.name, threads, m.name)
					one, failed := measure(ctx, m, w, threads, o.time)
					if ctx.Err() != nil {
						return all, ctx.Err()
					}
					if failed != nil {
						one.Note = "failed: " + failed.Error()
						err = errors.Join(err, fmt.Errorf("%s over %s with %d clients: %w", w.name, m.name, threads, failed))
					}
					one.round = round
					all = append(all, one)
				}
			}
		}
	}
	fmt.Fprintln(stderr)
	return all, err
}
