package plan

// Inline appends the text of a prepared statement with the values that BindLiterals put into a in place of its markers: what EXECUTE sends
// to a node that takes the statement as it was written.
func (p *Prepared) Inline(dst []byte, a *Args, flags Flags) []byte {
	at := 0
	for i := range p.lits {
		if p.lits[i].Kind != LitMarker {
			continue
		}
		from := cap(p.Text) - cap(p.lits[i].Raw)
		dst = append(dst, p.Text[at:from]...)
		dst = a.lits[i].AppendSQL(dst, flags)
		at = from + 1
	}
	return append(dst, p.Text[at:]...)
}
