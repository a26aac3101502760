package rules

import (
	"strings"
)

// Explain says in one sentence where a key belongs and why: "user_id 12345: range 10000 → 1, mod 32 → 1, range 8 → 0: node n0".
func (p *Placement) Explain(key []Value) string {
	var w strings.Builder
	for i := range p.fields {
		if i > 0 {
			w.WriteString(", ")
		}
		w.WriteString(p.fields[i].name)
		if i < len(key) {
			w.WriteByte(' ')
			w.WriteString(p.fields[i].text(&key[i]))
		}
	}
	w.WriteString(": ")
	node, err := p.Node(key)
	if err != nil && !NoPlaceError(err) {
		return w.String() + err.Error()
	}
	if p.except != nil && key[0].Kind != Null {
		if n, ok, err := p.except.node(&p.fields[0], &key[0]); ok && err == nil {
			return w.String() + "placed by hand (EXCEPT): node " + p.NodeName(n)
		}
	}
	p.explain(&w, p.chain, key)
	if node == NoPlace {
		return w.String() + ": no node"
	}
	return w.String() + ": node " + p.NodeName(node)
}

// explain writes what every step makes of the key, up to the one that has no place for it.
func (p *Placement) explain(w *strings.Builder, c *chain, key []Value) (number, bool) {
	var n number
	for i := range c.steps {
		st := &c.steps[i]
		if i > 0 {
			w.WriteString(", ")
		}
		w.WriteString(st.name())
		if st.field > 0 || len(p.fields) > 1 && st.field == 0 {
			w.WriteString(" of " + p.fields[st.field].name)
			if st.end > st.field+1 {
				w.WriteString(" to " + p.fields[st.end-1].name)
			}
		}
		own, err := p.take(st, n, key)
		if err != nil {
			w.WriteString(" → none")
			return n, false
		}
		w.WriteString(" → " + own.String())
		if st.branches != nil {
			sub, offset := st.branches[own.u], st.offsets[own.u]
			own.u = offset
			if sub != nil {
				w.WriteString(" (")
				m, ok := p.explain(w, sub, key)
				w.WriteByte(')')
				if !ok {
					return n, false
				}
				own.u += m.u
			}
			w.WriteString(" → " + own.String())
		}
		if st.refine > 0 {
			own.u += n.u * st.refine
			w.WriteString(" → " + own.String())
		}
		n = own
	}
	return n, true
}

func (st *step) name() string {
	s := Step{Kind: st.kind, Width: st.width, Mod: st.mod}
	return s.String()
}

// text writes a value for people.
func (f *field) text(v *Value) string {
	if v.Kind == Null {
		return "NULL"
	}
	switch f.typ.Kind {
	case FieldString:
		return "'" + v.S + "'"
	case FieldBinary:
		return quoteText(v.S)
	default:
		return f.typ.Text(*v)
	}
}
