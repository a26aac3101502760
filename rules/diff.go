package rules

import (
	"slices"
	"strings"
)

// Diff gives the windows between two placements over the same fields and nodes: disjoint, and together exactly the keys whose node differs (I3); keys
// that one of the rules has no node for included. The new list of nodes may have more at its end.
func Diff(old, new *Placement) ([]Window, error) {
	if !slices.EqualFunc(old.fields, new.fields, func(a, b field) bool { return strings.EqualFold(a.name, b.name) && a.typ == b.typ }) {
		return nil, errDiffFields.New()
	}
	for i := range min(len(old.nodes), len(new.nodes)) {
		if old.nodes[i].Name != new.nodes[i].Name {
			return nil, errDiffNodes.New()
		}
	}
	d := &differ{old: old, new: new}
	switch {
	case d.lists(), d.axes(), d.stairs():
	default:
		d.classes()
	}
	return d.windows, nil
}

// differ collects windows.
type differ struct {
	old, new *Placement
	windows  []Window
	// nullApart is set while windows are made that NULL has no part in.
	nullApart bool
}

func (d *differ) add(w Window) {
	if w.From != w.To {
		w.notNull = d.nullApart && !w.Null
		w.old, w.new = d.old, d.new
		d.windows = append(d.windows, w)
	}
}

// null adds the window of the NULL key of a rule over one field.
func (d *differ) null() {
	if len(d.old.fields) == 1 && d.old.fields[0].typ.Nullable {
		key := []Value{{}}
		d.add(Window{From: nodeOr(d.old, key), To: nodeOr(d.new, key), Null: true})
	}
}

// lists compares two rules that begin with a list: only values that are listed differently move.
func (d *differ) lists() bool {
	old, ok := d.old.listRuleOf()
	if !ok {
		return false
	}
	new, ok := d.new.listRuleOf()
	if !ok {
		return false
	}
	d.nullApart = true
	values := d.old.listedValues(old, new)
	others := class{old.other, new.other}
	byClass := map[class][]Value{}
	var order []class
	for i := range values {
		key := values[i : i+1]
		c := class{nodeOr(d.old, key), nodeOr(d.new, key)}
		if byClass[c] == nil {
			order = append(order, c)
		}
		byClass[c] = append(byClass[c], values[i])
	}
	var unlike []Value // listed values that do not move as the others do
	for _, c := range order {
		if c != others {
			d.add(Window{From: c.from, To: c.to, Values: byClass[c]})
			unlike = append(unlike, byClass[c]...)
		}
	}
	d.add(Window{From: others.from, To: others.to, Values: unlike, Others: true})
	d.null()
	return true
}

// class is a pair of old and new node.
type class struct{ from, to int }

// joinWhole joins neighbouring intervals that move alike.
func (d *differ) joinWhole() {
	var out []Window
	for _, w := range d.windows {
		if n := len(out); n > 0 && w.whole && out[n-1].whole && out[n-1].Hi != nil && w.Lo != nil && *out[n-1].Hi == *w.Lo && out[n-1].From == w.From && out[n-1].To == w.To {
			out[n-1].Hi = w.Hi
			continue
		}
		out = append(out, w)
	}
	d.windows = out
}

// stairs compares two rules with bounds over values that are no integers.
func (d *differ) stairs() bool {
	old, ok := d.old.stairsOf()
	if !ok {
		return false
	}
	new, ok := d.new.stairsOf()
	if !ok {
		return false
	}
	d.nullApart = true
	var classes []class
	f := &d.old.fields[0]
	both := f.combine(old, new, func(from, to int) int {
		classes = append(classes, class{from, to})
		return from
	})
	for i, c := range classes {
		w := Window{From: c.from, To: c.to, whole: true}
		if i > 0 {
			w.Lo = &both.cuts[i-1]
		}
		if i < len(both.cuts) {
			w.Hi = &both.cuts[i]
		}
		d.add(w)
	}
	d.joinWhole()
	d.null()
	return true
}

// classes makes a window of every pair of nodes between which keys may move; exact for every rule.
func (d *differ) classes() {
	from, to := d.old.Nodes(), d.new.Nodes()
	if d.old.partial() {
		from = append(from, NoPlace)
	}
	if d.new.partial() {
		to = append(to, NoPlace)
	}
	for _, f := range from {
		for _, t := range to {
			d.add(Window{From: f, To: t})
		}
	}
}

// partial says whether the rule may leave keys without a node.
func (p *Placement) partial() bool { return p.chain.count == 0 || p.chain.partial(p.fields) }

func (c *chain) partial(fields []field) bool {
	for i := range c.steps {
		st := &c.steps[i]
		if st.field >= 0 {
			switch {
			case st.list != nil && (st.list.other < 0 || st.list.null < 0):
				return true
			case st.bounds != nil && !(st.bounds.minOpen && st.bounds.maxOpen):
				return true
			case (st.bounds != nil || st.mod > 0 || st.width > 0) && fields[st.field].typ.Nullable:
				return true
			}
		} else if st.list != nil && st.list.other < 0 && st.in == 0 || st.bounds != nil && st.in == 0 {
			return true
		}
		for _, sub := range st.branches {
			if sub != nil && sub.partial(fields) {
				return true
			}
		}
	}
	return false
}
