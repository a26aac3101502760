package wire

import (
	"reflect"
	"testing"
)

// FuzzDecode feeds any bytes to every decoder: none may panic, and what decodes must survive being written and read again.
func FuzzDecode(f *testing.F) {
	for _, m := range []message{
		&Greeting{Version: "9.7.4", Capabilities: 0xffffffff, Plugin: "p"},
		&HandshakeResponse{Capabilities: 0xffffffff, User: "u", Auth: []byte("x"), DB: "d", Plugin: "p", Attributes: map[string]string{"a": "b"}},
		&OK{Info: "x"}, &ServerError{Number: 1, State: "HY000", Message: "m"}, &Column{Name: "c"}, &StmtPrepareOK{ID: 1}, &EOF{},
	} {
		f.Add(m.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, m := range []message{
			&Greeting{}, &HandshakeResponse{}, &SSLRequest{}, &AuthSwitch{}, &AuthMore{}, &OK{}, &EOF{}, &ServerError{}, &Column{},
			&StmtPrepareOK{}, &StmtLongData{}, &StmtFetch{}, &SetOption{}, &ProcessKill{}, &FieldList{},
		} {
			if m.Decode(b) != nil {
				continue
			}
			again := reflect.New(reflect.TypeOf(m).Elem()).Interface().(message)
			body := m.Append(nil)
			if _, ok := m.(commandMessage); ok {
				body = body[1:]
			}
			if err := again.Decode(body); err != nil {
				t.Fatalf("%T %+v: %v", m, m, err)
			}
		}
		var cu ChangeUser
		if cu.Decode(b, ClientPluginAuth|ClientSecureConnection|ClientConnectAttrs) == nil {
			cu.Append(nil, ClientPluginAuth)
		}
	})
}

// FuzzRows feeds any bytes to the row and parameter scanners.
func FuzzRows(f *testing.F) {
	f.Add([]byte{1, 'a', 0xfb, 0xfc, 1, 0, 'x'}, []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, row, types []byte) {
		fields := make([]Field, len(types))
		if ScanTextRow(row, fields) == nil {
			out := []byte{}
			for _, fd := range fields {
				out = AppendTextValue(out, fd.Of(row))
			}
			if err := ScanTextRow(out, fields); err != nil {
				t.Fatal(err)
			}
		}
		columns := make([]Column, len(types))
		params := make([]Param, len(types))
		for i, x := range types {
			columns[i].Type, params[i].Type = Type(x), Type(x)
		}
		if ScanBinaryRow(row, columns, fields) == nil {
			out := BeginBinaryRow(nil, len(columns))
			for i, fd := range fields {
				if fd.Null() {
					SetBinaryNull(out, i)
					continue
				}
				out = AppendBinaryValue(out, columns[i].Type, fd.Of(row))
			}
			if err := ScanBinaryRow(out, columns, fields); err != nil {
				t.Fatal(err)
			}
		}
		m := StmtExecute{Params: params, typed: true}
		if m.Decode(row) == nil {
			again := StmtExecute{Params: make([]Param, len(params))}
			m.NewTypes = true
			if err := again.Decode(m.Append(nil)[1:]); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzTracker feeds any bytes to a tracker, whole and byte by byte: both must say the same.
func FuzzTracker(f *testing.F) {
	for _, deprecate := range []bool{true, false} {
		a := newAnswer(deprecate)
		a.columns(2)
		a.packet([]byte{1, 'x', 0xfb})
		a.eof(StatusMoreResults, 1)
		a.ok(OK{Affected: 3})
		f.Add(a.b, deprecate)
	}
	f.Fuzz(func(t *testing.T, b []byte, deprecate bool) {
		whole := Tracker{DeprecateEOF: deprecate}
		whole.Reset()
		n, done, err := whole.Feed(b)
		if n < 0 || n > len(b) {
			t.Fatalf("settled %d of %d", n, len(b))
		}
		parts := Tracker{DeprecateEOF: deprecate}
		parts.Reset()
		settled := 0
		var partDone bool
		var partErr error
		for have := 1; have <= len(b) && !partDone && partErr == nil; have++ {
			var step int
			step, partDone, partErr = parts.Feed(b[settled:have])
			settled += step
		}
		if done != partDone || (err == nil) != (partErr == nil) || (err == nil && n != settled) {
			t.Fatalf("whole: %d %v %v; parts: %d %v %v", n, done, err, settled, partDone, partErr)
		}
	})
}

// FuzzInbox cuts any bytes into payloads, whole and in fragments.
func FuzzInbox(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 'x', 0, 0, 0, 1}, uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, step uint8) {
		in := Inbox{Max: 1 << 20}
		for at := 0; at < len(b); {
			n := copy(in.Space(1), b[at:min(at+int(step)+1, len(b))])
			in.Filled(n)
			at += n
			for {
				_, ok, err := in.Next()
				if err != nil {
					return
				}
				if !ok {
					break
				}
			}
		}
	})
}
