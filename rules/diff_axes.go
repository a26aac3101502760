package rules

import (
	"math/bits"
	"slices"
)

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
	default:
		return &Value{Kind: Int, I: int64(n.u)}
	}
}
