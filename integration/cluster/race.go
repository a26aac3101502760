package cluster

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// raceDetector tells whether the programs under test are built with the race detector.
func raceDetector() bool { return os.Getenv("BALLAST_RACE") == "1" }

// races gives what the race detector wrote into a daemon's log.
func (d *Daemon) races() error {
	if !raceDetector() {
		return nil
	}
	text, err := os.ReadFile(d.LogFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the log of %s: %w", d.Name, err)
	}
	const most = 20_000
	at := strings.Index(string(text), "WARNING: DATA RACE")
	if at < 0 {
		return nil
	}
	return fmt.Errorf("%s has data races: %s", d.Name, text[at:min(at+most, len(text))])
}
