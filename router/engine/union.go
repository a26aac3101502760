package engine

import (
	"context"
	"io"
	"sync"

	"ballast/sqlfront/wire"
)

// Union gives the rows of its branches, one branch after another, under the first branch's column names. Put a Distinct above it for UNION
// without ALL. Integer columns of different widths are widened; any other difference of types is refused, because the server's rules for a
// common type would have to convert the values.
type Union struct {
	Branches []Node
}

// Inputs is the branches.
func (u *Union) Inputs() []Node { return u.Branches }

// Describe has no details.
func (u *Union) Describe() Desc { return Desc{Name: "Union"} }

// Run runs all branches at once; their rows wait at the nodes until their turn.
func (u *Union) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &unionRows{inputs: make([]Rows, len(u.Branches)), cancel: cancel, format: f}
	failed := make([]error, len(u.Branches))
	var wg sync.WaitGroup
	for i, b := range u.Branches {
		wg.Add(1)
		go func() {
			defer wg.Done()
			in, err := b.Run(ctx, sh, f)
			if err != nil {
				failed[i] = err
				cancel()
				return
			}
			r.inputs[i] = in
		}()
	}
	wg.Wait()
	err := firstCause(failed)
	if err == nil {
		err = r.unify()
	}
	if err != nil {
		return nil, closeWith(r, err)
	}
	return r, nil
}

type unionRows struct {
	inputs   []Rows
	cancel   context.CancelFunc
	format   wire.Format
	columns  []wire.Column
	at       int
	warnings uint16
}

// unify finds the common columns of all branches.
func (r *unionRows) unify() error {
	for b, in := range r.inputs {
		cols := in.Columns()
		if b == 0 {
			r.columns = append(r.columns, cols...)
			continue
		}
		if len(cols) != len(r.columns) {
			return errUnionWidth.New()
		}
		for i := range cols {
			c, ok := commonColumn(r.columns[i], cols[i])
			if !ok {
				return errUnionTypes.New(i+1, typeName(r.columns[i]), typeName(cols[i]))
			}
			r.columns[i] = c
		}
	}
	for b, in := range r.inputs {
		r.inputs[b] = widenStream(in, r.columns, r.format)
	}
	return nil
}

// commonColumn gives the column that holds the values of both, or false where one of them would have to be converted.
func commonColumn(a, b wire.Column) (wire.Column, bool) {
	out := a
	out.Schema, out.Table, out.OrgTable, out.OrgName = "", "", "", ""
	out.Length = max(a.Length, b.Length)
	out.Flags = a.Flags&b.Flags&wire.FlagNotNull | (a.Flags|b.Flags)&wire.FlagBlob | a.Flags&(wire.FlagUnsigned|wire.FlagBinary|wire.FlagNum)
	ca, cb := classOf(a), classOf(b)
	switch {
	case a.Type == wire.TypeNull:
		out.Type, out.Charset, out.Decimals, out.Flags = b.Type, b.Charset, b.Decimals, b.Flags&^wire.FlagNotNull
		return out, true
	case b.Type == wire.TypeNull:
		return out, true
	case mixedNumbers(a, b):
		return commonNumber(a, b, out), true
	case ca != cb || a.Charset != b.Charset:
		return out, false
	case ca == classInt || ca == classUint:
		if a.Type == wire.TypeYear != (b.Type == wire.TypeYear) || (a.Flags|b.Flags)&wire.FlagZerofill != 0 {
			return out, a.Type == b.Type && a.Length == b.Length
		}
		if width(b.Type) > width(a.Type) {
			out.Type = b.Type
		}
		return out, true
	case ca == classText || ca == classBytes:
		if a.Type != b.Type || (a.Flags|b.Flags)&(wire.FlagEnum|wire.FlagSet) != 0 { // ENUM and SET become strings
			out.Type = wire.TypeVarString
			if (a.Flags|b.Flags)&wire.FlagBlob != 0 {
				out.Type = wire.TypeBlob
			}
		}
		return out, a.Type == b.Type || a.Type != wire.TypeBit && b.Type != wire.TypeBit
	}
	return out, a.Type == b.Type && a.Decimals == b.Decimals
}

// mixedNumbers says whether two columns are exact numbers or doubles of different kinds: signed and unsigned, integer and decimal, other scale.
func mixedNumbers(a, b wire.Column) bool {
	ca, cb := classOf(a), classOf(b)
	for _, c := range [2]class{ca, cb} {
		if c != classInt && c != classUint && c != classDecimal && c != classDouble {
			return false
		}
	}
	if ca == classDouble && cb == classDouble {
		return false
	}
	return ca != cb || ca == classDecimal && a.Decimals != b.Decimals
}

// commonNumber is the type that holds both: DOUBLE with a double, else DECIMAL of the larger scale.
func commonNumber(a, b, out wire.Column) wire.Column {
	out.Flags &^= wire.FlagUnsigned
	out.Charset = wire.CollationBinary
	if classOf(a) == classDouble || classOf(b) == classDouble {
		out.Type, out.Decimals = wire.TypeDouble, notFixed
		return out
	}
	out.Type, out.Decimals = wire.TypeNewDecimal, max(a.Decimals, b.Decimals)
	return out
}

func width(t wire.Type) int {
	if t == wire.TypeInt24 {
		return 3
	}
	size, _ := binarySize(t)
	return size
}

func (r *unionRows) Columns() []wire.Column { return r.columns }

func (r *unionRows) Next() ([]byte, error) {
	for r.at < len(r.inputs) {
		in := r.inputs[r.at]
		row, err := in.Next()
		if err == nil {
			return row, nil
		}
		if err != io.EOF {
			return nil, err
		}
		r.warnings += in.Warnings()
		r.inputs[r.at] = nil
		r.at++
		if err := in.Close(); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

func (r *unionRows) Warnings() uint16 { return r.warnings }

func (r *unionRows) Close() error {
	err := closeAll(r.inputs)
	clear(r.inputs)
	r.at = len(r.inputs)
	r.cancel()
	return err
}
