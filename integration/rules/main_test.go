package rules_test

import (
	"os"
	"testing"

	"ballast/integration/cluster"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }
