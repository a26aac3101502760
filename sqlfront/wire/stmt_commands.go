package wire

import "encoding/binary"

// StmtLongData is COM_STMT_SEND_LONG_DATA: a piece of one parameter's value. It is never answered.
type StmtLongData struct {
	ID    uint32
	Param uint16
	Data  []byte
}

// Append appends the command byte and the body.
func (m *StmtLongData) Append(dst []byte) []byte {
	dst = append(dst, byte(ComStmtSendLongData))
	dst = binary.LittleEndian.AppendUint32(dst, m.ID)
	dst = binary.LittleEndian.AppendUint16(dst, m.Param)
	return append(dst, m.Data...)
}

// Decode reads the body that follows the command byte; Data points into it.
func (m *StmtLongData) Decode(body []byte) error {
	c := cursor{b: body}
	*m = StmtLongData{ID: c.u32(), Param: c.u16(), Data: c.rest()}
	if c.bad {
		return malformed("long data", "too short")
	}
	return nil
}

// StmtFetch is COM_STMT_FETCH: the next rows of a cursor.
type StmtFetch struct {
	ID, Rows uint32
}

// Append appends the command byte and the body.
func (m *StmtFetch) Append(dst []byte) []byte {
	dst = append(dst, byte(ComStmtFetch))
	dst = binary.LittleEndian.AppendUint32(dst, m.ID)
	return binary.LittleEndian.AppendUint32(dst, m.Rows)
}

// Decode reads the body that follows the command byte.
func (m *StmtFetch) Decode(body []byte) error {
	c := cursor{b: body}
	*m = StmtFetch{ID: c.u32(), Rows: c.u32()}
	if c.bad {
		return malformed("fetch", "too short")
	}
	return nil
}

// StmtID is the body of COM_STMT_CLOSE (never answered) and COM_STMT_RESET.
type StmtID struct {
	ID uint32
}

// Append appends the command byte cmd and the body.
func (m *StmtID) Append(dst []byte, cmd Command) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, byte(cmd)), m.ID)
}

// Decode reads the body that follows the command byte.
func (m *StmtID) Decode(body []byte) error {
	c := cursor{b: body}
	m.ID = c.u32()
	if c.bad {
		return malformed("statement id", "too short")
	}
	return nil
}

// SetOption is COM_SET_OPTION. It is answered by an EOF packet, or an OK packet under ClientDeprecateEOF.
type SetOption struct {
	// Option is 0 to switch multi-statements on, 1 to switch them off; others are unknown.
	Option uint16
}

// The options.
const (
	OptionMultiStatementsOn  = 0
	OptionMultiStatementsOff = 1
)

// Append appends the command byte and the body.
func (m *SetOption) Append(dst []byte) []byte {
	return binary.LittleEndian.AppendUint16(append(dst, byte(ComSetOption)), m.Option)
}

// Decode reads the body that follows the command byte.
func (m *SetOption) Decode(body []byte) error {
	c := cursor{b: body}
	m.Option = c.u16()
	if c.bad {
		return malformed("set option", "too short")
	}
	return nil
}

// ProcessKill is COM_PROCESS_KILL.
type ProcessKill struct {
	ID uint32
}

// Append appends the command byte and the body.
func (m *ProcessKill) Append(dst []byte) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, byte(ComProcessKill)), m.ID)
}

// Decode reads the body that follows the command byte.
func (m *ProcessKill) Decode(body []byte) error {
	c := cursor{b: body}
	m.ID = c.u32()
	if c.bad {
		return malformed("process kill", "too short")
	}
	return nil
}

// FieldList is COM_FIELD_LIST: the columns of one table.
type FieldList struct {
	Table, Wildcard string
}

// Append appends the command byte and the body.
func (m *FieldList) Append(dst []byte) []byte {
	dst = append(dst, byte(ComFieldList))
	dst = append(append(dst, m.Table...), 0)
	return append(dst, m.Wildcard...)
}

// Decode reads the body that follows the command byte.
func (m *FieldList) Decode(body []byte) error {
	c := cursor{b: body}
	*m = FieldList{Table: string(c.untilNUL()), Wildcard: string(c.untilNULOrEnd())}
	if c.bad {
		return malformed("field list", "too short")
	}
	return nil
}
