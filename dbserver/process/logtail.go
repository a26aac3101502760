package process

import (
	"errors"
	"io"
	"strings"
	"sync"
)

// tailBytes is how much of a process's output is kept in memory to explain why it ended.
const tailBytes = 8 << 10

// logTail passes a process's output on and remembers its end.
type logTail struct {
	out io.WriteCloser

	mu   sync.Mutex
	tail []byte
	exit error
}

// Write implements io.Writer for the process's output.
func (l *logTail) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.tail = append(l.tail, p...)
	if len(l.tail) > tailBytes {
		l.tail = append(l.tail[:0], l.tail[len(l.tail)-tailBytes:]...)
	}
	l.mu.Unlock()
	return l.out.Write(p)
}

// ended notes how the process ended and closes the log.
func (l *logTail) ended(exit error) {
	err := l.out.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exit = errors.Join(exit, err)
}

// reason words why the process ended: the lines at the end of its output that tell of errors, else the last line, else how it ended.
func (l *logTail) reason() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var last string
	var faults []string
	for line := range strings.Lines(string(l.tail)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		if strings.Contains(line, "ERROR") || strings.Contains(line, "error while loading") {
			faults = append(faults, line)
		}
	}
	if len(faults) > 3 {
		faults = faults[:3]
	}
	switch {
	case len(faults) > 0:
		return strings.Join(faults, " | ")
	case last != "":
		return last
	case l.exit != nil:
		return l.exit.Error()
	}
	return "it wrote nothing"
}
