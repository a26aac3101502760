package wire

// MaxFinal is the largest payload, in bytes, that a Tracker accepts for the packets it must see whole: OK, EOF, ERR and column count.
const MaxFinal = 16 << 10

// Tracker follows the bytes of a server's answer to COM_QUERY or COM_STMT_EXECUTE without decoding rows and without copying, and says where
// the answer ends. The same packets come in text and in binary rows, so it need not know which they are.
//
// Feed is given the bytes in any fragments. What it reports as settled may be sent on; the rest, never more than MaxFinal + HeaderSize bytes,
// is kept by the caller and fed again with more behind it. So a packet that ends a result is always inside one chunk, and a relay can
// change its status word, at StatusAt, before it sends the chunk on.
type Tracker struct {
	// DeprecateEOF must equal what the connection negotiated.
	DeprecateEOF bool
	// FirstOnly ends the answer behind its first result even if more follow.
	FirstOnly bool

	// OK holds the latest OK or EOF packet (without Info): for the whole answer once Feed said done.
	OK OK
	// Found is the first number of the latest OK packet's Info: the rows that a write matched or was given. 0 without any.
	Found uint64
	// Failed is true when the answer ended in an ERR packet, whose number is ErrNumber.
	Failed    bool
	ErrNumber uint16
	// Infile is true when the server asks for a file (LOAD DATA LOCAL); the answer goes on only after the client has sent it.
	Infile bool
	// Columns is the column count of the latest result set, 0 for an OK.
	Columns uint64
	// Rows counts the rows of all result sets, Results the finished results.
	Rows, Results uint64
	// StatusAt is the place, in the latest chunk, of the status word (two bytes, little-endian) of the last OK or EOF packet that ended
	// a result; −1 when this chunk has none. FinalAt is the place of the header of the last packet that ended a result, −1 likewise.
	StatusAt, FinalAt int

	seq   uint8
	phase phase
	skip  int  // bytes of the current packet that are still to come
	cont  bool // the next packet continues a payload of MaxPayload or more
	defs  uint64
}

type phase uint8

const (
	phaseFirst phase = iota // the first packet of a result
	phaseDefs               // column definitions
	phaseDefsEOF
	phaseRows
	phaseDone
)

// Reset makes the tracker ready for the next answer, whose first packet has sequence number 1.
func (t *Tracker) Reset() { t.ResetAt(1) }

// ResetAt is Reset for an answer that begins with sequence number seq: the one after the last packet of a command that took several.
func (t *Tracker) ResetAt(seq uint8) {
	*t = Tracker{DeprecateEOF: t.DeprecateEOF, FirstOnly: t.FirstOnly, StatusAt: -1, FinalAt: -1, seq: seq}
}

// NextSeq is the sequence number that the next packet of the answer must have.
func (t *Tracker) NextSeq() uint8 { return t.seq }

// InRows tells whether rows of a result set are being sent: an ERR packet in place of a row is legal then, at a packet boundary.
func (t *Tracker) InRows() bool { return t.phase == phaseRows }

// AtBoundary tells whether all that was settled so far is whole packets.
func (t *Tracker) AtBoundary() bool { return t.skip == 0 && !t.cont }

// Feed reads on. The first n bytes of chunk are settled; done tells that the answer ends exactly there. An error means that the bytes are not
// an answer, and the connection they came from is of no more use.
func (t *Tracker) Feed(chunk []byte) (n int, done bool, err error) {
	t.StatusAt, t.FinalAt = -1, -1
	if t.phase == phaseDone {
		return 0, true, nil
	}
	at := 0
	for {
		if t.skip > 0 {
			step := min(t.skip, len(chunk)-at)
			at += step
			if t.skip -= step; t.skip > 0 {
				return at, false, nil
			}
		}
		if len(chunk)-at < HeaderSize {
			return at, false, nil
		}
		size, seq := Header(chunk[at:])
		if seq != t.seq {
			return at, false, ErrSequence
		}
		body := chunk[at+HeaderSize:]
		if t.phase == phaseRows && !t.cont && size < MaxPayload && size < len(body) && body[0] < EOFHeader && size > 0 { // a whole row: the common case
			t.Rows++
			t.seq++
			at += HeaderSize + size
			continue
		}
		if !t.cont {
			whole, end, err := t.packet(size, body, at)
			if err != nil || !whole {
				return at, false, err
			}
			if end {
				t.seq++
				return at + HeaderSize + size, true, nil
			}
		}
		t.seq++
		t.cont = size == MaxPayload
		t.skip = size
		at += HeaderSize
	}
}

// packet takes note of the packet whose body begins at body; whole is false when it must be seen again with more bytes.
func (t *Tracker) packet(size int, body []byte, at int) (whole, end bool, err error) {
	if size == 0 {
		if t.phase == phaseRows { // no server sends it, but it is no end either
			t.Rows++
			return true, false, nil
		}
		return false, false, malformed("answer", "empty packet")
	}
	if len(body) == 0 {
		return false, false, nil
	}
	first := body[0]
	if t.phase == phaseRows {
		if first != ErrHeader && (first != EOFHeader || size == MaxPayload) {
			t.Rows++
			return true, false, nil
		}
		if first == EOFHeader && !t.DeprecateEOF && size >= 9 { // a first value of 16 MiB or more, in a later packet's length
			t.Rows++
			return true, false, nil
		}
	}
	if t.phase == phaseDefs && first != ErrHeader {
		if t.defs--; t.defs == 0 {
			t.phase = phaseDefsEOF
			if t.DeprecateEOF {
				t.phase = phaseRows
			}
		}
		return true, false, nil
	}
	if size > MaxFinal {
		return false, false, malformed("answer", "oversized OK, EOF or ERR packet")
	}
	if len(body) < size {
		return false, false, nil
	}
	return t.control(body[:size], at)
}

// control reads a packet that is neither a row nor a column definition, whole in body; its header is at at.
func (t *Tracker) control(body []byte, at int) (whole, end bool, err error) {
	switch {
	case body[0] == ErrHeader:
		if len(body) < 3 {
			return false, false, malformed("answer", "ERR packet too short")
		}
		t.Failed, t.ErrNumber = true, uint16(body[1])|uint16(body[2])<<8
		t.FinalAt, t.phase = at, phaseDone
		t.Results++
		return true, true, nil
	case t.phase == phaseRows || t.phase == phaseFirst && body[0] == OKHeader:
		return t.final(body, at)
	case t.phase == phaseDefsEOF:
		var eof EOF
		if err := eof.Decode(body); err != nil {
			return false, false, err
		}
		if eof.Status.Has(StatusCursorExists) {
			return t.final(body, at)
		}
		t.OK = OK{Status: eof.Status, Warnings: eof.Warnings}
		t.phase = phaseRows
		return true, false, nil
	case body[0] == textNull:
		t.Infile, t.phase = true, phaseDone
		return true, true, nil
	default:
		columns, n := LenencInt(body)
		if n != len(body) || columns == 0 || columns > 1<<16 {
			return false, false, malformed("answer", "bad column count")
		}
		t.Columns, t.defs, t.phase = columns, columns, phaseDefs
		return true, false, nil
	}
}

// final reads the OK or EOF packet that ends a result.
func (t *Tracker) final(body []byte, at int) (whole, end bool, err error) {
	ok, statusAt := OK{}, 3
	if t.phase == phaseFirst || t.DeprecateEOF {
		var info []byte
		if info, statusAt, err = ok.decode(body); err != nil {
			return false, false, err
		}
		t.Found = firstNumber(info)
	} else {
		var eof EOF
		if err := eof.Decode(body); err != nil {
			return false, false, err
		}
		ok = OK{Status: eof.Status, Warnings: eof.Warnings}
	}
	if t.phase == phaseFirst {
		t.Columns = 0
	}
	t.OK = ok
	t.FinalAt, t.StatusAt = at, at+HeaderSize+statusAt
	t.Results++
	if ok.Status.Has(StatusMoreResults) && !t.FirstOnly {
		t.phase = phaseFirst
		return true, false, nil
	}
	t.phase = phaseDone
	return true, true, nil
}

// firstNumber reads the first run of digits in a text such as "Rows matched: 2  Changed: 1  Warnings: 0".
func firstNumber(text []byte) (n uint64) {
	for i, c := range text {
		if c < '0' || c > '9' {
			continue
		}
		for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
			n = n*10 + uint64(text[i]-'0')
		}
		return n
	}
	return 0
}
