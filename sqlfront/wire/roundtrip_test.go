package wire

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// message is what every message without outside context offers.
type message interface {
	Append(dst []byte) []byte
	Decode(body []byte) error
}

// commandMessage marks the messages whose Append writes a command byte that Decode does not read.
type commandMessage interface{ command() }

func (*StmtLongData) command() {}
func (*StmtFetch) command()    {}
func (*SetOption) command()    {}
func (*ProcessKill) command()  {}
func (*FieldList) command()    {}

func roundTrip(t interface{ Fatalf(string, ...any) }, m, again message) {
	body := m.Append(nil)
	if _, ok := m.(commandMessage); ok {
		body = body[1:]
	}
	if err := again.Decode(body); err != nil {
		t.Fatalf("%T %+v: %v", m, m, err)
	}
	if !reflect.DeepEqual(m, again) {
		t.Fatalf("%T: appended %+v, decoded %+v", m, m, again)
	}
}

var (
	genText  = rapid.StringMatching(`[a-zA-Z0-9_é$ ]{0,40}`)
	genBytes = rapid.SliceOfN(rapid.Byte(), 1, 60)
	genAttrs = rapid.Custom(func(t *rapid.T) map[string]string {
		m := rapid.MapOfN(rapid.StringN(1, 20, -1), rapid.StringN(0, 300, -1), 1, 5).Draw(t, "attributes")
		return m
	})
)

func TestMessagesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u32 := func(name string) uint32 { return rapid.Uint32().Draw(t, name) }
		u16 := func(name string) uint16 { return rapid.Uint16().Draw(t, name) }
		text := func(name string) string { return genText.Draw(t, name) }
		greeting := &Greeting{
			Version: text("version"), ConnectionID: u32("id"), Capabilities: Capability(u32("caps")) | ClientSecureConnection,
			Collation: uint8(u16("collation")), Status: Status(u16("status")),
		}
		copy(greeting.Scramble[:], rapid.SliceOfN(rapid.ByteRange(1, 255), ScrambleSize, ScrambleSize).Draw(t, "scramble"))
		if greeting.Capabilities.Has(ClientPluginAuth) {
			greeting.Plugin = text("plugin")
		}
		if !greeting.Capabilities.Has(ClientLongPassword) {
			greeting.Extended = u32("extended")
		}
		roundTrip(t, greeting, &Greeting{})

		response := &HandshakeResponse{
			Capabilities: Capability(u32("caps"))&^ClientConnectAttrs | ClientProtocol41 | ClientSecureConnection, MaxPacket: u32("max"),
			Collation: uint8(u16("collation")), User: text("user"), Auth: genBytes.Draw(t, "auth"),
		}
		if response.Capabilities.Has(ClientConnectWithDB) {
			response.DB = text("db")
		}
		if response.Capabilities.Has(ClientPluginAuth) {
			response.Plugin = text("plugin")
		}
		if rapid.Bool().Draw(t, "with attributes") {
			response.Capabilities |= ClientConnectAttrs
			response.Attributes = genAttrs.Draw(t, "attributes")
		}
		if !response.Capabilities.Has(ClientLongPassword) {
			response.Extended = u32("extended")
		}
		roundTrip(t, response, &HandshakeResponse{})

		roundTrip(t, &SSLRequest{Capabilities: Capability(u32("caps")) | ClientSSL, MaxPacket: u32("max"), Collation: 45}, &SSLRequest{})
		roundTrip(t, &AuthSwitch{Plugin: text("plugin"), Data: rapid.SliceOfN(rapid.ByteRange(1, 255), 20, 20).Draw(t, "data")}, &AuthSwitch{})
		roundTrip(t, &AuthMore{Data: genBytes.Draw(t, "data")}, &AuthMore{})
		ok := &OK{
			Affected: rapid.Uint64().Draw(t, "affected"), InsertID: rapid.Uint64().Draw(t, "id"), Status: Status(u16("status")),
			Warnings: u16("warnings"), Info: text("info"),
		}
		roundTrip(t, ok, &OK{})
		asEOF := &OK{}
		if err := asEOF.Decode(ok.AppendEOF(nil)); err != nil || *asEOF != *ok {
			t.Fatalf("ok as eof: %+v, %v", asEOF, err)
		}
		roundTrip(t, &EOF{Warnings: u16("warnings"), Status: Status(u16("status"))}, &EOF{})
		state := rapid.SampledFrom([]string{"", "HY000", "28000"}).Draw(t, "state")
		roundTrip(t, &ServerError{Number: u16("number"), State: state, Message: text("message")}, &ServerError{})
		column := &Column{
			Schema: text("schema"), Table: text("table"), OrgTable: text("org table"), Name: text("name"), OrgName: text("org name"),
			Charset: u16("charset"), Length: u32("length"), Type: Type(u16("type")), Flags: u16("flags"), Decimals: uint8(u16("decimals")),
		}
		roundTrip(t, column, &Column{})
		listed := &Column{}
		if err := listed.Decode(column.AppendFieldList(nil)); err != nil || *listed != *column {
			t.Fatalf("field list column: %+v, %v", listed, err)
		}
		roundTrip(t, &StmtPrepareOK{ID: u32("id"), Columns: u16("columns"), Params: u16("params"), Warnings: u16("warnings")}, &StmtPrepareOK{})
		roundTrip(t, &StmtLongData{ID: u32("id"), Param: u16("param"), Data: genBytes.Draw(t, "data")}, &StmtLongData{})
		roundTrip(t, &StmtFetch{ID: u32("id"), Rows: u32("rows")}, &StmtFetch{})
		roundTrip(t, &SetOption{Option: u16("option")}, &SetOption{})
		roundTrip(t, &ProcessKill{ID: u32("id")}, &ProcessKill{})
		roundTrip(t, &FieldList{Table: text("table"), Wildcard: text("wildcard")}, &FieldList{})
	})
}

func TestChangeUserRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		caps := Capability(rapid.Uint32().Draw(t, "caps"))
		m := ChangeUser{User: genText.Draw(t, "user"), DB: genText.Draw(t, "db"), Collation: rapid.Uint16().Draw(t, "collation")}
		m.Auth = rapid.SliceOfN(rapid.ByteRange(1, 255), 1, 40).Draw(t, "auth")
		if caps.Has(ClientPluginAuth) {
			m.Plugin = genText.Draw(t, "plugin")
		}
		if caps.Has(ClientConnectAttrs) {
			m.Attributes = genAttrs.Draw(t, "attributes")
		}
		var again ChangeUser
		if err := again.Decode(m.Append(nil, caps)[1:], caps); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, again) {
			t.Fatalf("appended %+v, decoded %+v", m, again)
		}
	})
}

func TestExecuteRoundTrip(t *testing.T) {
	types := []Type{
		TypeTiny, TypeShort, TypeLong, TypeLongLong, TypeFloat, TypeDouble, TypeNull, TypeDate, TypeDatetime, TypeTimestamp, TypeTime,
		TypeVarString, TypeString, TypeBlob, TypeNewDecimal, TypeJSON, TypeYear, TypeInt24, TypeBit,
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "params")
		m := StmtExecute{ID: rapid.Uint32().Draw(t, "id"), Cursor: CursorReadOnly, Iterations: 1, NewTypes: n > 0, typed: n > 0, Params: make([]Param, n)}
		again := StmtExecute{Params: make([]Param, n)}
		for i := range m.Params {
			p := &m.Params[i]
			p.Type = rapid.SampledFrom(types).Draw(t, "type")
			p.Unsigned = rapid.Bool().Draw(t, "unsigned")
			p.Null = p.Type == TypeNull || rapid.Bool().Draw(t, "null")
			if rapid.IntRange(0, 5).Draw(t, "long") == 0 {
				p.Long, p.Null, p.Value = true, false, []byte("long")
				again.Params[i].Long, again.Params[i].Value = true, p.Value
			}
			if p.Null || p.Long {
				continue
			}
			size := p.Type.layout().fixed()
			switch p.Type.layout() {
			case layoutLenenc:
				size = rapid.SampledFrom([]int{0, 1, 250, 251, 300, 70000}).Draw(t, "size")
			case layoutDatetime:
				size = rapid.SampledFrom([]int{0, 4, 7, 11}).Draw(t, "size")
			case layoutTime:
				size = rapid.SampledFrom([]int{0, 8, 12}).Draw(t, "size")
			}
			p.Value = make([]byte, size)
			for j := range min(size, 12) {
				p.Value[j] = byte(i + j)
			}
		}
		if err := again.Decode(m.Append(nil)[1:]); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, again) {
			t.Fatalf("appended %+v, decoded %+v", m, again)
		}
		// Once more without types: they are remembered.
		m.NewTypes = false
		if err := again.Decode(m.Append(nil)[1:]); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, again) {
			t.Fatalf("second time: appended %+v, decoded %+v", m, again)
		}
	})
}
