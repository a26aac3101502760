package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
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
	clients int
	out     string
	profile string
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(args) == 2 && args[0] == "relay" {
		if err := relay(ctx, args[1], stdout); err != nil {
			fmt.Fprintln(stderr, "relay:", err)
			return 1
		}
		return 0
	}
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
	f.StringVar(&middleList, "middles", "direct,relay,ballast", "what stands between client and server")
	f.StringVar(&workList, "works", "point_text,point_prepared,insert,update,scatter_count,rows_50000", "what is measured; all: every work there is")
	f.StringVar(&threadList, "threads", "1,8,64", "numbers of clients at a time")
	f.IntVar(&o.rounds, "rounds", 3, "how often each cell is measured; medians are shown")
	f.DurationVar(&o.time, "time", 2*time.Second, "how long each cell is measured in one round")
	f.IntVar(&o.rows, "rows", 20_000, "rows in the tables of point reads and updates")
	f.IntVar(&o.clients, "clients", 1000, "idle connections for the memory measurement; 0 leaves it out")
	f.StringVar(&o.out, "out", os.Getenv("OUT"), "file for the numbers, as JSON")
	f.StringVar(&o.profile, "profile", "", "file for a CPU profile of the router, taken during Ballast's first cell")
	if err := f.Parse(args); err != nil {
		return o, err
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

// bench sets everything up, measures round by round and reports.
func bench(ctx context.Context, o options, stdout, stderr io.Writer) (err error) {
	s, err := setup(ctx, o, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	idle, err := s.memory(ctx, o.clients) // before the load, whose garbage would hide it
	if err != nil {
		return err
	}
	var all results
	profile := o.profile
	for round := range o.rounds {
		for _, w := range o.works {
			for _, threads := range o.threads {
				for _, m := range s.middles {
					fmt.Fprintf(stderr, "\rround %d of %d: %-20s %3d clients  %-8s", round+1, o.rounds, w.name, threads, m.name)
					stop := func() error { return nil }
					if profile != "" && m.name == "ballast" {
						stop, profile = s.profile(ctx, profile, o.time), ""
					}
					one, err := measure(ctx, m, w, threads, o.time)
					if err := errors.Join(err, stop()); err != nil {
						fmt.Fprintln(stderr)
						return fmt.Errorf("%s over %s with %d clients: %w", w.name, m.name, threads, err)
					}
					all = append(all, one)
				}
			}
		}
	}
	fmt.Fprintln(stderr)
	rep := report{Server: s.version, Config: s.config, Runs: all.medians(), Memory: idle}
	rep.print(stdout)
	return rep.write(o.out)
}
