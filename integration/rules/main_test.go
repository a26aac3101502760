package rules_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"

	"ballast/integration/cluster"
)

var (
	pool = cluster.NewPool()
	seed = flag.Uint64("seed", 1, "the seed of strategies and values; 0 takes a new one")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	os.Exit(pool.Main(m))
}
