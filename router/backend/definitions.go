package backend

import (
	"bytes"

	"ballast/sqlfront/wire"
)

// maxDefinitions is how many bytes of column definitions a connection remembers.
const maxDefinitions = 8 << 10

// definitions are the column definitions of the last result: the next one often has the same, and need not be decoded again.
type definitions struct {
	raw     []byte // their payloads, one behind the other
	ends    []int  // where each ends
	columns []wire.Column
}

// read receives so many column definitions. The columns are never changed afterwards.
func (d *definitions) read(k *Conn, count int) ([]wire.Column, error) {
	same := len(d.ends) == count // fewer after an answer that broke off
	at := 0
	for i := range count {
		def, err := k.receive()
		if err != nil {
			return nil, err
		}
		if len(def) > 0 && def[0] == wire.ErrHeader {
			if _, err := k.okOrError(def); err != nil {
				return nil, err
			}
			return nil, k.malformed(wire.ErrMalformed)
		}
		if same && bytes.Equal(d.raw[at:d.ends[i]], def) {
			at = d.ends[i]
			continue
		}
		if same || i == 0 {
			same = false
			d.fork(i, at, count)
		}
		if err := d.columns[i].Decode(def); err != nil {
			d.forget()
			return nil, k.malformed(err)
		}
		d.raw = append(d.raw, def...)
		d.ends = append(d.ends, len(d.raw))
	}
	columns := d.columns
	if len(d.raw) > maxDefinitions {
		d.forget()
	}
	return columns, nil
}

// fork begins new columns that agree with the old in the first n, whose payloads end at.
func (d *definitions) fork(n, at, count int) {
	columns := make([]wire.Column, count)
	copy(columns[:n], d.columns)
	d.columns, d.raw, d.ends = columns, d.raw[:at], d.ends[:n]
}

func (d *definitions) forget() { *d = definitions{} }
