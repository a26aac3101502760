package sqlfront

import "ballast/sqlfront/wire"

// Relay passes on packets of a server's answer as they came. Each call begins at a packet's header or inside the payload that the call before
// left unfinished, and may end inside a payload but not inside a header (what a wire.Tracker settles is so). Sequence numbers are made to follow what
// was written before: where they differ the headers in packets are changed in place.
func (r *Reply) Relay(packets []byte) error {
	if r.err != nil {
		return r.err
	}
	r.answered = true
	if r.renumber(packets); r.err != nil {
		return r.err
	}
	if len(packets) <= replyBuffer-len(r.buf) {
		r.buf = append(r.grown(), packets...)
		return nil
	}
	if err := r.Flush(); err != nil {
		return err
	}
	if len(packets) < replyBuffer/2 {
		r.buf = append(r.grown(), packets...)
		return nil
	}
	return r.send(packets)
}

// renumber walks the headers in packets and gives them the sequence numbers that follow.
func (r *Reply) renumber(packets []byte) {
	at := min(r.skip, len(packets))
	r.skip -= at
	for len(packets)-at >= wire.HeaderSize {
		n := int(packets[at]) | int(packets[at+1])<<8 | int(packets[at+2])<<16
		packets[at+3] = r.seq
		r.seq++
		r.partial = n == wire.MaxPayload
		at += wire.HeaderSize + n
	}
	switch {
	case at > len(packets):
		r.skip = at - len(packets)
	case at < len(packets):
		r.err = errPartial
	}
}
