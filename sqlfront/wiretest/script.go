package wiretest

import (
	"bytes"
	"errors"
	"fmt"
	"net"

	"ballast/sqlfront/wire"
)

// Step is one thing that a scripted peer does.
type Step func(p *Peer) error

// Script runs steps in order; the error names the step, counted from 1.
func Script(p *Peer, steps ...Step) error {
	for i, step := range steps {
		if err := step(p); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// Send sends a payload with the sequence number that is due.
func Send(payload []byte) Step { return func(p *Peer) error { return p.Send(payload) } }

// SendRaw sends bytes as they are.
func SendRaw(b []byte) Step { return func(p *Peer) error { return p.SendRaw(b) } }

// NewCommand resets the sequence number: the next payload, in whichever direction, begins a command.
func NewCommand() Step {
	return func(p *Peer) error {
		p.In.Seq = 0
		return nil
	}
}

// Expect reads a payload that must equal want.
func Expect(want []byte) Step {
	return func(p *Peer) error {
		got, err := p.Recv()
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("payload %q, want %q", got, want)
		}
		return nil
	}
}

// ExpectCommand begins a command and reads a payload that must begin with cmd; check, if given, sees the rest.
func ExpectCommand(cmd wire.Command, check func(body []byte) error) Step {
	return func(p *Peer) error {
		p.In.Seq = 0
		got, err := p.Recv()
		if err != nil {
			return err
		}
		if len(got) == 0 || got[0] != byte(cmd) {
			return fmt.Errorf("payload %q, want command %s", got, cmd)
		}
		if check == nil {
			return nil
		}
		return check(got[1:])
	}
}

// Greet is a server's handshake that takes any client without asking for a password: greeting, any response, OK.
func Greet(g wire.Greeting) Step {
	return func(p *Peer) error {
		p.In.Seq = 0
		if err := p.Send(g.Append(nil)); err != nil {
			return err
		}
		if _, err := p.Recv(); err != nil {
			return err
		}
		ok := wire.OK{Status: wire.StatusAutocommit}
		return p.Send(ok.Append(nil))
	}
}

// Hangup closes the connection.
func Hangup() Step { return (*Peer).Close }

// Serve accepts one connection from l and runs a script on it as the server. The result comes once, when the script is over.
func Serve(l net.Listener, steps ...Step) <-chan error {
	result := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			result <- err
			return
		}
		p := NewPeer(conn)
		err = Script(p, steps...)
		if cerr := p.Close(); cerr != nil && !errors.Is(cerr, net.ErrClosed) {
			err = errors.Join(err, cerr)
		}
		result <- err
	}()
	return result
}
