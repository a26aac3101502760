package supervise

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"ballast/dbserver"
	"ballast/rules/failure"
)

func TestGrid(t *testing.T) {
	got := grid([]string{"name", "n"}, [][]string{{"北京", "5"}, {"guangdong", "12"}})
	want := "  name        n\n  ---------  --\n  北京          5\n  guangdong  12"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPortsRoundTrip(t *testing.T) {
	p, err := ParsePorts(DefaultPorts().String())
	if err != nil || p.String() != "3307,7801,7800,3310,3311,3312,3313,3314" {
		t.Errorf("got %s, error %v", p, err)
	}
	for _, bad := range []string{"1,2,3", "a,b,c,d,e", "1,2,3,4,70000"} {
		if _, err := ParsePorts(bad); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func TestSampleRowsAreTheSameEachTime(t *testing.T) {
	a, b := strings.Join(sampleRows(), "\n"), strings.Join(sampleRows(), "\n")
	if a != b {
		t.Error("two calls differ")
	}
	if n := strings.Count(a, "), ("); n < sampleUsers+sampleOrders {
		t.Errorf("only %d rows", n)
	}
}

func TestTheFlavourOfTheDataHolds(t *testing.T) {
	o := Options{Dir: t.TempDir(), Out: &bytes.Buffer{}}
	if err := os.MkdirAll(o.path("logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	o.Flavour = dbserver.MariaDB
	if f, err := o.settleFlavour(); err != nil || f != dbserver.MariaDB {
		t.Fatalf("got %s, error %v", f, err)
	}
	o.Flavour = ""
	if f, err := o.settleFlavour(); err != nil || f != dbserver.MariaDB {
		t.Errorf("nothing asked for: got %s, error %v", f, err)
	}
	o.Flavour = dbserver.MySQL
	_, err := o.settleFlavour()
	var fail *failure.Error
	if !errors.As(err, &fail) || fail.Kind != errOtherFlavour {
		t.Errorf("another flavour: %v", err)
	}
}

func TestBelongs(t *testing.T) {
	const home = "/home/x/ballast/.ballast"
	for cmdline, want := range map[string]bool{
		"/usr/sbin/mysqld\x00--datadir=" + home + "/n0/data\x00":     true,
		"bin/ballast\x00router\x00--config=" + home + "/router.yaml": true,
		"tail\x00-f\x00" + home + "/logs/n0.log":                     false,
		"mysqld\x00--datadir=/home/x/ballast/.ballast2/n0/data\x00":  false,
		"vi\x00" + home + "/router.yaml":                             false,
		"mysqld\x00--datadir=/other/home/x/ballast/.ballast/n0/data": false,
	} {
		if got := belongs(cmdline, home); got != want {
			t.Errorf("%q: got %t", cmdline, got)
		}
	}
}

func TestNothingToStopIsNoError(t *testing.T) {
	var out bytes.Buffer
	o := Options{Dir: t.TempDir(), Out: &out}
	if err := Down(t.Context(), o); err != nil {
		t.Error(err)
	}
	if err := Clean(t.Context(), o); err != nil {
		t.Error(err)
	}
	if _, running, err := Status(o); running || err != nil {
		t.Errorf("running %t, error %v", running, err)
	}
}
