package rules

import (
	"math/bits"
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

// axes compares two rules that are functions of one axis.
func (d *differ) axes() bool {
	a := d.old.axisOf()
	if a.kind == axisNone || a != d.new.axisOf() {
		return false
	}
	old, ok := d.old.pieces(a)
	if !ok {
		return false
	}
	new, ok := d.new.pieces(a)
	if !ok {
		return false
	}
	if a.kind == axisHash {
		return d.hashes(old, new)
	}
	d.nullApart = true
	f, all := &d.old.fields[0], d.old.fields[0].axisSpan()
	overlaps(old, new, func(r numRange, o, n *piece) {
		w := Window{From: o.node(), To: n.node()}
		if r.lo != all.lo {
			w.Lo = f.axisValue(r.lo)
		}
		if end, more := r.hi.next(); more && r.hi != all.hi {
			w.Hi = f.axisValue(end)
		}
		if o.form != formCyclic && n.form != formCyclic {
			w.whole = true
			d.add(w)
			return
		}
		ok = ok && d.cyclic(w, o, n)
	})
	if !ok {
		d.windows, d.nullApart = nil, false
		return false
	}
	d.joinWhole()
	d.null()
	return true
}

// hashes compares two rules over one hash. Its values are no intervals of a field, so a window is a whole class of keys.
func (d *differ) hashes(old, new []piece) bool {
	if len(old) == 1 && len(new) == 1 && (old[0].form == formCyclic || new[0].form == formCyclic) {
		if d.cyclic(Window{}, &old[0], &new[0]) {
			for i := range d.windows {
				d.windows[i].Blocks.Hash = true
			}
			return true
		}
	}
	d.windows = nil
	seen := map[class]bool{}
	overlaps(old, new, func(_ numRange, o, n *piece) {
		for _, from := range o.allNodes() {
			for _, to := range n.allNodes() {
				if c := (class{from, to}); !seen[c] {
					seen[c] = true
					d.add(Window{From: from, To: to})
				}
			}
		}
	})
	return true
}

// allNodes gives the nodes of a piece, each once.
func (pc *piece) allNodes() []int {
	if pc.form != formCyclic {
		return []int{pc.node()}
	}
	var out []int
	for i := range pc.table {
		out = append(out, pc.nodeAt(uint64(i)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

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

// node gives the node of a piece that is constant.
func (pc *piece) node() int {
	if pc.form == formConstant {
		return int(pc.value.u)
	}
	return NoPlace
}

// cyclic compares two pieces of which at least one repeats: modulo the least common multiple of their periods, in blocks of the greatest common divisor
// of their widths.
func (d *differ) cyclic(w Window, o, n *piece) bool {
	ow, om := o.cycle(n)
	nw, nm := n.cycle(o)
	g := gcd(ow, nw)
	if ow/g > maxPieces/om || nw/g > maxPieces/nm {
		return false
	}
	blocks, ok := lcm(ow/g*om, nw/g*nm)
	if !ok || blocks > maxPieces {
		return false
	}
	residues := map[class][]uint64{}
	var order []class
	for k := range blocks {
		c := class{o.nodeAt(k / (ow / g)), n.nodeAt(k / (nw / g))}
		if c.from == c.to {
			continue
		}
		if residues[c] == nil {
			order = append(order, c)
		}
		residues[c] = append(residues[c], k)
	}
	slices.SortFunc(order, func(a, b class) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to
	})
	for _, c := range order {
		w.From, w.To = c.from, c.to
		w.Blocks = &Blocks{Width: g, Modulus: blocks, Residues: residues[c]}
		d.add(w)
	}
	return true
}

// cycle gives the width and the modulus of a piece; a constant takes those of the other.
func (pc *piece) cycle(other *piece) (width, modulus uint64) {
	if pc.form == formCyclic {
		return pc.width, uint64(len(pc.table))
	}
	return other.width, uint64(len(other.table))
}

// nodeAt gives the node of a quotient floor(x / width), wherever the piece lies.
func (pc *piece) nodeAt(quotient uint64) int {
	if pc.form != formCyclic {
		return pc.node()
	}
	n := pc.table[quotient%uint64(len(pc.table))]
	if n == missing {
		return NoPlace
	}
	return int(n.u)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func lcm(a, b uint64) (uint64, bool) {
	hi, lo := bits.Mul64(a/gcd(a, b), b)
	return lo, hi == 0
}

// axisValue gives the field's value at an integer of the axis.
func (f *field) axisValue(n number) *Value {
	switch f.typ.Kind {
	case FieldDecimal:
		return &Value{Kind: Decimal, S: n.String()}
	case FieldDate, FieldDateTime, FieldTimestamp, FieldTime:
		return &Value{Kind: Time, I: int64(n.u)}
	case FieldUint:
		return &Value{Kind: Uint, U: n.u}
	}
	return &Value{Kind: Int, I: int64(n.u)}
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
