package diff

import (
	"flag"
	"os"
	"testing"

	"ballast/integration/cluster"
)

var (
	pool       = cluster.NewPool()
	seed       = flag.Uint64("seed", 1, "the first seed of generated statements")
	statements = flag.Int("statements", 4800, "how many statements are generated in all")
)

// refusedAtMost bounds the share of generated statements that Ballast may refuse; it may only fall.
const refusedAtMost = 0.02

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(pool.Main(m))
}

// suite gives both sides, with one router over four nodes.
func suite(t *testing.T, tables []Table) *Suite {
	t.Helper()
	b := pool.Ballast(t, cluster.Shape{Nodes: 4, Metadata: true, Plain: true}, cluster.Size{})
	plain := b.Servers.Plain.DriverConfig()
	s := &Suite{
		Ballast: Side{Addr: b.Routers[0].Addr, User: "root", Clauses: true},
		Plain:   Side{Addr: b.Servers.Plain.Addr(), User: plain.User, Password: plain.Passwd},
		Tables:  tables,
	}
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCases runs the hand-written cases.
func TestCases(t *testing.T) {
	cases, err := Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no cases were found")
	}
	s := suite(t, caseTables)
	var all Counts
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			n, err := s.RunCase(c)
			if err != nil {
				t.Error(err)
			}
			for _, d := range n.Differences {
				t.Error(d)
			}
			all.Add(n)
		})
	}
	t.Log(all.String())
}

// TestGenerated runs generated statements, a few hundred to a seed.
func TestGenerated(t *testing.T) {
	s := suite(t, generatedTables)
	const perSeed = 300
	var all Counts
	for i := range uint64((*statements + perSeed - 1) / perSeed) {
		n, err := s.RunGenerated(*seed+i, perSeed)
		if err != nil {
			t.Fatalf("seed %d: %v", *seed+i, err)
		}
		for _, d := range n.Differences {
			t.Errorf("seed %d: %s", *seed+i, d)
		}
		all.Add(n)
	}
	t.Log(all.String())
	if share := float64(all.WithRows) / float64(max(all.Queries, 1)); share < 0.8 {
		t.Errorf("only %.0f%% of the queries answered rows on the plain server: they prove too little", 100*share)
	}
	if share := float64(all.Refused) / float64(max(all.Statements, 1)); share > refusedAtMost {
		t.Errorf("%.1f%% of the statements were refused, more than %.1f%%", 100*share, 100*refusedAtMost)
	}
}
