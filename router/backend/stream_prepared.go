package backend

import (
	"errors"

	"ballast/sqlfront/wire"
)

// lastStmt is the statement that a connection's last binary Stream ran; the next one often has the same text.
type lastStmt struct {
	sql, parse string
	id         uint32
}

// maxLastStmt is the length of the longest text that lastStmt holds.
const maxLastStmt = 4 << 10

// Ready sends what had to wait for an answer: the execution of a statement that was to be prepared first. What goes wrong Rows tells.
func (st *Stream) Ready() {
	if st.stage != stagePrepare || st.wrong != nil {
		return
	}
	if st.wrong = st.prepared(); st.wrong == nil {
		st.wrong = st.post()
	}
}

// prepared reads the answer to a prepare, and makes execution the next stage.
func (st *Stream) prepared() error {
	k := st.k
	if err := st.answer(); err != nil {
		return err
	}
	payload, err := k.receive()
	if err != nil {
		return err
	}
	if len(payload) == 0 || payload[0] != wire.OKHeader {
		if _, err := k.okOrError(payload); err != nil {
			return err
		}
		return k.malformed(wire.ErrMalformed)
	}
	var head wire.StmtPrepareOK
	if err := head.Decode(payload); err != nil {
		return k.malformed(err)
	}
	for _, n := range [2]int{int(head.Params), int(head.Columns)} {
		if n > 0 && k.class&DeprecateEOF == 0 {
			n++ // the EOF behind the definitions
		}
		for range n {
			if _, err := k.receive(); err != nil {
				return err
			}
		}
	}
	k.rest()
	k.stmts.remember(st.sql, k.want.parse, head.ID)
	st.stage, st.stmt = stageExecute, head.ID
	return nil
}

// remember keeps a statement for the next Stream, in place of the one before. A text too long to keep is closed after its execution.
func (s *statements) remember(sql []byte, parse string, id uint32) {
	if s.last.id != 0 {
		s.close(s.last.id)
	}
	s.last = lastStmt{}
	if len(sql) <= maxLastStmt {
		s.last = lastStmt{sql: string(sql), parse: parse, id: id}
	}
}

func forgotten(err error) bool {
	var se *wire.ServerError
	return errors.As(err, &se) && (se.Number == 1243 || se.Number == 1615)
}
