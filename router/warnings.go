package router

import (
	"context"
	"errors"
	"strconv"

	"ballast/router/backend"
	"ballast/router/engine"
	"ballast/sqlfront/wire"
)

// warning is one row of SHOW WARNINGS.
type warning struct {
	level   string
	number  uint16
	message string
}

// ofText says whether a warning is about how the statement is written, and so comes once whatever its rows: syntax that is deprecated.
func (w warning) ofText() bool {
	switch w.number {
	case 1287, 1681:
		return true
	}
	return false
}

// maxWarnings bounds what is kept of one statement; the servers' own default of max_error_count is lower on MariaDB and as high on MySQL.
const maxWarnings = 1024

// fetchWarnings reads the warnings of the statement that a connection has just run. They are kept in the session, since the connection
// may serve another one next.
func (s *Session) fetchWarnings(ctx context.Context, k *backend.Conn) ([]warning, error) {
	rows, err := textRows(ctx, k, "SHOW WARNINGS")
	if err != nil {
		return nil, err
	}
	out := make([]warning, 0, min(len(rows), maxWarnings))
	for _, r := range rows[:min(len(rows), maxWarnings)] {
		n, err := strconv.ParseUint(string(r[1]), 10, 16)
		if err != nil {
			return nil, err
		}
		out = append(out, warning{string(r[0]), uint16(n), string(r[2])})
	}
	return out, nil
}

// noteError makes an error the one row that SHOW WARNINGS and SHOW ERRORS then have.
func (s *Session) noteError(err error) {
	number, _, message := describe(err)
	s.last.warnings = append(s.last.warnings[:0], warning{"Error", number, message})
	s.last.errors = 1
	s.last.warned = 1
	s.last.rowCount = -1
}

// describe gives an error as a client reads it.
func describe(err error) (number uint16, state, message string) {
	var se *wire.ServerError
	if errors.As(err, &se) {
		return se.Number, se.State, se.Message
	}
	var own interface {
		error
		MySQL() (uint16, string)
	}
	if errors.As(err, &own) {
		number, state = own.MySQL()
		return number, state, own.Error()
	}
	return 1105, "HY000", err.Error()
}

// warningRows gives what SHOW WARNINGS, or SHOW ERRORS, lists.
func (s *Session) warningRows(errorsOnly bool, offset, limit uint64) *engine.Values {
	code := numberColumn("Code", 4)
	code.Type, code.Flags = wire.TypeLong, code.Flags|wire.FlagUnsigned
	cols := []wire.Column{textColumn("Level", 7), code, textColumn("Message", 512)}
	var rows [][]any
	for _, w := range s.last.warnings {
		if errorsOnly && w.level != "Error" {
			continue
		}
		if offset > 0 {
			offset--
			continue
		}
		if uint64(len(rows)) >= limit {
			break
		}
		rows = append(rows, []any{w.level, uint64(w.number), w.message})
	}
	return &engine.Values{Columns: cols, Rows: rows}
}
