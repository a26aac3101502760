package sqlfront

import "ballast/sqlfront/wire"

// Relay passes on packets of a server's answer as they came. Each call begins at a packet's header or inside the payload that the call before
// left unfinished, and may end inside a payload but not inside a header (what a wire.Tracker settles is so). Sequence numbers are made to follow what
// was written before: where they differ the headers in packets are changed in place.
// The status words in the packets say whether another result follows, whatever More said.
func (r *Reply) Relay(packets []byte) error {
	if r.err == nil && r.over {
		r.err = errOver
	}
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
		at += wire.HeaderSize
		if !r.partial && at < len(packets) {
			r.look(packets[at:min(at+n, len(packets))], n)
		}
		r.partial = n == wire.MaxPayload
		at += n
	}
	switch {
	case at > len(packets):
		r.skip = at - len(packets)
	case at < len(packets):
		r.err = errPartial
	}
}

// look notes which packet of size bytes was relayed, so that the end of the answer is known; body is what is there of it, at least a byte.
func (r *Reply) look(body []byte, size int) {
	switch first := body[0]; {
	case first == wire.ErrHeader:
		r.inSet, r.over = false, true
	case !r.inSet && first == wire.OKHeader:
		r.relayed(body)
	case !r.inSet: // a column count
		r.inSet, r.eofs = true, 2
		if r.deprecate {
			r.eofs = 1
		}
	case first == wire.EOFHeader && (size < 9 || r.deprecate && size < wire.MaxPayload):
		if r.eofs--; r.eofs == 0 {
			r.relayed(body)
		}
	}
}

// relayed notes the OK or EOF packet that ended a result: its status word says whether another follows.
func (r *Reply) relayed(body []byte) {
	at := 3
	if r.deprecate || body[0] == wire.OKHeader {
		_, affected := wire.LenencInt(body[1:])
		_, insertID := wire.LenencInt(body[1+affected:])
		at = 1 + affected + insertID
	}
	r.inSet = false
	r.over = at >= len(body) || body[at]&byte(wire.StatusMoreResults) == 0
}
