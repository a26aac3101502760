package sqlfront_test

import (
	"context"
	"log/slog"
	"testing"

	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// complaints is a log handler that counts errors: a command that panicked is one.
type complaints struct {
	slog.Handler
	seen chan string
}

func (c complaints) Enabled(context.Context, slog.Level) bool { return true }

func (c complaints) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool {
			text += " " + a.String()
			return true
		})
		select {
		case c.seen <- text:
		default:
		}
	}
	return nil
}

// FuzzCommands sends any bytes behind a login, once as they are and once as the body of a command. No command may panic, and the server must
// go on serving others.
func FuzzCommands(f *testing.F) {
	seen := make(chan string, 16)
	r := start(f, func(c *sqlfront.Config) {
		c.Logger = slog.New(complaints{slog.DiscardHandler, seen})
	})
	f.Add(uint8(wire.ComStmtPrepare), []byte("echo ?, ?"), []byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 5, 6})
	f.Add(uint8(wire.ComChangeUser), []byte("app\x00\x00db\x00"), []byte("\x01\x00\x00\x01x"))
	f.Add(uint8(wire.ComQuery), []byte("rows 3; relay 3; affected 2"), []byte{})
	f.Fuzz(func(t *testing.T, cmd uint8, first, second []byte) {
		if string(first) == "panic" || string(first) == "hang" {
			return
		}
		p := peer(t, r, "root", "", usual)
		stream, _ := wire.AppendPacket(nil, 0, append([]byte{cmd}, first...))
		stream, _ = wire.AppendPacket(stream, 0, append([]byte{byte(wire.ComStmtExecute)}, second...))
		stream, _ = wire.AppendPacket(stream, 0, append([]byte{byte(wire.ComStmtSendLongData)}, second...))
		stream = append(stream, second...)
		if err := p.SendRaw(stream); err != nil {
			t.Fatal(err)
		}
		if err := p.SendRaw([]byte{1, 0, 0, 0, byte(wire.ComQuit)}); err != nil {
			return // it had enough
		}
		select {
		case text := <-seen:
			t.Fatal(text)
		default:
		}
	})
}
