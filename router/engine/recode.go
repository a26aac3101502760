package engine

import "ballast/sqlfront/wire"

// A server gives the same expression as INT or as BIGINT, depending on whether it went through a temporary table. So the answers of two nodes,
// or of two executions, may differ in the width of integers; in binary rows that changes the bytes, and the narrower rows are written anew.

// widened gives the column that holds the values of both, which differ in ways that don't matter at most; false where one would have to be converted.
func widened(a, b wire.Column) (wire.Column, bool) {
	ca, cb := classOf(a), classOf(b)
	switch {
	case a.Type == wire.TypeNull:
		return b, true
	case b.Type == wire.TypeNull:
		return a, true
	case ca != cb:
		return a, false
	case ca == classDecimal:
		a.Decimals = max(a.Decimals, b.Decimals)
		return a, true
	case a.Type == b.Type, ca == classText, ca == classBytes && a.Type != wire.TypeBit && b.Type != wire.TypeBit:
		return a, true
	case (ca == classInt || ca == classUint) && (a.Type == wire.TypeYear) == (b.Type == wire.TypeYear):
		if width(b.Type) > width(a.Type) {
			a.Type, a.Length = b.Type, max(a.Length, b.Length)
		}
		return a, true
	}
	return a, false
}

// widenAll is widened for whole rows; the first column that can't be is returned as well.
func widenAll(a, b []wire.Column) ([]wire.Column, error) {
	if len(a) != len(b) {
		return nil, columnsDiffer(a, b)
	}
	out := make([]wire.Column, len(a))
	for i := range a {
		c, ok := widened(a[i], b[i])
		if !ok {
			return nil, columnsDiffer(a[i:i+1], b[i:i+1])
		}
		out[i] = c
	}
	return out, nil
}

// recoder writes binary rows of one shape in another that has wider integers.
type recoder struct {
	from, to shape
	fields   []field
	cells    []cell
	buf      []byte
}

// needsRecoding says whether rows of the one shape are not rows of the other as they are.
func needsRecoding(from, to []wire.Column, f wire.Format) bool {
	for i := range from {
		if becomesNumber(from[i], to[i]) {
			return true
		}
		if f != wire.Binary {
			continue
		}
		size, kind := binarySize(from[i].Type)
		toSize, toKind := binarySize(to[i].Type)
		if size != toSize || kind != toKind {
			return true
		}
	}
	return false
}

func (r *recoder) rewrite(row []byte) ([]byte, error) {
	var err error
	if r.fields, err = r.from.scan(row, len(r.from.columns), r.fields[:0]); err != nil {
		return nil, err
	}
	r.cells = r.cells[:0]
	for i, f := range r.fields {
		c := cellOf(row, f)
		if c != nil && classOf(r.from.columns[i]).numeric() && (r.from.columns[i].Type != r.to.columns[i].Type || becomesNumber(r.from.columns[i], r.to.columns[i])) {
			if c, err = r.number(row, f, i); err != nil {
				return nil, err
			}
		}
		r.cells = append(r.cells, c)
	}
	r.buf = appendRow(r.buf[:0], r.to.format, r.cells)
	return r.buf, nil
}

// becomesNumber says whether values must be written as decimals of another scale, or as doubles.
func becomesNumber(from, to wire.Column) bool {
	f, t := classOf(from), classOf(to)
	return f.numeric() && (t == classDouble && f != t || t == classDecimal && (f != t || from.Decimals != to.Decimals))
}

// number writes one number in the type of its new column.
func (r *recoder) number(row []byte, f field, column int) (cell, error) {
	v, err := r.from.decode(row, f, column, classOf(r.from.columns[column]))
	if err != nil {
		return nil, err
	}
	switch classOf(r.to.columns[column]) {
	case classInt:
		return r.to.intCell(column, v.i), nil
	case classUint:
		return r.to.uintCell(column, v.u), nil
	case classDouble:
		return r.to.floatCell(column, v.float()), nil
	}
	d, ok := v.number()
	if !ok {
		return nil, errBadRow.New()
	}
	return r.to.decimalCell(column, d), nil
}

// widenedStream is a stream whose rows are recoded.
type widenedStream struct {
	Stream
	recoder recoder
}

// widenStream makes the stream's rows fit columns.
func widenStream(st Stream, columns []wire.Column, f wire.Format) Stream {
	if !needsRecoding(st.Columns(), columns, f) {
		return st
	}
	return &widenedStream{Stream: st, recoder: recoder{from: shape{columns: st.Columns(), format: f}, to: shape{columns: columns, format: f}}}
}

// Columns are the wider ones.
func (s *widenedStream) Columns() []wire.Column { return s.recoder.to.columns }

// Next recodes the next row.
func (s *widenedStream) Next() ([]byte, error) {
	row, err := s.Stream.Next()
	if err != nil {
		return nil, err
	}
	return s.recoder.rewrite(row)
}
