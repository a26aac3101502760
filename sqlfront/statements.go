package sqlfront

import (
	"context"

	"ballast/sqlfront/wire"
)

// latestStatement stands for the statement prepared last: clients of MariaDB execute it without waiting for the answer to COM_STMT_PREPARE.
const latestStatement = 1<<32 - 1

// maxParams is the most parameters a prepared statement may have.
const maxParams = 65_535

// statement is a prepared statement that a client holds.
type statement struct {
	id       uint32
	prepared Prepared
	exec     wire.StmtExecute
	longSize int
	longFail error // of COM_STMT_SEND_LONG_DATA, which has no answer: told by the next execution
	cursor   *cursor
}

// paramColumn is how a parameter is described to clients: its type is known only when it is bound.
var paramColumn = wire.Column{Name: "?", Charset: wire.CollationBinary, Type: wire.TypeVarString, Flags: wire.FlagBinary}

func (c *commands) prepare(ctx context.Context, sql []byte) outcome {
	c.prepared = nil
	if n := c.held.Add(1); n > int64(c.cfg.MaxStatements) {
		c.held.Add(-1)
		return c.refuse(failStatements.New(c.cfg.MaxStatements))
	}
	p, err := c.session.Prepare(ctx, sql)
	if err == nil && p.Params() > maxParams {
		p.Close()
		err = failTooManyParams.New()
	}
	if err != nil {
		c.held.Add(-1)
		return c.end(err)
	}
	c.metrics.statements.Inc()
	c.lastID++
	for c.lastID == 0 || c.lastID == latestStatement || c.statements[c.lastID] != nil { // after four billion
		c.lastID++
	}
	st := &statement{id: c.lastID, prepared: p, exec: wire.StmtExecute{Params: make([]wire.Param, p.Params())}}
	if c.statements == nil {
		c.statements = map[uint32]*statement{}
	}
	c.statements[c.lastID] = st
	c.prepared = st
	return c.end(c.describe(st))
}

// describe writes the answer to COM_STMT_PREPARE.
func (c *commands) describe(st *statement) error {
	columns := st.prepared.Columns()
	head := wire.StmtPrepareOK{ID: st.id, Columns: uint16(len(columns)), Params: uint16(len(st.exec.Params))}
	var one [64]byte
	if err := c.reply.payload(head.Append(one[:0])); err != nil {
		return err
	}
	param := paramColumn.Append(one[:0])
	for range st.exec.Params {
		if err := c.reply.payload(param); err != nil {
			return err
		}
	}
	if err := c.endList(len(st.exec.Params)); err != nil {
		return err
	}
	var column []byte
	for i := range columns {
		column = columns[i].Append(column[:0])
		if err := c.reply.payload(column); err != nil {
			return err
		}
	}
	return c.endList(len(columns))
}

// endList ends a list of definitions, where it has any and the client wants it.
func (c *commands) endList(n int) error {
	if n == 0 || c.reply.DeprecateEOF() {
		return nil
	}
	return c.reply.endList(c.session.Status(), 0)
}

// statement finds a statement by id.
func (c *commands) statement(id uint32, function string) (*statement, error) {
	if c.latest != nil && c.latest.id == id {
		return c.latest, nil
	}
	st := c.statements[id]
	if id == latestStatement {
		st = c.prepared
	}
	if st == nil {
		return nil, failUnknownStatement.New(id, function)
	}
	c.latest = st
	return st, nil
}

func (c *commands) execute(ctx context.Context, body []byte) outcome {
	id, err := wire.StmtExecuteID(body)
	if err != nil {
		return c.end(malformed(err))
	}
	st, err := c.statement(id, "mysqld_stmt_execute")
	if err != nil {
		return c.refuse(err)
	}
	st.dropCursor()
	defer st.forgetLong()
	if st.longFail != nil {
		return c.refuse(st.longFail)
	}
	if err := st.exec.Decode(body); err != nil {
		return c.refuse(failExecuteArguments.Wrap(err))
	}
	c.reply.format = wire.Binary
	if st.exec.Cursor&wire.CursorReadOnly != 0 {
		return c.openCursor(ctx, st)
	}
	return c.answered(ctx, st.prepared.Execute(ctx, st.exec.Params, c.reply))
}

// launchExecute is execute on a loop: for statements that are ready to run, with nothing to be told or kept about them.
func (c *commands) launchExecute(ctx context.Context, body []byte) bool {
	id, err := wire.StmtExecuteID(body)
	if err != nil {
		return false
	}
	st, err := c.statement(id, "mysqld_stmt_execute")
	if err != nil || st.cursor != nil || st.longFail != nil || st.longSize > 0 || st.hasLong() {
		return false
	}
	p, ok := st.prepared.(PreparedLauncher)
	if !ok || st.exec.Decode(body) != nil || st.exec.Cursor&wire.CursorReadOnly != 0 {
		return false
	}
	c.reply.format = wire.Binary
	return p.Launch(ctx, st.exec.Params, c.reply)
}

func (c *commands) longData(body []byte) outcome {
	var m wire.StmtLongData
	if err := m.Decode(body); err != nil {
		return outcomeClose // there is no answer to put an error in
	}
	st, err := c.statement(m.ID, "mysqld_stmt_send_long_data")
	if err != nil {
		return outcomeSilent
	}
	switch {
	case int(m.Param) >= len(st.exec.Params):
		st.longFail = failLongDataArgument.New()
	case st.longSize+len(m.Data) > c.cfg.MaxPacket:
		st.forgetLong()
		st.longFail = failLongDataSize.New()
	case st.longFail == nil:
		p := &st.exec.Params[m.Param]
		if !p.Long {
			p.Long, p.Null, p.Value = true, false, []byte{}
		}
		p.Value = append(p.Value, m.Data...)
		st.longSize += len(m.Data)
	}
	return outcomeSilent
}

func (c *commands) resetStatement(body []byte) outcome {
	var m wire.StmtID
	if err := m.Decode(body); err != nil {
		return c.end(malformed(err))
	}
	st, err := c.statement(m.ID, "mysqld_stmt_reset")
	if err != nil {
		return c.refuse(err)
	}
	st.dropCursor()
	st.forgetLong()
	return c.ok()
}

func (c *commands) closeStatement(body []byte) outcome {
	var m wire.StmtID
	if err := m.Decode(body); err != nil {
		return outcomeClose
	}
	if st, err := c.statement(m.ID, "mysqld_stmt_close"); err == nil {
		c.dropStatement(st)
	}
	return outcomeSilent
}

func (c *commands) dropStatement(st *statement) {
	st.dropCursor()
	st.prepared.Close()
	delete(c.statements, st.id)
	if c.latest == st {
		c.latest = nil
	}
	if c.prepared == st {
		c.prepared = nil
	}
	c.held.Add(-1)
	c.metrics.statements.Dec()
}

func (c *commands) closeStatements() {
	for _, st := range c.statements {
		c.dropStatement(st)
	}
}

func (st *statement) forgetLong() {
	if st.longSize > 0 || st.longFail != nil || st.hasLong() {
		st.exec.ForgetLong()
		st.longSize, st.longFail = 0, nil
	}
}

func (st *statement) hasLong() bool {
	for i := range st.exec.Params {
		if st.exec.Params[i].Long {
			return true
		}
	}
	return false
}

func (st *statement) dropCursor() {
	if st.cursor != nil {
		st.cursor.close()
		st.cursor = nil
	}
}
