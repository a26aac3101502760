package router

import (
	"errors"

	"ballast/router/engine"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// answerOK answers a statement without rows; the status word is the session's.
func (s *Session) answerOK(r *sqlfront.Reply, ok wire.OK, more bool) error {
	ok.Status = s.statusWith(ok.Status, more)
	return r.OK(ok)
}

// answerDone is answerOK for a command that affects no rows.
func (s *Session) answerDone(r *sqlfront.Reply, st *statement) error {
	ok := wire.OK{Warnings: uint16(min(len(st.warned), 1<<16-1))}
	s.wrote(ok, st.warned)
	return s.answerOK(r, ok, st.more)
}

// statusWith takes what a node said of the statement itself, and the session's own flags.
func (s *Session) statusWith(node wire.Status, more bool) wire.Status {
	const ofStatement = wire.StatusNoGoodIndexUsed | wire.StatusNoIndexUsed | wire.StatusQueryWasSlow | wire.StatusDBDropped
	st := node&ofStatement | s.Status()
	if more {
		st |= wire.StatusMoreResults
	}
	return st
}

// answerRows writes a result set. Rows are pulled as fast as the client takes them.
func (s *Session) answerRows(st *statement, r *sqlfront.Reply, rows engine.Rows) (n uint64, err error) {
	if err := r.Columns(namedAs(rows.Columns(), st.columns)); err != nil {
		return 0, errors.Join(err, rows.Close())
	}
	n, err = copyRows(rows, r.Row)
	warnings := rows.Warnings()
	if err = errors.Join(err, rows.Close()); err != nil {
		return n, err
	}
	return n, r.EOF(s.statusWith(0, st.more), warnings)
}

// namedAs gives columns the names of others, if they are as many.
func namedAs(columns, names []wire.Column) []wire.Column {
	if len(columns) != len(names) {
		return columns
	}
	out := append([]wire.Column(nil), columns...)
	for i := range out {
		out[i].Name = names[i].Name
	}
	return out
}
