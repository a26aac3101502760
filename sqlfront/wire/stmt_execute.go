package wire

import "encoding/binary"

// Cursor is the flag byte of COM_STMT_EXECUTE.
type Cursor uint8

// The cursors. Only a read-only one exists in servers.
const (
	CursorNone       Cursor = 0
	CursorReadOnly   Cursor = 1
	CursorForUpdate  Cursor = 2
	CursorScrollable Cursor = 4
)

// StmtExecute is the body of COM_STMT_EXECUTE. Only its Params can say how to read it, so one value is kept for each prepared statement:
// Params has one entry for each parameter; entries whose Long is set hold what came by COM_STMT_SEND_LONG_DATA and stay as they are, the
// others keep their Type and Unsigned between executions and get a new Null and Value.
type StmtExecute struct {
	ID         uint32
	Cursor     Cursor
	Iterations uint32 // always 1
	// NewTypes says that the body carries parameter types; the first execution of a statement must.
	NewTypes bool
	Params   []Param

	typed bool
}

// paramUnsigned is the flag in a parameter's second type byte.
const paramUnsigned = 0x80

// Append appends the command byte and the body. Types are written when NewTypes is set. Long parameters are left out: their data went before.
func (m *StmtExecute) Append(dst []byte) []byte {
	dst = append(dst, byte(ComStmtExecute))
	dst = binary.LittleEndian.AppendUint32(dst, m.ID)
	dst = append(dst, byte(m.Cursor))
	dst = binary.LittleEndian.AppendUint32(dst, m.Iterations)
	if len(m.Params) == 0 {
		return dst
	}
	bitmap := len(dst)
	for range (len(m.Params) + 7) / 8 {
		dst = append(dst, 0)
	}
	if m.NewTypes {
		dst = append(dst, 1)
		for i := range m.Params {
			flags := byte(0)
			if m.Params[i].Unsigned {
				flags = paramUnsigned
			}
			dst = append(dst, byte(m.Params[i].Type), flags)
		}
	} else {
		dst = append(dst, 0)
	}
	for i := range m.Params {
		switch p := &m.Params[i]; {
		case p.Long:
		case p.Null:
			dst[bitmap+i/8] |= 1 << (i % 8)
		default:
			dst = AppendBinaryValue(dst, p.Type, p.Value)
		}
	}
	return dst
}

// Decode reads the body that follows the command byte. Values point into body, except long ones.
func (m *StmtExecute) Decode(body []byte) error {
	c := cursor{b: body}
	m.ID, m.Cursor, m.Iterations = c.u32(), Cursor(c.u8()), c.u32()
	if c.bad {
		return malformed("execute", "too short")
	}
	m.NewTypes = false
	if len(m.Params) == 0 {
		return nil
	}
	nulls := c.take((len(m.Params) + 7) / 8)
	m.NewTypes = c.u8() == 1
	if c.bad {
		return malformed("execute", "too short")
	}
	if m.NewTypes {
		types := c.take(2 * len(m.Params))
		if c.bad {
			return malformed("execute", "types too short")
		}
		for i := range m.Params {
			m.Params[i].Type = Type(types[2*i])
			m.Params[i].Unsigned = types[2*i+1]&paramUnsigned != 0
		}
		m.typed = true
	}
	at := len(body) - len(c.b)
	for i := range m.Params {
		p := &m.Params[i]
		if p.Long {
			if !m.typed {
				return malformed("execute", "no parameter types")
			}
			p.Null = false
			continue
		}
		p.Null = nulls[i/8]&(1<<(i%8)) != 0 || m.typed && p.Type == TypeNull
		if p.Null {
			p.Value = nil
			if !m.typed {
				p.Type = TypeNull // drivers leave the types out when no value goes with them
			}
			continue
		}
		if !m.typed {
			return malformed("execute", "no parameter types")
		}
		start, end, ok := binaryValue(body, at, p.Type)
		if !ok {
			return malformed("execute", "bad parameter value")
		}
		p.Value = body[start:end:end]
		at = end
	}
	return nil
}

// ForgetLong drops the long data: after each execution, and for COM_STMT_RESET.
func (m *StmtExecute) ForgetLong() {
	for i := range m.Params {
		if m.Params[i].Long {
			m.Params[i].Long, m.Params[i].Value = false, nil
		}
	}
}

// StmtExecuteID reads the statement's id at the head of a body of COM_STMT_EXECUTE.
func StmtExecuteID(body []byte) (uint32, error) {
	if len(body) < 4 {
		return 0, malformed("execute", "too short")
	}
	return binary.LittleEndian.Uint32(body), nil
}
