package routertest

import "ballast/sqlfront/wire"

// Query is one statement that a fake node was sent.
type Query struct {
	// SQL is its text, DB the connection's default database, Connection the connection's number, from 1.
	SQL, DB    string
	Connection uint32
	// Params are those of a prepared statement.
	Params []wire.Param

	s   *session
	seq uint8
	err error
}

// Status is the server status word that answers carry from now on, on this connection.
func (q *Query) Status(st wire.Status) { q.s.status = st }

// OK answers with an OK packet; its status is the connection's.
func (q *Query) OK(ok wire.OK) {
	ok.Status = q.s.status
	q.err = q.s.send(q.seq, ok.Append(nil))
}

// Err answers with an error.
func (q *Query) Err(number uint16, state, message string) {
	q.err = q.s.send(q.seq, (&wire.ServerError{Number: number, State: state, Message: message}).Append(nil))
}

// Text answers with text rows under columns of these names; nil is NULL.
func (q *Query) Text(names []string, rows ...[]any) {
	columns := make([]wire.Column, len(names))
	for i, name := range names {
		columns[i] = wire.Column{Name: name, Charset: 45, Type: wire.TypeVarString, Length: 255}
	}
	payloads := make([][]byte, len(rows))
	for i, row := range rows {
		for _, v := range row {
			switch v := v.(type) {
			case nil:
				payloads[i] = wire.AppendTextNull(payloads[i])
			case []byte:
				payloads[i] = wire.AppendLenencBytes(payloads[i], v)
			case string:
				payloads[i] = wire.AppendLenencString(payloads[i], v)
			}
		}
	}
	q.Rows(columns, payloads...)
}

// Rows answers with a result set of ready row payloads.
func (q *Query) Rows(columns []wire.Column, rows ...[]byte) {
	out := q.head(columns)
	for _, r := range rows {
		out, q.seq = wire.AppendPacket(out, q.seq, r)
	}
	out = q.eof(out, true)
	_, q.err = q.s.conn.Write(out)
}

// Half answers with columns and rows, n bytes of a further row packet, and then cuts the line.
func (q *Query) Half(columns []wire.Column, n int, rows ...[]byte) {
	out := q.head(columns)
	for _, r := range rows {
		out, q.seq = wire.AppendPacket(out, q.seq, r)
	}
	next, _ := wire.AppendPacket(nil, q.seq, make([]byte, max(n, 1)))
	if _, q.err = q.s.conn.Write(append(out, next[:n]...)); q.err == nil {
		q.err = errCut
	}
}

// Cut cuts the line without an answer.
func (q *Query) Cut() { q.err = errCut }

// Bytes answers with raw bytes.
func (q *Query) Bytes(b []byte) { _, q.err = q.s.conn.Write(b) }

func (q *Query) head(columns []wire.Column) []byte {
	out, seq := wire.AppendPacket(nil, q.seq, wire.AppendLenencInt(nil, uint64(len(columns))))
	for i := range columns {
		out, seq = wire.AppendPacket(out, seq, columns[i].Append(nil))
	}
	q.seq = seq
	return q.eof(out, false)
}

// eof appends what ends the definitions or the rows.
func (q *Query) eof(out []byte, last bool) []byte {
	deprecated := q.s.caps.Has(wire.ClientDeprecateEOF)
	var payload []byte
	switch {
	case deprecated && last:
		payload = (&wire.OK{Status: q.s.status}).AppendEOF(nil)
	case !deprecated:
		payload = (&wire.EOF{Status: q.s.status}).Append(nil)
	default:
		return out
	}
	out, q.seq = wire.AppendPacket(out, q.seq, payload)
	return out
}
