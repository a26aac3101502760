package rules

import (
	"strconv"
	"strings"
)

// Window is a set of keys that a change of rules moves from one node to another: those with old node From and new node To, within Lo and Hi.
// What the other fields say of them is exact as well, but only a description: Holds and SQL decide.
type Window struct {
	// From and To are node indexes. NoPlace as From: the old rule has no node for the keys, so there are no rows to move. NoPlace as To: the new rule
	// has none, so no such rows may exist when it becomes valid.
	From, To int
	// Lo and Hi cut the window to the interval [Lo, Hi) of the first field, in its own order; nil is open. NULL is in no interval.
	Lo, Hi *Value
	// Blocks, when set, says which blocks of the interval the window consists of.
	Blocks *Blocks
	// Values, when set, are the values of the first field that the window consists of; with Others set, all but those.
	Values []Value
	Others bool
	// Null marks the window of the keys whose only field is NULL.
	Null bool

	old, new *Placement
	// whole is set where the interval alone makes the window, notNull where NULL has a window of its own.
	whole, notNull bool
}

// Blocks are the numbers x with floor(x / Width) mod Modulus in Residues. What x is: an integer field's value, the floor of a decimal, microseconds for
// dates and times; with Hash set the hash of the fields.
type Blocks struct {
	Width, Modulus uint64
	// Residues are rising.
	Residues []uint64
	Hash     bool
}

// Holds says whether a key is in the window.
func (w Window) Holds(key []Value) bool {
	if len(key) == 0 || !w.within(&key[0]) {
		return false
	}
	if isNull := key[0].Kind == Null; w.Null && !isNull || w.notNull && isNull {
		return false
	}
	return nodeOr(w.old, key) == w.From && nodeOr(w.new, key) == w.To
}

func (w Window) within(v *Value) bool {
	if w.Lo == nil && w.Hi == nil {
		return true
	}
	f := &w.old.fields[0]
	return v.Kind != Null && f.fits(v) && f.within(v, Interval{Lo: w.Lo, Hi: w.Hi, HiOpen: true})
}

// nodeOr gives the node of a key, NoPlace when it has none.
func nodeOr(p *Placement, key []Value) int {
	node, err := p.Node(key)
	if err != nil {
		return NoPlace
	}
	return node
}

// SQL gives a condition that is true for exactly the rows of the window, on both servers; for others it is false or NULL, so the rows outside
// are those where it IS NOT TRUE. col gives the SQL of the column of a field.
func (w Window) SQL(col func(field int) string) string {
	f, first := &w.old.fields[0], col(0)
	var parts []string
	if w.Null {
		return "(" + first + " IS NULL)"
	}
	if w.Lo != nil || w.Hi != nil || w.notNull {
		parts = append(parts, string(f.between(first, w.Lo, w.Hi)))
	}
	if !w.whole {
		parts = append(parts, w.old.classSQL(w.From, col), w.new.classSQL(w.To, col))
	}
	return "(" + strings.Join(parts, " AND ") + ")"
}

// classSQL is Predicate, with the rows that have no place for NoPlace.
func (p *Placement) classSQL(node int, col func(field int) string) string {
	if node != NoPlace {
		return p.Predicate(node, col)
	}
	nodes := p.Nodes()
	if len(nodes) == 0 {
		return "TRUE"
	}
	placed := make([]string, len(nodes))
	for i, n := range nodes {
		placed[i] = p.Predicate(n, col)
	}
	return "((" + strings.Join(placed, " OR ") + ") IS NOT TRUE)"
}

// Cut gives the part of the window whose first field lies in [lo, hi); nil ends are open. The second result is false when nothing is left of it.
func (w Window) Cut(lo, hi *Value) (Window, bool) {
	f := &w.old.fields[0]
	if w.Lo == nil || lo != nil && f.typ.Compare(*lo, *w.Lo) > 0 {
		w.Lo = lo
	}
	if w.Hi == nil || hi != nil && f.typ.Compare(*hi, *w.Hi) < 0 {
		w.Hi = hi
	}
	cut := w.Lo != nil || w.Hi != nil
	return w, !(w.Null && cut) && (w.Lo == nil || w.Hi == nil || f.typ.Compare(*w.Lo, *w.Hi) < 0)
}

// String says in a sentence what moves where: "user_id mod 12 = 4, 8: n0 → n2".
func (w Window) String() string {
	f := &w.old.fields[0]
	what := "what " + w.old.NodeName(w.From) + " holds and " + w.new.NodeName(w.To) + " shall hold"
	switch {
	case w.Null:
		what = f.name + " is NULL"
	case w.Blocks != nil:
		what = w.blocksText()
	case w.Values != nil || w.Others:
		what = w.valuesText()
	case w.whole:
		what = ""
	}
	if w.Lo != nil || w.Hi != nil || w.whole {
		interval := f.name + " in " + w.intervalText()
		if what != "" {
			interval += ", "
		}
		what = interval + what
	}
	return what + ": " + w.old.NodeName(w.From) + " → " + w.new.NodeName(w.To)
}

func (w Window) intervalText() string {
	f := &w.old.fields[0]
	lo, hi := "(first", "last)"
	if w.Lo != nil {
		lo = "[" + f.text(w.Lo)
	}
	if w.Hi != nil {
		hi = f.text(w.Hi) + ")"
	}
	return lo + ", " + hi
}

func (w Window) blocksText() string {
	b, f := w.Blocks, &w.old.fields[0]
	x, width := f.name, b.Width
	if unit := f.typ.timeUnit(); unit != 0 && !b.Hash && width%unit == 0 {
		width /= unit
		x = map[uint64]string{microsPerDay: "days of ", microsPerSecond: "seconds of "}[unit] + x
	}
	if b.Hash {
		var names []string
		for i := range w.old.fields {
			names = append(names, w.old.fields[i].name)
		}
		x = "hash(" + strings.Join(names, ", ") + ")"
	}
	if width > 1 {
		x = "floor(" + x + " / " + utoa(width) + ")"
	}
	return x + " mod " + utoa(b.Modulus) + " = " + runs(b.Residues)
}

// runs writes rising numbers, neighbours as first–last, many of them cut short.
func runs(list []uint64) string {
	const most = 20
	var out []string
	for i := 0; i < len(list); i++ {
		if len(out) == most {
			out = append(out, "… ("+strconv.Itoa(len(list))+" in all)")
			break
		}
		from := i
		for i+1 < len(list) && list[i+1] == list[i]+1 {
			i++
		}
		text := utoa(list[from])
		if i > from {
			text += "–" + utoa(list[i])
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func (w Window) valuesText() string {
	f := &w.old.fields[0]
	var texts []string
	for i := range w.Values {
		texts = append(texts, f.text(&w.Values[i]))
	}
	switch {
	case w.Others && len(texts) == 0:
		return "every " + f.name
	case w.Others:
		return f.name + " not in (" + strings.Join(texts, ", ") + ")"
	case len(texts) == 1:
		return f.name + " = " + texts[0]
	}
	return f.name + " in (" + strings.Join(texts, ", ") + ")"
}
