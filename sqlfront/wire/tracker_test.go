package wire

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// answer builds what a server sends.
type answer struct {
	b          []byte
	seq        uint8
	deprecate  bool
	lastStatus int // place of the final status word, −1 after an error
}

func newAnswer(deprecate bool) *answer { return &answer{seq: 1, deprecate: deprecate} }

func (a *answer) packet(payload []byte) {
	a.b, a.seq = AppendPacket(a.b, a.seq, payload)
}

func (a *answer) ok(ok OK) {
	a.packet(ok.Append(nil))
	_, at, err := (&OK{}).decode(ok.Append(nil))
	if err != nil {
		panic(err)
	}
	a.lastStatus = len(a.b) - len(ok.Append(nil)) + at
}

func (a *answer) eof(status Status, warnings uint16) {
	if a.deprecate {
		ok := OK{Status: status, Warnings: warnings}
		a.packet(ok.AppendEOF(nil))
		a.lastStatus = len(a.b) - 4
		return
	}
	a.packet((&EOF{Status: status, Warnings: warnings}).Append(nil))
	a.lastStatus = len(a.b) - 2
}

func (a *answer) columns(n int) {
	a.packet(AppendLenencInt(nil, uint64(n)))
	for range n {
		a.packet((&Column{Name: "c", Type: TypeLongLong}).Append(nil))
	}
	if !a.deprecate {
		a.packet((&EOF{Status: StatusAutocommit}).Append(nil))
	}
}

func TestTrackerFollowsAnyFragments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newAnswer(rapid.Bool().Draw(t, "deprecate eof"))
		results := rapid.IntRange(1, 3).Draw(t, "results")
		rows, failed := uint64(0), false
		var last OK
		for i := range results {
			status := StatusAutocommit
			if i < results-1 {
				status |= StatusMoreResults
			}
			if rapid.Bool().Draw(t, "only ok") {
				last = OK{Affected: rapid.Uint64().Draw(t, "affected"), InsertID: 7, Status: status, Info: genText.Draw(t, "info")}
				a.ok(last)
				last.Info = ""
				continue
			}
			a.columns(rapid.IntRange(1, 300).Draw(t, "columns"))
			for range rapid.IntRange(0, 5).Draw(t, "rows") {
				first := rapid.SampledFrom([]byte{0, 1, 5, 0xfb, 0xfc, 0xfd}).Draw(t, "first byte")
				a.packet(append([]byte{first}, genBytes.Draw(t, "row")...))
				rows++
			}
			if i == results-1 && rapid.Bool().Draw(t, "fails") {
				a.packet((&ServerError{Number: 1317, State: "70100", Message: "interrupted"}).Append(nil))
				failed, last = true, OK{Status: last.Status}
				break
			}
			last = OK{Status: status, Warnings: 3}
			a.eof(status, 3)
		}
		tr := Tracker{DeprecateEOF: a.deprecate}
		tr.Reset()
		whole := append(append([]byte{}, a.b...), 0xaa, 0xbb) // bytes behind the answer are not its own
		settled, have := 0, 0
		var done bool
		for !done {
			if have == len(whole) {
				t.Fatalf("no end found in %x", a.b)
			}
			have = min(have+rapid.IntRange(1, 40).Draw(t, "fragment"), len(whole))
			n, d, err := tr.Feed(whole[settled:have])
			if err != nil {
				t.Fatal(err)
			}
			if d && !failed {
				if at := settled + tr.StatusAt; at != a.lastStatus {
					t.Fatalf("status word at %d, want %d", at, a.lastStatus)
				}
			}
			settled += n
			done = d
		}
		if settled != len(a.b) {
			t.Fatalf("answer of %d bytes ended at %d", len(a.b), settled)
		}
		if tr.Rows != rows || tr.Failed != failed || tr.Results != uint64(results) {
			t.Fatalf("tracker %+v; want rows %d, failed %v, results %d", tr, rows, failed, results)
		}
		if !failed && tr.OK != last {
			t.Fatalf("last ok %+v, want %+v", tr.OK, last)
		}
		if failed && tr.ErrNumber != 1317 {
			t.Fatalf("error number %d", tr.ErrNumber)
		}
	})
}

func TestTrackerRowsOver16MiB(t *testing.T) {
	for _, size := range []int{MaxPayload - 1, MaxPayload, MaxPayload + 1, 2 * MaxPayload} {
		a := newAnswer(true)
		a.columns(1)
		row := AppendLenencBytes(nil, bytes.Repeat([]byte{0xfe}, size-9))
		a.packet(row[:min(size, len(row))])
		a.packet([]byte{1, 'x'})
		a.eof(StatusAutocommit, 0)
		tr := Tracker{DeprecateEOF: true}
		tr.Reset()
		for chunk := a.b; ; {
			n, done, err := tr.Feed(chunk[:min(1<<16, len(chunk))])
			if err != nil {
				t.Fatal(err)
			}
			chunk = chunk[n:]
			if done {
				if len(chunk) != 0 || tr.Rows != 2 {
					t.Fatalf("size %d: %d bytes left, %d rows", size, len(chunk), tr.Rows)
				}
				break
			}
		}
	}
}

func TestTrackerFirstOnlyAndInfile(t *testing.T) {
	a := newAnswer(false)
	a.ok(OK{Status: StatusMoreResults})
	first := len(a.b)
	a.ok(OK{})
	tr := Tracker{FirstOnly: true}
	tr.Reset()
	if n, done, err := tr.Feed(a.b); n != first || !done || err != nil {
		t.Fatalf("first only: %d %v %v", n, done, err)
	}
	a = newAnswer(false)
	a.packet([]byte("\xfb/etc/passwd"))
	tr.Reset()
	if n, done, err := tr.Feed(a.b); n != len(a.b) || !done || err != nil || !tr.Infile {
		t.Fatalf("infile: %d %v %v %+v", n, done, err, tr)
	}
}

func TestTrackerRefusesNonsense(t *testing.T) {
	for _, b := range [][]byte{
		{0, 0, 0, 1}, {1, 0, 0, 2, 0}, {1, 0, 0, 1, 0}, {1, 0, 0, 1, 0xff}, {2, 0, 0, 1, 1, 1}, {1, 0, 0, 1, 0xfe}, {0xff, 0xff, 0xff, 1, 0xff},
	} {
		var tr Tracker
		tr.Reset()
		if _, _, err := tr.Feed(b); !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrSequence) {
			t.Errorf("%x: error %v", b, err)
		}
	}
}

func BenchmarkTrackerRow(b *testing.B) {
	a := newAnswer(true)
	a.columns(3)
	head := len(a.b)
	for range 200 {
		a.packet(bytes.Repeat([]byte{3}, 60))
	}
	rows := a.b[head:]
	var tr Tracker
	tr.DeprecateEOF = true
	b.ReportAllocs()
	for i := 0; i < b.N; i += 200 {
		tr.Reset()
		if _, _, err := tr.Feed(a.b[:head]); err != nil {
			b.Fatal(err)
		}
		if n, _, err := tr.Feed(rows); err != nil || n < len(rows)-100 {
			b.Fatal(n, err)
		}
	}
}
