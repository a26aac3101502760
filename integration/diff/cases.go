package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Case is one hand-written case: statements that start from empty tables.
type Case struct {
	File, Name string
	Statements []Statement
}

// Statement is one statement of a case with what its marks say.
type Statement struct {
	SQL string
	// Refused is the error number that Ballast is expected to refuse it with; 0 means it must agree with the plain server.
	Refused uint16
	// TextOnly keeps it from being repeated as a prepared statement.
	TextOnly bool
	Line     int
}

// Load reads the cases of a folder. Format: "# name" begins a case; a line "-- refused 1235" or "-- text only" marks the next statement;
// a statement ends with ";" at the end of a line.
func Load(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		cs, err := parse(filepath.Base(f), string(text))
		if err != nil {
			return nil, err
		}
		cases = append(cases, cs...)
	}
	return cases, nil
}

func parse(file, text string) ([]Case, error) {
	var cases []Case
	var next Statement
	for i, line := range strings.Split(text, "\n") {
		switch {
		case next.SQL == "" && strings.HasPrefix(line, "# "):
			cases = append(cases, Case{File: file, Name: strings.TrimPrefix(line, "# ")})
			continue
		case next.SQL == "" && strings.HasPrefix(line, "-- refused "):
			if _, err := fmt.Sscanf(line, "-- refused %d", &next.Refused); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
			}
			continue
		case next.SQL == "" && strings.HasPrefix(line, "-- text only"):
			next.TextOnly = true
			continue
		case next.SQL == "" && (strings.TrimSpace(line) == "" || strings.HasPrefix(line, "-- ")):
			continue
		}
		if next.SQL == "" {
			next.Line = i + 1
		} else {
			next.SQL += "\n"
		}
		next.SQL += line
		if strings.HasSuffix(line, ";") {
			if len(cases) == 0 {
				return nil, fmt.Errorf("%s:%d: a statement before the first case", file, i+1)
			}
			next.SQL = strings.TrimSuffix(next.SQL, ";")
			c := &cases[len(cases)-1]
			c.Statements = append(c.Statements, next)
			next = Statement{}
		}
	}
	if next.SQL != "" {
		return nil, fmt.Errorf("%s:%d: the statement has no end", file, next.Line)
	}
	return cases, nil
}
