package supervise_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ballast/dbserver"
	"ballast/supervise"
)

// local is a local cluster on free ports in a temporary folder.
type local struct {
	supervise.Options
	out *bytes.Buffer
}

func newLocal(t *testing.T) *local {
	t.Helper()
	flavour, err := dbserver.ParseFlavour(os.Getenv("BALLAST_SERVER"))
	if err != nil {
		t.Fatal(err)
	}
	base, err := dbserver.FastTempDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(base, "up-")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "ballast")
	if text, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "ballast/cmd/ballast").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	// The supervisor looks for the server in the cache of the folder that it runs in, which is not this checkout.
	cache, err := dbserver.CacheDir(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("BALLAST_CACHE", cache)
	l := &local{out: &bytes.Buffer{}}
	l.Options = supervise.Options{Dir: dir, Flavour: flavour, Program: program, Ports: freePorts(t), Out: l.out}
	t.Cleanup(func() {
		if err := supervise.Clean(context.WithoutCancel(t.Context()), l.Options); err != nil {
			t.Error(err)
		}
		if left := processesIn(t, dir); len(left) > 0 {
			t.Errorf("processes left: %v", left)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return l
}

func freePorts(t *testing.T) supervise.Ports {
	t.Helper()
	var text []string
	for range 8 {
		port, err := dbserver.FreePort()
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, strconv.Itoa(port))
	}
	ports, err := supervise.ParsePorts(strings.Join(text, ","))
	if err != nil {
		t.Fatal(err)
	}
	return ports
}

// up runs Up and gives what it printed from the page's first line on.
func (l *local) up(t *testing.T) string {
	t.Helper()
	l.out.Reset()
	if err := supervise.Up(t.Context(), l.Options); err != nil {
		t.Fatalf("%v\n%s%s", err, l.out, l.logs(t))
	}
	_, page, ok := strings.Cut(l.out.String(), "Ballast is up")
	if !ok {
		t.Fatalf("no page:\n%s", l.out)
	}
	return page
}

// logs gives the ends of the logs that explain a failure: the supervisor's, and those of the roles that are not ready.
func (l *local) logs(t *testing.T) string {
	t.Helper()
	status, _, err := supervise.Status(l.Options)
	if err != nil {
		t.Error(err)
	}
	names := []string{"supervisor"}
	for _, r := range status.Roles {
		if r.State != supervise.StateReady {
			names = append(names, r.Name)
		}
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(l.Dir, ".ballast", "logs", name+".log"))
		fmt.Fprintf(&all, "\n%s.log (%v):\n%s", name, err, text[max(0, len(text)-3000):])
	}
	return all.String()
}

// patience is long because test machines are small and busy.
const patience = 90 * time.Second

// await waits until the cluster's status satisfies cond.
func (l *local) await(t *testing.T, what string, cond func(supervise.ClusterStatus) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		status, _, err := supervise.Status(l.Options)
		if err != nil {
			t.Fatal(err)
		}
		if cond(status) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not within %s: %+v%s", what, patience, status, l.logs(t))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func roleOf(status supervise.ClusterStatus, name string) supervise.RoleStatus {
	for _, r := range status.Roles {
		if r.Name == name {
			return r
		}
	}
	return supervise.RoleStatus{}
}

// processesIn lists processes whose command line names something in dir.
func processesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && bytes.Contains(text, []byte(dir)) && !strings.HasPrefix(file, fmt.Sprintf("/proc/%d/", os.Getpid())) {
			found = append(found, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return found
}

func TestLocalCluster(t *testing.T) {
	l := newLocal(t)
	began := time.Now()
	page := l.up(t)
	t.Logf("up in %s", time.Since(began).Round(10*time.Millisecond))
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the first query took %s", took)
	}
	checkPage(t, page)

	t.Run("again", func(t *testing.T) {
		before, _, err := supervise.Status(l.Options)
		if err != nil {
			t.Fatal(err)
		}
		if again := l.up(t); again != page {
			t.Errorf("the second page differs:\n%s\nfrom\n%s", again, page)
		}
		after, _, err := supervise.Status(l.Options)
		if err != nil || after.PID != before.PID {
			t.Errorf("the supervisor changed from %d to %d, error %v", before.PID, after.PID, err)
		}
	})

	t.Run("other flavour", func(t *testing.T) {
		other := l.Options
		other.Flavour = dbserver.MariaDB
		if l.Flavour == dbserver.MariaDB {
			other.Flavour = dbserver.MySQL
		}
		if err := supervise.Up(t.Context(), other); err == nil || !strings.Contains(err.Error(), "BL7101") {
			t.Errorf("got %v", err)
		}
	})

	t.Run("other ports", func(t *testing.T) {
		other := l.Options
		other.Ports.Router++
		if err := supervise.Up(t.Context(), other); err == nil || !strings.Contains(err.Error(), "BL7108") {
			t.Errorf("got %v", err)
		}
		other.Ports = supervise.Ports{} // those that the cluster has
		if err := supervise.Up(t.Context(), other); err != nil {
			t.Error(err)
		}
	})

	t.Run("taken port", func(t *testing.T) {
		second := l.Options
		second.Dir = t.TempDir()
		err := supervise.Up(t.Context(), second)
		for _, part := range []string{"BL7006", strconv.Itoa(l.Ports.Router), "the router", "ballast (process"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("the error does not say %q: %v", part, err)
			}
		}
	})

	for _, victim := range []string{"n2", "master", "router", "metadata"} {
		t.Run("dead "+victim, func(t *testing.T) {
			var pid int
			l.await(t, victim+" runs", func(s supervise.ClusterStatus) bool {
				pid = roleOf(s, victim).PID
				return pid != 0
			})
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			l.await(t, victim+" is back", func(s supervise.ClusterStatus) bool {
				r := roleOf(s, victim)
				return r.State == supervise.StateReady && r.PID != pid && r.PID != 0
			})
		})
	}

	t.Run("down and up", func(t *testing.T) {
		if err := supervise.Down(t.Context(), l.Options); err != nil {
			t.Fatal(err)
		}
		if left := processesIn(t, l.Dir); len(left) > 0 {
			t.Errorf("processes left: %v", left)
		}
		if again := l.up(t); again != page {
			t.Errorf("the data did not survive:\n%s", again)
		}
	})

	t.Run("dead supervisor", func(t *testing.T) {
		status, _, err := supervise.Status(l.Options)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(status.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		l.await(t, "the supervisor is gone", func(s supervise.ClusterStatus) bool { return s.PID == 0 })
		// Its children die with it; the next up cleans up what is left and starts anew.
		if again := l.up(t); again != page {
			t.Errorf("after the supervisor was killed:\n%s", again)
		}
	})
}

// checkPage holds the page against what the sample is.
func checkPage(t *testing.T, page string) {
	t.Helper()
	for _, want := range []string{
		"-u root shop",
		"make down", "make clean", "rulectl",
		"select", // any query
	} {
		if !strings.Contains(strings.ToLower(page), strings.ToLower(want)) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "rror") {
		t.Errorf("the page shows an error:\n%s", page)
	}
	// Rows per node, by table. Sharded tables lie on all nodes; their sum is the number of rows. A global table is whole everywhere.
	counts := map[string][]int{}
	line := regexp.MustCompile(`(?m)^  (\w+) +(\d+) +(\d+) +(\d+) +(\d+)  `)
	for _, m := range line.FindAllStringSubmatch(page, -1) {
		for _, text := range m[2:] {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			counts[m[1]] = append(counts[m[1]], n)
		}
	}
	for table, total := range map[string]int{"users": 3200, "orders": 600, "order_items": 1200, "stores": 30, "visits": 1095} {
		sum := 0
		for _, n := range counts[table] {
			sum += n
			if n == 0 {
				t.Errorf("a node has no row of %s: %v", table, counts[table])
			}
		}
		if sum != total {
			t.Errorf("%s has %d rows in all, want %d: %v", table, sum, total, counts[table])
		}
	}
	if got := fmt.Sprint(counts["users"], counts["region"], counts["settings"]); got != "[800 800 800 800] [6 6 6 6] [0 3 0 0]" {
		t.Errorf("users, region, settings lie as %s", got)
	}
	if !regexp.MustCompile(`(?m)^  1234  Chen Jing +\S+ +2025-\d\d-\d\d$`).MatchString(page) {
		t.Errorf("user 1234 is not shown as she is:\n%s", page)
	}
}
