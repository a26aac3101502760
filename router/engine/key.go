package engine

import (
	"strings"

	"ballast/sqlfront/wire"
)

// keyReader reads and compares the sort or group keys of rows of one shape.
type keyReader struct {
	shape  shape
	keys   []boundKey
	needed int // columns that must be scanned to reach every key
	fields []field
}

type boundKey struct {
	Key
	class class
}

// newKeyReader checks that every key can be compared at all, which only the columns' types tell.
func newKeyReader(keys []Key, s shape) (*keyReader, error) {
	r := &keyReader{shape: s}
	for _, k := range keys {
		b, err := bindKey(k, s)
		if err != nil {
			return nil, err
		}
		r.keys = append(r.keys, b)
		r.needed = max(r.needed, b.Column+1, b.Weight+1, b.Pad+1)
	}
	return r, nil
}

func bindKey(k Key, s shape) (boundKey, error) {
	if k.Column >= len(s.columns) || k.Weight >= len(s.columns) || k.Pad >= len(s.columns) {
		return boundKey{}, errBadRow.New()
	}
	col := s.columns[k.Column]
	c := classOf(col)
	weighed := c.isString() && k.Weight >= 0
	if c == classOther || c == classText && !weighed || c == classFloat && s.format == wire.Text {
		return boundKey{}, errNoOrder.New(col.Name, typeName(col))
	}
	if !weighed {
		k.Weight, k.Pad = -1, 0
	}
	return boundKey{Key: k, class: c}, nil
}

// read appends the key values of row to dst; strings point into row.
func (r *keyReader) read(row []byte, dst []value) ([]value, error) {
	var err error
	if r.fields, err = r.shape.scan(row, r.needed, r.fields[:0]); err != nil {
		return nil, err
	}
	return r.readFields(row, r.fields, dst)
}

// readFields is read for a row that has been scanned.
func (r *keyReader) readFields(row []byte, fields []field, dst []value) ([]value, error) {
	for i := range r.keys {
		v, err := readKey(&r.shape, row, fields, &r.keys[i])
		if err != nil {
			return nil, err
		}
		dst = append(dst, v)
	}
	return dst, nil
}

func readKey(s *shape, row []byte, fields []field, k *boundKey) (value, error) {
	f := fields[k.Column]
	if k.Weight < 0 || f.null {
		return s.decode(row, f, k.Column, k.class)
	}
	w := fields[k.Weight]
	v := value{kind: str, b: row[w.data:w.end]}
	if k.Pad > 0 {
		p := fields[k.Pad]
		v.pad = row[p.data:p.end]
	}
	return v, nil
}

// compare orders two rows by the values that read gave.
func (r *keyReader) compare(a, b []value) int {
	for i := range r.keys {
		if c := compare(&a[i], &b[i]); c != 0 {
			if r.keys[i].Desc {
				return -c
			}
			return c
		}
	}
	return 0
}

// equal is compare == 0.
func (r *keyReader) equal(a, b []value) bool {
	for i := range r.keys {
		if compare(&a[i], &b[i]) != 0 {
			return false
		}
	}
	return true
}

// checked says whether rows must be checked to come in order: text may be sorted by its first bytes only (max_sort_length).
func (r *keyReader) checked() bool {
	for _, k := range r.keys {
		if k.class.isString() {
			return true
		}
	}
	return false
}

// name is the first key's column name, for messages.
func (r *keyReader) name() string {
	if len(r.keys) == 0 {
		return ""
	}
	return r.shape.columns[r.keys[0].Column].Name
}

// keepValues copies the bytes that values point to into buf, so that they outlive their row; it returns the buffer for the next use.
func keepValues(buf []byte, values []value) []byte {
	buf = buf[:0]
	size := 0
	for _, v := range values {
		size += len(v.b) + len(v.pad)
	}
	if cap(buf) < size {
		buf = make([]byte, 0, size+size/2)
	}
	for i := range values {
		v := &values[i]
		at := len(buf)
		buf = append(buf, v.b...)
		v.b = buf[at:]
		at = len(buf)
		buf = append(buf, v.pad...)
		v.pad = buf[at:]
	}
	return buf
}

// describeKeys lists keys for Describe: column positions from 1, as ORDER BY counts them.
func describeKeys(keys []Key) string {
	var b strings.Builder
	for i, k := range keys {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(columnNumber(k.Column))
		if k.Desc {
			b.WriteString(" DESC")
		}
	}
	return b.String()
}
