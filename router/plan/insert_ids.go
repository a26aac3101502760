package plan

import (
	"ballast/rules"
	"ballast/rules/catalog"
)

// drawIDs raises the sequence above explicit ids and draws those that rows lack; failed as for node.
func (b *insertWork) drawIDs() (failed bool, err error) {
	c := &b.table.Columns[b.plan.auto]
	var explicit uint64
	missing := 0
	for i := range b.count {
		b.enter(i)
		draws, v, how, why := b.autoValue(c)
		switch {
		case draws:
			missing++
			b.ids = append(b.ids, 1)
			continue
		case how == fails:
			return true, nil
		case how == storesUnsure:
			return false, errKeyUnsure.New(c.Name, b.table.Name, why)
		}
		b.ids = append(b.ids, 0)
		if v.Kind == rules.Uint {
			explicit = max(explicit, v.U)
		} else if v.I > 0 {
			explicit = max(explicit, uint64(v.I))
		}
	}
	if explicit > 0 {
		if err := b.bc.raise(b.table.Sequence, explicit); err != nil {
			return false, err
		}
	}
	if missing == 0 {
		return false, nil
	}
	b.needsText = true
	next, err := b.bc.next(b.table.Sequence, missing)
	if err != nil {
		return false, err
	}
	b.firstID = next
	for i, draw := range b.ids {
		if draw == 0 {
			continue
		}
		if _, ok := idValue(&c.Field, next); !ok {
			return false, errSequence.New()
		}
		b.ids[i] = next
		next++
	}
	return false, nil
}

// noteNumbers notes that the node may number the rows of an INSERT into t, since no sequence does.
func (pc *planCtx) noteNumbers(t *catalog.Table) {
	for i := range t.Columns {
		if t.Sequence == "" && t.Columns[i].AutoIncrement {
			pc.plan.after |= AfterNumber
		}
	}
}

// autoValue says whether the row's id must be drawn, or what it is.
func (b *insertWork) autoValue(c *catalog.Column) (draws bool, v rules.Value, how outcome, why string) {
	src := &b.row.auto
	if src.kind != fromOperand {
		return true, v, stores, ""
	}
	l, ok := src.o.value(b.bc)
	switch {
	case !ok:
		return false, v, storesUnsure, "it is computed by the server"
	case l.Kind == LitNull, l.Kind == LitDefault:
		return true, v, stores, ""
	}
	v, how, why = b.store.value(c, &l)
	if how == stores && v.I == 0 && v.U == 0 && b.bc.env.Flags&NoAutoValueOnZero == 0 {
		if src.o.fixed != nil || src.o.op != 0 || src.o.cast != castNone || src.o.kind != slotLiteral || src.o.minus {
			return false, v, storesUnsure, "a zero that asks for a generated value"
		}
		return true, v, how, ""
	}
	return false, v, how, why
}
