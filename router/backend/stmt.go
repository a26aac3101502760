package backend

import (
	"container/list"
	"context"
	"errors"

	"ballast/sqlfront/wire"
)

// Stmt is a statement prepared on one connection. It belongs to that connection and stays valid until the connection is given back, or
// until more statements than Config.MaxStatements have been prepared after it.
type Stmt struct {
	id       uint32
	key      stmtKey
	readOnly bool
	params   int
	columns  []wire.Column
	age      *list.Element // nil once forgotten
}

// Params is the number of parameters; Columns are those of the result, nil for a statement without rows.
func (st *Stmt) Params() int { return st.params }

// Columns describes the result, nil for a statement without rows.
func (st *Stmt) Columns() []wire.Column { return st.columns }

// stmtKey: the same text means something else under another database or sql_mode, and for parameters of other types.
type stmtKey struct{ sql, parse, types string }

// maxStatementBytes bounds the texts of the statements of one connection.
const maxStatementBytes = 1 << 20

// statements are the prepared statements of one connection, bounded; the one used longest ago goes first.
type statements struct {
	max    int
	bytes  int // of all texts
	byText map[stmtKey]*Stmt
	ages   list.List // of *Stmt, latest first
	closed []byte    // COM_STMT_CLOSE packets to send along with the next command
	last   lastStmt  // of a Stream
}

// find gives a statement and makes it the latest; no allocation.
func (s *statements) find(sql []byte, parse string, types []byte) *Stmt {
	if latest := s.ages.Front(); latest != nil { // most often it is this one
		if st := latest.Value.(*Stmt); st.key.sql == string(sql) && st.key.parse == parse && st.key.types == string(types) {
			return st
		}
	}
	st := s.byText[stmtKey{string(sql), parse, string(types)}]
	if st != nil {
		s.ages.MoveToFront(st.age)
	}
	return st
}

func (s *statements) add(st *Stmt) {
	if s.byText == nil {
		s.byText = map[stmtKey]*Stmt{}
	}
	s.bytes += len(st.key.sql)
	for s.ages.Len() > 0 && (len(s.byText) >= s.max || s.bytes > maxStatementBytes) {
		s.drop(s.ages.Back().Value.(*Stmt))
	}
	s.byText[st.key] = st
	st.age = s.ages.PushFront(st)
}

// drop forgets a statement and has it closed.
func (s *statements) drop(st *Stmt) {
	if st.age == nil {
		return
	}
	s.ages.Remove(st.age)
	st.age = nil
	s.bytes -= len(st.key.sql)
	delete(s.byText, st.key)
	s.close(st.id)
}

// dropAll drops all of them.
func (s *statements) dropAll() {
	for s.ages.Len() > 0 {
		s.drop(s.ages.Back().Value.(*Stmt))
	}
}

// close has a statement closed, along with the next command.
func (s *statements) close(id uint32) {
	s.closed, _ = wire.AppendPacket(s.closed, 0, (&wire.StmtID{ID: id}).Append(nil, wire.ComStmtClose))
}

// appendClosed appends what is to be closed; no answer comes to it.
func (s *statements) appendClosed(dst []byte) []byte {
	dst = append(dst, s.closed...)
	s.closed = s.closed[:0]
	return dst
}

// forget is for a connection whose statements are gone.
func (s *statements) forget() {
	*s = statements{max: s.max}
}

// tooManyStatements is the error of a server that has max_prepared_stmt_count of them, over all its connections.
const tooManyStatements = 1461

// Prepare gives the prepared statement of a text; it is prepared on this connection unless it has been, under the same settings. An error
// of the server is a *wire.ServerError.
func (k *Conn) Prepare(ctx context.Context, sql []byte) (*Stmt, error) {
	return k.PrepareFor(ctx, sql, nil)
}

// PrepareFor is Prepare for an execution with parameters of these types. MySQL derives a statement's types at its first execution and bends
// later arguments to them (after a DOUBLE, an integer loses its last digits), so executions of other types get a statement of their own.
func (k *Conn) PrepareFor(ctx context.Context, sql []byte, params []wire.Param) (*Stmt, error) {
	var room [64]byte
	types := typeClasses(room[:0], params)
	if st := k.stmts.find(sql, k.want.parse, types); st != nil {
		return st, nil
	}
	if err := k.begin(ctx); err != nil {
		return nil, err
	}
	st, err := k.prepare(ctx, sql)
	var se *wire.ServerError
	if errors.As(err, &se) && se.Number == tooManyStatements && k.stmts.ages.Len() > 0 {
		k.stmts.dropAll()
		st, err = k.prepare(ctx, sql)
	}
	k.end()
	if err != nil {
		return nil, err
	}
	st.key = stmtKey{string(sql), k.want.parse, string(types)}
	k.stmts.add(st)
	return st, nil
}

// typeClasses tells apart the types that bend one another; nothing is appended for integers, strings and NULLs alone, which don't.
func typeClasses(dst []byte, params []wire.Param) []byte {
	bent := false
	for i := range params {
		class := byte('-')
		switch params[i].Type {
		case wire.TypeFloat, wire.TypeDouble:
			class = 'f'
		case wire.TypeDecimal, wire.TypeNewDecimal:
			class = 'd'
		case wire.TypeDate, wire.TypeDatetime, wire.TypeTimestamp, wire.TypeTime:
			class = 't'
		}
		if params[i].Null {
			class = '-'
		}
		bent = bent || class != '-'
		dst = append(dst, class)
	}
	if !bent {
		return dst[:0]
	}
	return dst
}

// prepare prepares a statement without keeping it. It changes nothing, so it may be sent along with the settings and again.
func (k *Conn) prepare(ctx context.Context, sql []byte) (*Stmt, error) {
	cmd := append(append(make([]byte, 0, 1+len(sql)), byte(wire.ComStmtPrepare)), sql...)
	buf, n, err := k.start(ctx, cmd, true)
	if err != nil {
		return nil, err
	}
	k.lend(buf, n)
	k.in.Seq = k.answerSeq
	defer k.rest()
	payload, err := k.receive()
	if err != nil {
		return nil, err
	}
	if len(payload) == 0 || payload[0] != wire.OKHeader {
		_, err := k.okOrError(payload)
		if err == nil {
			err = k.malformed(wire.ErrMalformed)
		}
		return nil, err
	}
	var head wire.StmtPrepareOK
	if err := head.Decode(payload); err != nil {
		return nil, k.malformed(err)
	}
	st := &Stmt{id: head.ID, params: int(head.Params)}
	cmd[0] = byte(wire.ComQuery)
	st.readOnly = readsOnly(cmd)
	if _, err := k.definitions(int(head.Params)); err != nil {
		return nil, err
	}
	st.columns, err = k.definitions(int(head.Columns))
	return st, err
}

// definitions reads a list of column definitions with the EOF behind it.
func (k *Conn) definitions(n int) ([]wire.Column, error) {
	if n == 0 {
		return nil, nil
	}
	cols := make([]wire.Column, n)
	for i := range cols {
		payload, err := k.receive()
		if err != nil {
			return nil, err
		}
		if err := cols[i].Decode(payload); err != nil {
			return nil, k.malformed(err)
		}
	}
	if k.class&DeprecateEOF == 0 {
		if _, err := k.receive(); err != nil {
			return nil, err
		}
	}
	return cols, nil
}

// RelayExecute runs a prepared statement with a client's parameters, and relays the answer as Relay does. args has Params entries; their
// bytes are sent as they are.
func (k *Conn) RelayExecute(ctx context.Context, st *Stmt, args []wire.Param, out Sink, more bool) (Answer, error) {
	if err := k.begin(ctx); err != nil {
		return Answer{}, err
	}
	answer, err := k.relayExecute(ctx, st, args, out, more)
	k.end()
	return answer, err
}

func (k *Conn) relayExecute(ctx context.Context, st *Stmt, args []wire.Param, out Sink, more bool) (Answer, error) {
	if len(args) != st.params {
		return Answer{}, errArguments.New(len(args), st.params)
	}
	if k.reused && !k.alive() { // the statement died with its connection: prepare it again
		k.link.wrote = 0
		if err := k.reconnect(ctx); err != nil {
			return Answer{}, err
		}
	}
	if st.age == nil || k.stmts.byText[st.key] != st {
		again, err := k.prepare(ctx, []byte(st.key.sql))
		if err != nil {
			return Answer{}, err
		}
		again.key = st.key
		*st = *again
		k.stmts.add(st)
	}
	k.reused = false // from here on it can't be sent again blindly
	cmd := k.appendExecute(st, args)
	answer, err := k.relay(ctx, cmd, st.readOnly, out, more)
	if answer.IsErr && (answer.ErrNumber == 1243 || answer.ErrNumber == 1615) { // unknown to the server, or to be prepared anew
		k.stmts.drop(st)
	}
	return answer, err
}

// appendExecute encodes the command with all types and values; long data, which the front end has gathered, goes along as a value.
func (k *Conn) appendExecute(st *Stmt, args []wire.Param) []byte {
	head := wire.StmtExecute{ID: st.id, Iterations: 1}
	dst := head.Append(k.cmd[:0])
	if len(args) > 0 {
		bitmap := len(dst)
		for range (len(args) + 7) / 8 {
			dst = append(dst, 0)
		}
		dst = append(dst, 1) // types follow
		for i := range args {
			flags := byte(0)
			if args[i].Unsigned {
				flags = 0x80
			}
			dst = append(dst, byte(sentType(&args[i])), flags)
		}
		for i := range args {
			if args[i].Null {
				dst[bitmap+i/8] |= 1 << (i % 8)
				continue
			}
			dst = wire.AppendBinaryValue(dst, sentType(&args[i]), args[i].Value)
		}
	}
	k.cmd = dst
	return dst
}

// sentType is a parameter's type; long data is a string whatever the client called it.
func sentType(p *wire.Param) wire.Type {
	if p.Long && p.Type < wire.TypeJSON && p.Type != wire.TypeVarchar {
		return wire.TypeBlob
	}
	return p.Type
}
