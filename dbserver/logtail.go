package dbserver

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// tailBytes is how much of a server's log is kept in memory to explain why it ended.
const tailBytes = 8 << 10

// logTail passes a server's output on and remembers its end.
type logTail struct {
	out  io.Writer
	file *os.File // to be closed with the process; nil if out is the caller's

	mu   sync.Mutex
	tail []byte
	exit error
}

func newLogTail(out io.Writer, path string) (*logTail, error) {
	if out != nil {
		return &logTail{out: out}, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	return &logTail{out: f, file: f}, nil
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

// Close closes the file that newLogTail opened.
func (l *logTail) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// ended notes how the process ended.
func (l *logTail) ended(exit error) {
	err := l.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exit = errors.Join(exit, err)
}

// reason words why the server ended: the last lines of its log that are errors, else the last line, else how the process ended.
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
