package router

import (
	"context"

	"ballast/router/backend"
	"ballast/router/plan"
	"ballast/rules/catalog"
	"ballast/sqlfront/wire"
)

// afterRelay keeps what the session functions will tell of an answer that was relayed.
func (s *Session) afterRelay(ctx context.Context, st *statement, k *backend.Conn, ans *backend.Answer) error {
	s.spent()
	if ans.IsErr {
		return s.relayedError(ctx, k, ans)
	}
	var warned []warning
	if ans.Warnings > 0 {
		var err error
		if warned, err = s.fetchWarnings(ctx, k); err != nil {
			return err
		}
	}
	if ans.Columns > 0 {
		s.read(ans.Rows, uint64(ans.Warnings), warned)
		skipped := st.plan.Offset(st.args)
		if skipped > 0 && ans.Rows > 0 {
			s.last.foundRows += skipped
		}
		if st.plan.CalcFoundRows || skipped > 0 && ans.Rows == 0 {
			n, err := s.askNumber(ctx, k, "SELECT FOUND_ROWS()")
			if err != nil {
				return err
			}
			s.last.foundRows = n
		}
		if st.plan.SetsInsertID {
			n, err := s.askNumber(ctx, k, "SELECT LAST_INSERT_ID()")
			if err != nil {
				return err
			}
			s.last.insertID = n
		}
	} else {
		s.wrote(ans.OK, warned)
		s.writeFound(st, ans.Found)
		if err := s.noteInsertID(ctx, st, k, &ans.OK); err != nil {
			return err
		}
	}
	if len(st.plan.AssignsVars) > 0 {
		return s.readAssigned(ctx, k, st.plan.AssignsVars)
	}
	return nil
}

// noteInsertID finds out what LAST_INSERT_ID() is after a write whose id a node gave. The packet's id may also be one that the client
// wrote itself, which does not count.
func (s *Session) noteInsertID(ctx context.Context, st *statement, k *backend.Conn, ok *wire.OK) error {
	id := ok.InsertID
	if id == 0 {
		return nil
	}
	switch st.plan.Verb {
	case plan.Insert, plan.Replace:
		if st.plan.SetsInsertID && ok.Affected != 1 { // a duplicate was met: LAST_INSERT_ID(expr) of ON DUPLICATE KEY UPDATE
			s.last.insertID = id
			return nil
		}
		if !s.numberedByNode(st.plan) {
			return nil
		}
		n, err := s.askNumber(ctx, k, "SELECT LAST_INSERT_ID()")
		if err != nil {
			return err
		}
		if n == id {
			s.last.insertID = id
		}
	default: // LAST_INSERT_ID(expr)
		s.last.insertID = id
	}
	return nil
}

// numberedByNode says whether an INSERT's table has its AUTO_INCREMENT from the node itself rather than from a sequence.
func (s *Session) numberedByNode(p *plan.Plan) bool {
	for i := range p.Accesses {
		a := &p.Accesses[i]
		if t := s.env.Snapshot.Table(catalog.Name{Schema: a.Schema, Table: a.Table}); t != nil && a.Need&catalog.Write != 0 {
			return t.Sequence == ""
		}
	}
	return false
}

// relayedError keeps the error that the client has already read, as SHOW WARNINGS will show it.
func (s *Session) relayedError(ctx context.Context, k *backend.Conn, ans *backend.Answer) error {
	s.last.rowCount, s.last.errors, s.last.warned = -1, 1, 1
	s.last.warnings = append(s.last.warnings[:0], warning{"Error", ans.ErrNumber, ""})
	if k.Broken() {
		return nil
	}
	warned, err := s.fetchWarnings(ctx, k)
	if err != nil || len(warned) == 0 {
		return err
	}
	s.keep(uint64(len(warned)), warned)
	return nil
}

// askNumber reads one number.
func (s *Session) askNumber(ctx context.Context, k *backend.Conn, sql string) (uint64, error) {
	rows, err := textRows(ctx, k, sql)
	if err != nil {
		return 0, err
	}
	n, _ := leadingNumber(string(rows[0][0]))
	return n, nil
}

// read and wrote keep the outcome of a statement with rows and of one without.
func (s *Session) read(rows, count uint64, warned []warning) {
	s.last.rowCount = -1
	s.last.foundRows = rows
	s.keep(count, warned)
}

func (s *Session) wrote(ok wire.OK, warned []warning) {
	s.last.rowCount = int64(ok.Affected)
	s.keep(uint64(ok.Warnings), warned)
}

// writeFound is what FOUND_ROWS() gives after a statement without rows, which leaves it as it was but for a few.
func (s *Session) writeFound(st *statement, found uint64) {
	mysql := s.flavor() == catalog.MySQL
	switch {
	case st.plan.Verb == plan.Update && mysql:
		s.last.foundRows = found
	case st.plan.Verb == plan.Do && mysql:
		s.last.foundRows = 1
	case st.plan.InsertsSelect:
		s.last.foundRows = found
	default:
	}
}

// keep takes over what a statement warned of. On MariaDB a statement that names no table and warns of nothing leaves what there was.
func (s *Session) keep(count uint64, warned []warning) {
	if count == 0 && s.flavor() == catalog.MariaDB && !namesTable(s.running.Load()) {
		return
	}
	s.last.warned, s.last.warnings, s.last.errors = count, warned, 0
	for i := range warned {
		if warned[i].level == "Error" {
			s.last.errors++
		}
	}
}

// outcome is what the session functions tell of the statement before.
type outcome struct {
	insertID  uint64
	rowCount  int64
	foundRows uint64
	warnings  []warning
	warned    uint64 // the count, which may be more than what is kept
	errors    uint64
}

func namesTable(p *plan.Plan) bool {
	if p == nil {
		return false
	}
	for i := range p.Accesses {
		if p.Accesses[i].Table != "" {
			return true
		}
	}
	return false
}
