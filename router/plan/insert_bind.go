package plan

import (
	"ballast/router/engine"
	"ballast/rules"
	"ballast/rules/catalog"
)

// bind finds the node of every row, and sends each node its rows in their order.
func (p *insertPlan) bind(bc *bindCtx, out *Bound) error {
	t := bc.tables[p.table]
	b := &out.insert
	b.reset(bc, p, t)
	if t.Kind == catalog.Global {
		return b.global(out)
	}
	if p.auto >= 0 {
		failed, err := b.drawIDs()
		if err != nil {
			return err
		}
		if failed {
			return b.certainFailure(out)
		}
	}
	first, spread := -1, false
	for i := range b.count {
		b.enter(i)
		node, failed, err := b.node()
		if err != nil {
			return err
		}
		if failed {
			return b.certainFailure(out)
		}
		b.nodes = append(b.nodes, node)
		spread = spread || first >= 0 && first != node
		if spread && bc.inline {
			return ErrNeedsGoroutine
		}
		first = node
		if b.needsText {
			b.write(i, node)
		}
	}
	switch {
	case spread && !b.needsText:
		for i := range b.count {
			b.enter(i)
			b.write(i, b.nodes[i])
		}
		fallthrough
	case spread:
		b.lent = true
		out.Writes = &Writes{InsertID: b.firstID, Ignore: p.ignore}
		if p.timed {
			out.Writes.Timestamp = bc.statementTime()
		}
		b.parts(func(node int, sql []byte) {
			out.Writes.Parts = append(out.Writes.Parts, engine.Query{Node: node, SQL: sql})
		})
	case b.needsText:
		b.parts(func(node int, sql []byte) { out.rendered(node, sql) })
		out.single.InsertID = b.firstID
	default:
		out.verbatim(first)
	}
	return nil
}

// insertWork is the binding of one INSERT; a Bound keeps it for reuse.
type insertWork struct {
	bc    *bindCtx
	plan  *insertPlan
	table *catalog.Table
	store storer
	// count is the number of rows, nodes where each goes, ids the id drawn for each (0: none).
	count     int
	nodes     []int
	ids       []uint64
	firstID   uint64
	needsText bool
	// sql are the texts per node, filled by write; lent says that they went into Writes and must not be written over.
	sql  []nodeText
	lent bool
	row  *insertRow
}

// nodeText is the text for one node; only is its row as long as there is but one.
type nodeText struct {
	node, rows, only int
	sql              []byte
}

func (b *insertWork) reset(bc *bindCtx, p *insertPlan, t *catalog.Table) {
	b.bc, b.plan, b.table = bc, p, t
	b.count = max(len(p.rows), bc.args.rows)
	if bc.plan.exact || len(p.rows) > 1 {
		b.count = len(p.rows)
	}
	lax := bc.env.Flags&Strict == 0 || p.ignore
	b.store = storer{env: bc.env, mariaDB: bc.plan.mariaDB, strict: !lax, single: b.count == 1 && !p.selected, ignore: p.ignore}
	if b.lent {
		b.sql, b.lent = nil, false
	}
	b.nodes, b.ids, b.sql, b.firstID, b.needsText = b.nodes[:0], b.ids[:0], b.sql[:0], 0, p.rewritten
}

// enter moves to a row.
func (b *insertWork) enter(i int) {
	if len(b.plan.rows) == 1 {
		b.row = &b.plan.rows[0]
		b.bc.atRow(i)
	} else {
		b.row = &b.plan.rows[i]
		b.bc.atRow(0)
	}
	if i < len(b.ids) {
		b.bc.id = b.ids[i]
	}
}

// node gives the node of the row; failed says that the server refuses the row for sure.
func (b *insertWork) node() (node int, failed bool, err error) {
	var room [maxKeyFields]rules.Value
	key := room[:0]
	for i := range b.row.keys {
		c := &b.table.Columns[b.table.Fields[i]]
		if i == b.plan.autoField && b.bc.id != 0 {
			v, ok := idValue(&c.Field, b.bc.id)
			if !ok {
				return 0, false, errSequence.New()
			}
			key = append(key, v)
			continue
		}
		v, how, why := b.value(c, &b.row.keys[i])
		switch how {
		case fails:
			return 0, true, nil
		case storesUnsure:
			return 0, false, errKeyUnsure.New(c.Name, b.table.Name, why)
		}
		key = append(key, v)
	}
	node, err = b.table.Placement.Node(key)
	return node, false, err
}

// value gives what a column of the row will hold.
func (b *insertWork) value(c *catalog.Column, src *source) (rules.Value, outcome, string) {
	switch src.kind {
	case fromLeftOut:
		return b.store.byDefault(c, false)
	case fromDefault:
		return b.store.byDefault(c, true)
	}
	if l := src.o.plain(b.bc); l != nil && !c.AutoIncrement {
		if v, ok := plainKey(&c.Field, l); ok {
			return v, stores, ""
		}
	}
	l, ok := src.o.value(b.bc)
	if !ok {
		return rules.Value{}, storesUnsure, "it is computed by the server"
	}
	v, how, why := b.store.value(c, &l)
	if c.AutoIncrement && b.plan.auto < 0 && how == stores && v.I == 0 && v.U == 0 && b.bc.env.Flags&NoAutoValueOnZero == 0 {
		return v, storesUnsure, noSequence
	}
	return v, how, why
}

func idValue(t *rules.FieldType, id uint64) (rules.Value, bool) {
	max := clamp(t, false)
	if t.Kind == rules.FieldUint {
		return rules.Value{Kind: rules.Uint, U: id}, id <= max.U
	}
	return rules.Value{Kind: rules.Int, I: int64(id)}, t.Kind == rules.FieldInt && id <= uint64(max.I)
}

// certainFailure sends the whole statement to one node, which refuses it and says why in its own words. Nothing can be stored.
func (b *insertWork) certainFailure(out *Bound) error {
	nodes := b.bc.nodesOf(b.table, nil)
	if len(nodes) == 0 {
		return errNoNodes.New()
	}
	if !b.plan.rewritten {
		out.verbatim(nodes[0])
		return nil
	}
	b.sql, b.ids = b.sql[:0], b.ids[:0]
	for i := range b.count {
		b.enter(i)
		b.write(i, nodes[0])
	}
	b.parts(func(node int, sql []byte) { out.rendered(node, sql) })
	return nil
}

// global writes the same rows on all nodes.
func (b *insertWork) global(out *Bound) error {
	if b.plan.auto >= 0 {
		if _, err := b.drawIDs(); err != nil {
			return err
		}
	}
	for i := range b.count {
		b.enter(i)
		b.write(i, 0)
	}
	b.lent = true
	w := &Writes{Global: true, InsertID: b.firstID, Timestamp: b.bc.statementTime()}
	b.parts(func(_ int, sql []byte) {
		for _, n := range b.bc.nodesOf(b.table, nil) {
			w.Parts = append(w.Parts, engine.Query{Node: n, SQL: sql})
		}
	})
	out.Writes = w
	return nil
}
