package wire

import (
	"bytes"
	"errors"
	"testing"
)

func TestPacketsSplitAndJoin(t *testing.T) {
	for _, size := range []int{0, 1, 100, MaxPayload - 1, MaxPayload, MaxPayload + 1, 2 * MaxPayload, 2*MaxPayload + 5} {
		payload := make([]byte, size)
		for i := 0; i < size; i += 997 {
			payload[i] = byte(i / 997)
		}
		direct, next := AppendPacket([]byte("before"), 250, payload)
		marked, mark := BeginPacket([]byte("before"))
		marked, nextMarked := EndPacket(append(marked, payload...), mark, 250)
		if !bytes.Equal(direct, marked) || next != nextMarked {
			t.Fatalf("size %d: AppendPacket and EndPacket disagree (%d bytes, next %d; %d bytes, next %d)", size, len(direct), next, len(marked), nextMarked)
		}
		in := Inbox{Max: 64 << 20, Seq: 250}
		stream := append(direct[6:], 1, 0, 0, next, 'z')
		var got [][]byte
		for len(stream) > 0 {
			n := copy(in.Space(1), stream[:min(len(stream), 1<<20)])
			in.Filled(n)
			stream = stream[n:]
			for {
				p, ok, err := in.Next()
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					break
				}
				got = append(got, bytes.Clone(p))
			}
		}
		if len(got) != 2 || !bytes.Equal(got[0], payload) || string(got[1]) != "z" || in.Buffered() != 0 {
			t.Fatalf("size %d: got %d payloads", size, len(got))
		}
	}
}

func TestInboxLimits(t *testing.T) {
	in := Inbox{Max: 10}
	in.Filled(copy(in.Space(4), []byte{11, 0, 0, 0}))
	if _, _, err := in.Next(); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("too large: %v", err)
	}
	in = Inbox{}
	in.Filled(copy(in.Space(4), []byte{1, 0, 0, 1, 'x'}))
	if _, _, err := in.Next(); !errors.Is(err, ErrSequence) {
		t.Fatalf("sequence: %v", err)
	}
	in = Inbox{}
	in.Use(make([]byte, 0, 64))
	in.Filled(copy(in.Space(4), []byte{3, 0, 0}))
	if need := in.Need(); need != 1 {
		t.Fatalf("need %d of a header", need)
	}
	in.Filled(copy(in.Space(1), []byte{0}))
	if need := in.Need(); need != 3 {
		t.Fatalf("need %d of a payload", need)
	}
}

func TestLenencInt(t *testing.T) {
	for _, v := range []uint64{0, 250, 251, 252, 65535, 65536, 1<<24 - 1, 1 << 24, 1<<64 - 1} {
		b := AppendLenencInt(nil, v)
		if got, n := LenencInt(b); got != v || n != len(b) {
			t.Errorf("%d: read %d from %d of %d bytes", v, got, n, len(b))
		}
		if len(b) > 1 {
			if _, n := LenencInt(b[:len(b)-1]); n != 0 {
				t.Errorf("%d: read from a cut integer", v)
			}
		}
	}
	for _, b := range [][]byte{nil, {0xfb}, {0xff, 1, 1}} {
		if _, n := LenencInt(b); n != 0 {
			t.Errorf("%x: is no integer", b)
		}
	}
}

func TestRowsDoNotAllocate(t *testing.T) {
	row := AppendTextNull(AppendTextValue(AppendTextValue(nil, []byte("12")), bytes.Repeat([]byte("x"), 300)))
	fields := make([]Field, 3)
	if n := testing.AllocsPerRun(100, func() {
		if err := ScanTextRow(row, fields); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("text: %v allocations", n)
	}
	if string(fields[0].Of(row)) != "12" || len(fields[1].Of(row)) != 300 || !fields[2].Null() || fields[2].Of(row) != nil {
		t.Errorf("text fields %v", fields)
	}
	columns := []Column{{Type: TypeLong}, {Type: TypeVarString}, {Type: TypeDatetime}, {Type: TypeTime}}
	bin := BeginBinaryRow(nil, len(columns))
	bin = AppendBinaryValue(bin, TypeLong, []byte{1, 2, 3, 4})
	bin = AppendBinaryValue(bin, TypeVarString, nil)
	bin = AppendBinaryValue(bin, TypeDatetime, []byte{0xe8, 7, 1, 2})
	SetBinaryNull(bin, 3)
	fields = make([]Field, 4)
	if n := testing.AllocsPerRun(100, func() {
		if err := ScanBinaryRow(bin, columns, fields); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("binary: %v allocations", n)
	}
	if v := fields[1].Of(bin); v == nil || len(v) != 0 || fields[2].Of(bin)[2] != 1 || !fields[3].Null() {
		t.Errorf("binary fields %v", fields)
	}
}
