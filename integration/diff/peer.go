package diff

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
)

// Answer is what a client sees of one statement.
type Answer struct {
	// Number and State are set when the answer is an error; Message is for people only and never compared.
	Number  uint16
	State   string
	Message string
	// Columns and Rows are set for a result set; a nil cell is NULL.
	Columns []Column
	Rows    [][]*string
	// Affected, InsertID and Info are set for an answer without rows.
	Affected uint64
	InsertID uint64
	Info     string
	// Warnings is the number that the answer names.
	Warnings uint16
}

// Column is the part of a column's definition that must agree.
type Column struct {
	Name     string
	Type     byte
	Unsigned bool
	Decimals uint8
	// Charset is the collation id.
	Charset uint16
}

// Peer is one connection to either side.
type Peer struct {
	conn *client.Conn
}

// Dial connects to a server, with capabilities beyond the usual ones; empty db selects none.
func Dial(addr, user, password, db string, capabilities ...uint32) (*Peer, error) {
	c, err := client.Connect(addr, user, password, db, func(c *client.Conn) error {
		for _, f := range capabilities {
			c.SetCapability(f)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	return &Peer{conn: c}, nil
}

// Close ends the connection.
func (p *Peer) Close() error { return p.conn.Close() }

// Text runs a statement by COM_QUERY.
func (p *Peer) Text(sql string) (Answer, error) {
	r, err := p.conn.Execute(sql)
	return answer(r, err)
}

// Write runs a statement that has no rows by COM_QUERY and reads its answer whole, with the text that counts what it did.
func (p *Peer) Write(sql string) (Answer, error) {
	p.conn.ResetSequence()
	packet := []byte{0, 0, 0, 0, mysql.COM_QUERY}
	if strings.Contains(p.conn.CapabilityString(), "CLIENT_QUERY_ATTRIBUTES") {
		packet = append(packet, 0, 1) // none
	}
	if err := p.conn.WritePacket(append(packet, sql...)); err != nil {
		return Answer{}, err
	}
	data, err := p.conn.ReadPacket()
	if err != nil {
		return Answer{}, err
	}
	if len(data) == 0 {
		return Answer{}, errors.New("an empty packet")
	}
	switch data[0] {
	case mysql.OK_HEADER:
		a, err := answer(p.conn.HandleOKPacket(data), nil)
		a.Info = info(data)
		return a, err
	case mysql.ERR_HEADER:
		return answer(nil, p.conn.HandleErrorPacket(data))
	}
	return Answer{}, errors.New("rows for a statement that has none")
}

// info reads the text of an OK packet: behind two numbers, status and warnings.
func info(data []byte) string {
	at := 1
	for range 2 {
		_, _, n := mysql.LengthEncodedInt(data[at:])
		at += n
	}
	at += 4
	if at >= len(data) {
		return ""
	}
	text, _, _, err := mysql.LengthEncodedString(data[at:])
	if err != nil {
		return string(data[at:])
	}
	return string(text)
}

// Prepared runs a statement through a server-side prepared statement.
func (p *Peer) Prepared(sql string, args ...any) (Answer, error) {
	st, err := p.conn.Prepare(sql)
	if err != nil {
		return answer(nil, err)
	}
	r, err := st.Execute(args...)
	a, aerr := answer(r, err)
	return a, errors.Join(aerr, st.Close())
}

// answer turns a result into what is compared; an error that is not the server's (a lost connection) is returned as an error.
func answer(r *mysql.Result, err error) (Answer, error) {
	if err != nil {
		var se *mysql.MyError
		if errors.As(err, &se) {
			return Answer{Number: se.Code, State: se.State, Message: se.Message}, nil
		}
		return Answer{}, err
	}
	a := Answer{Affected: r.AffectedRows, InsertID: r.InsertId, Warnings: r.Warnings}
	if r.Resultset == nil || len(r.Fields) == 0 {
		return a, nil
	}
	a.Affected, a.InsertID = 0, 0
	for _, f := range r.Fields {
		a.Columns = append(a.Columns, Column{
			Name: string(f.Name), Type: f.Type, Unsigned: f.Flag&mysql.UNSIGNED_FLAG != 0, Decimals: f.Decimal, Charset: f.Charset,
		})
	}
	for _, row := range r.Values {
		cells := make([]*string, len(row))
		for i := range row {
			v := row[i].Value()
			if v == nil {
				continue
			}
			s := cell(v)
			cells[i] = &s
		}
		a.Rows = append(a.Rows, cells)
	}
	return a, nil
}

func cell(v any) string {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(v)
}

// String prints an answer for a failure report.
func (a Answer) String() string {
	if a.Number != 0 {
		return fmt.Sprintf("ERROR %d (%s): %s", a.Number, a.State, a.Message)
	}
	if a.Columns == nil {
		return fmt.Sprintf("OK, %d rows affected, insert id %d, %d warnings, %q", a.Affected, a.InsertID, a.Warnings, a.Info)
	}
	var b strings.Builder
	for _, c := range a.Columns {
		fmt.Fprintf(&b, "%s:%d/%d ", c.Name, c.Type, c.Decimals)
	}
	fmt.Fprintf(&b, "| %d rows", len(a.Rows))
	for i, row := range a.Rows {
		if i == 12 {
			b.WriteString("\n  …")
			break
		}
		b.WriteString("\n  " + rowText(row))
	}
	return b.String()
}

func rowText(row []*string) string {
	cells := make([]string, len(row))
	for i, c := range row {
		if c == nil {
			cells[i] = "NULL"
		} else {
			cells[i] = fmt.Sprintf("%q", *c)
		}
	}
	return "(" + strings.Join(cells, ", ") + ")"
}
