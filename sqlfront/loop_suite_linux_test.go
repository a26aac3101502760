package sqlfront_test

import (
	"os"
	"os/exec"
	"testing"
)

// The other tests of this package, but for the longest, hold for servers with event loops, too: they run again in a process of their own.
func TestSuiteOnLoops(t *testing.T) {
	const mode = "BALLAST_IO=loop"
	if os.Getenv("BALLAST_IO") != "" {
		return // one mode was asked for
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^Test", "-test.skip=Loop|TestGoSQLDriver|TestLargePackets|TestLongDataOver16MiB") //nolint:gosec // itself
	cmd.Env = append(os.Environ(), mode)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", mode, err, out)
	}
}
