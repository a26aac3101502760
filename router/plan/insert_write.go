package plan

// write adds the row's text to its node's statement.
func (b *insertWork) write(i, node int) {
	at := -1
	for i := range b.sql {
		if b.sql[i].node == node {
			at = i
		}
	}
	if at < 0 {
		at = len(b.sql)
		var buf []byte
		if at < cap(b.sql) {
			buf = b.sql[:at+1][at].sql[:0]
		}
		b.sql = append(b.sql, nodeText{node: node, only: i, sql: b.plan.prefix.render(buf, b.bc)})
	} else {
		b.sql[at].sql = append(b.sql[at].sql, ',')
	}
	b.sql[at].rows++
	b.sql[at].sql = append(b.row.text.render(append(b.sql[at].sql, '('), b.bc), ')')
}

// rowAlone writes a row that came with others and goes to a node by itself. A server that is not strict stores the implicit default for NULL
// in a NOT NULL column when rows are several, or come from a SELECT, but refuses a single row of VALUES.
func (b *insertWork) rowAlone(t *nodeText) {
	lenient := !b.store.strict && !b.store.ignore && b.count > 1
	if !lenient && !b.plan.selected || t.rows > 1 || len(b.bc.plan.fixed) > 0 || b.plan.aliased {
		return
	}
	b.enter(t.only)
	if b.row.onlyValues || b.hasDefaultLiteral() {
		return
	}
	t.sql = b.row.text.render(b.plan.alone.render(t.sql[:0], b.bc), b.bc)
}

// hasDefaultLiteral says whether a literal of the row is the word DEFAULT.
func (b *insertWork) hasDefaultLiteral() bool {
	for _, p := range b.row.text.parts {
		if !p.last && p.kind == slotLiteral && b.bc.args.rowSlot(p.index, b.bc.row).Kind == LitDefault {
			return true
		}
	}
	return false
}

// parts hands out the finished texts, by node.
func (b *insertWork) parts(each func(node int, sql []byte)) {
	for done := -1; ; {
		next := -1
		for i := range b.sql {
			if b.sql[i].node > done && (next < 0 || b.sql[i].node < b.sql[next].node) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		done = b.sql[next].node
		b.rowAlone(&b.sql[next])
		b.bc.row = 0
		b.sql[next].sql = b.plan.suffix.render(b.sql[next].sql, b.bc)
		each(done, b.sql[next].sql)
	}
}
