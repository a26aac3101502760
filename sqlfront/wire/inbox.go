package wire

import "fmt"

// Inbox gathers received bytes and cuts them into payloads. The caller reads into Space, says how much came by Filled, and calls Next until
// it gives no more. It holds one buffer, which grows to the largest payload allowed and can be given back whenever the inbox is empty.
// The zero value with Max set is ready to use.
type Inbox struct {
	// Max is the largest payload accepted, in bytes; 0 means MaxPayload.
	Max int
	// Seq is the sequence number that the next packet must have; it counts on by itself. A server sets it to 0 before each command.
	Seq uint8

	buf  []byte
	r, w int // unread bytes are buf[r:w]
	// A long payload is joined in place: its parts so far, headers taken out, are buf[r:r+joined].
	joined int
	long   bool
}

// Use gives the inbox a buffer, in place of the one it has; allowed only while Buffered is 0.
func (in *Inbox) Use(buf []byte) {
	in.buf, in.r, in.w = buf[:cap(buf)], 0, 0
}

// Release takes the buffer out of the inbox; allowed only while Buffered is 0. It may be nil.
func (in *Inbox) Release() []byte {
	buf := in.buf
	in.buf, in.r, in.w = nil, 0, 0
	return buf
}

// Holds tells whether the inbox has a buffer.
func (in *Inbox) Holds() bool { return in.buf != nil }

// Buffered is the number of bytes that were received and not yet given by Next.
func (in *Inbox) Buffered() int { return in.w - in.r }

// Space is where the caller may read more bytes into: at least least bytes (1 or more). Payloads given by Next before are invalid after it.
func (in *Inbox) Space(least int) []byte {
	if len(in.buf)-in.w >= least {
		return in.buf[in.w:]
	}
	if in.r > 0 {
		copy(in.buf, in.buf[in.r:in.w])
		in.w -= in.r
		in.r = 0
	}
	if len(in.buf)-in.w < least {
		bigger := make([]byte, max(2*len(in.buf), in.w+least, 4096))
		copy(bigger, in.buf[:in.w])
		in.buf = bigger
	}
	return in.buf[in.w:]
}

// Filled says that n bytes of Space were filled.
func (in *Inbox) Filled(n int) { in.w += n }

// Peek is what was received and not yet given by Next; valid until Space, Use or Release.
func (in *Inbox) Peek() []byte { return in.buf[in.r:in.w] }

// Drop forgets what Peek gives.
func (in *Inbox) Drop() { in.r, in.w, in.joined, in.long = 0, 0, 0, false }

// Need is how many bytes are certainly missing until Next gives a payload: a hint for Space.
func (in *Inbox) Need() int {
	at := in.r + in.joined
	if in.w-at < HeaderSize {
		return HeaderSize - (in.w - at)
	}
	n, _ := Header(in.buf[at:])
	return max(HeaderSize+n-(in.w-at), 1)
}

// Whole tells whether Next has something to say: a payload, or an error.
func (in *Inbox) Whole() bool {
	at := in.r + in.joined
	if in.w-at < HeaderSize {
		return false
	}
	n, seq := Header(in.buf[at:])
	limit := in.Max
	if limit == 0 {
		limit = MaxPayload
	}
	return seq != in.Seq || in.joined+n > limit || in.w-at >= HeaderSize+n
}

// Next gives the next payload, joined if it came in several packets; ok is false when more bytes are needed. The payload is valid until
// Space, Use or Release. An error (ErrSequence, ErrTooLarge) is final.
func (in *Inbox) Next() (payload []byte, ok bool, err error) {
	limit := in.Max
	if limit == 0 {
		limit = MaxPayload
	}
	for {
		at := in.r + in.joined
		if in.w-at < HeaderSize {
			return nil, false, nil
		}
		n, seq := Header(in.buf[at:])
		if seq != in.Seq {
			return nil, false, fmt.Errorf("packet %d in place of %d: %w", seq, in.Seq, ErrSequence)
		}
		if in.joined+n > limit {
			return nil, false, fmt.Errorf("over %d bytes: %w", limit, ErrTooLarge)
		}
		if in.w-at < HeaderSize+n {
			return nil, false, nil
		}
		in.Seq++
		if !in.long && n < MaxPayload {
			in.r = at + HeaderSize + n
			return in.buf[at+HeaderSize : in.r : in.r], true, nil
		}
		in.long = true
		copy(in.buf[at:], in.buf[at+HeaderSize:in.w])
		in.w -= HeaderSize
		in.joined += n
		if n < MaxPayload {
			start := in.r
			in.r += in.joined
			in.joined, in.long = 0, false
			return in.buf[start:in.r:in.r], true, nil
		}
	}
}
