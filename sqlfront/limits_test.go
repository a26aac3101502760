package sqlfront_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"ballast/sqlfront"
	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
	"ballast/sqlfront/wiretest"
)

// finishChange answers the server's wish for another plugin in COM_CHANGE_USER.
func finishChange(p *wiretest.Peer, password string) error {
	payload, err := p.Recv()
	if err != nil {
		return err
	}
	var sw wire.AuthSwitch
	if err := sw.Decode(payload); err != nil {
		return err
	}
	answer := auth.CachingSHA2Response(password, sw.Data)
	if sw.Plugin == auth.NativePassword {
		answer = auth.NativeResponse(password, sw.Data)
	}
	if err := p.Send(answer); err != nil {
		return err
	}
	if payload, err = p.Recv(); err != nil {
		return err
	}
	if payload[0] == wire.AuthMoreHeader {
		if payload, err = p.Recv(); err != nil {
			return err
		}
	}
	if payload[0] == wire.ErrHeader {
		se := &wire.ServerError{}
		return errors.Join(se.Decode(payload), se)
	}
	return (&wire.OK{}).Decode(payload)
}

func TestConnectionLimit(t *testing.T) {
	r := start(t, func(c *sqlfront.Config) { c.MaxConnections = 2 })
	peer(t, r, "root", "", usual)
	p := peer(t, r, "root", "", usual)
	over, err := wiretest.Dial(r.addr)
	if err != nil {
		t.Fatal(err)
	}
	closing(t, over)
	se, err := over.RecvErr()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, se, 1040, "")
	// One leaves, and there is room again; the server may take a moment to see it.
	if err := p.Command(wire.ComQuit); err != nil {
		t.Fatal(err)
	}
	if err := p.RecvEnd(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		q, err := wiretest.Dial(r.addr)
		if err != nil {
			t.Fatal(err)
		}
		closing(t, q)
		return q.Login(auth.ClientConfig{User: "root", Capabilities: usual}, nil) == nil
	})
}

func TestUserLimit(t *testing.T) {
	r := start(t, func(c *sqlfront.Config) { c.MaxUserConnections = 1 })
	peer(t, r, "root", "", usual)
	p, err := wiretest.Dial(r.addr)
	if err != nil {
		t.Fatal(err)
	}
	closing(t, p)
	refused(t, p.Login(auth.ClientConfig{User: "root", Capabilities: usual}, nil), 1226, "42000")
	peer(t, r, "app", "secret", usual)
}

// eventually asks again until it is so.
func eventually(t testing.TB, so func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(5 * time.Second)
	for !so() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("waited 5 s in vain")
		}
	}
}

func TestTimeouts(t *testing.T) {
	r := start(t, func(c *sqlfront.Config) {
		c.HandshakeTimeout, c.IdleTimeout = time.Second, time.Second
	})
	silent, err := wiretest.Dial(r.addr)
	if err != nil {
		t.Fatal(err)
	}
	closing(t, silent)
	p := peer(t, r, "root", "", usual)
	if err := silent.RecvEnd(); err != nil {
		t.Error("handshake:", err)
	}
	p.In.Seq = 0
	se, err := p.RecvErr()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, se, 4031, "HY000")
	if err := p.RecvEnd(); err != nil {
		t.Error("idle:", err)
	}
}

func TestClientThatVanishes(t *testing.T) {
	r := start(t, nil)
	t.Run("during a statement", func(t *testing.T) {
		p := peer(t, r, "root", "", usual)
		if err := p.Query("hang"); err != nil {
			t.Fatal(err)
		}
		<-r.began
		began := time.Now()
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		select {
		case cause := <-r.ended:
			if took := time.Since(began); took > 1500*time.Millisecond || errors.Is(cause, context.Canceled) {
				t.Errorf("took %s, cause %v", took, cause)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("the statement was not cancelled")
		}
	})
	t.Run("while idle", func(t *testing.T) {
		p := peer(t, r, "root", "", usual)
		open := r.openSessions()
		// Query and end in one breath: the end may be read together with the query.
		if err := p.Query("user"); err != nil {
			t.Fatal(err)
		}
		if err := p.Conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if err := p.RecvEnd(); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() bool { return r.openSessions() < open })
	})
}

func TestSlowReaderIsCut(t *testing.T) {
	r := start(t, func(c *sqlfront.Config) { c.WriteTimeout = time.Second })
	p := peer(t, r, "root", "", usual)
	before := r.openSessions()
	if err := p.Query("big 60000000"); err != nil { // more than the sockets' buffers hold
		t.Fatal(err)
	}
	eventually(t, func() bool { return r.openSessions() < before })
}

func TestKill(t *testing.T) {
	r := start(t, nil)
	p, other := peer(t, r, "root", "", usual), peer(t, r, "root", "", usual)
	if err := other.Query("hang"); err != nil {
		t.Fatal(err)
	}
	<-r.began
	kill := func(id uint32) error {
		p.In.Seq = 0
		if err := p.Send((&wire.ProcessKill{ID: id}).Append(nil)); err != nil {
			t.Fatal(err)
		}
		_, err := p.RecvOK()
		return err
	}
	refused(t, kill(9999), 1094, "HY000")
	if err := kill(other.Client.Greeting().ConnectionID); err != nil {
		t.Fatal(err)
	}
	if cause := <-r.ended; cause == nil {
		t.Error("no cause")
	}
	if err := other.RecvEnd(); err != nil {
		t.Fatal(err)
	}
	idle := peer(t, r, "root", "", usual)
	if err := kill(idle.Client.Greeting().ConnectionID); err != nil {
		t.Fatal(err)
	}
	if err := idle.RecvEnd(); err != nil {
		t.Fatal(err)
	}
}

func TestDrain(t *testing.T) {
	r := start(t, func(c *sqlfront.Config) { c.DrainTimeout = 20 * time.Second })
	idle, inTrans := peer(t, r, "root", "", usual), peer(t, r, "root", "", usual)
	if err := inTrans.Query("begin"); err != nil {
		t.Fatal(err)
	}
	if _, err := inTrans.RecvOK(); err != nil {
		t.Fatal(err)
	}
	r.stop()
	idle.In.Seq = 0
	se, err := idle.RecvErr()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, se, 1053, "08S01")
	if err := idle.RecvEnd(); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", r.addr); err == nil {
		closing(t, c)
		t.Error("still accepting")
	}
	same(t, text(t, inTrans, "user"), "root/")
	if err := inTrans.Query("commit"); err != nil {
		t.Fatal(err)
	}
	if _, err := inTrans.RecvOK(); err != nil {
		t.Fatal(err)
	}
	inTrans.In.Seq = 0
	if se, err = inTrans.RecvErr(); err != nil {
		t.Fatal(err)
	}
	refused(t, se, 1053, "08S01")
	err = <-r.done
	r.done <- err
	if err != nil {
		t.Fatal(err)
	}
}

func TestDrainCutsWhatHangs(t *testing.T) {
	r := start(t, func(c *sqlfront.Config) { c.DrainTimeout = 100 * time.Millisecond })
	p := peer(t, r, "root", "", usual)
	if err := p.Query("hang"); err != nil {
		t.Fatal(err)
	}
	<-r.began
	r.stop()
	se, err := p.RecvErr()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, se, 1053, "08S01")
	if err := p.RecvEnd(); err != nil {
		t.Fatal(err)
	}
}

func TestPipelinedCommands(t *testing.T) {
	r := start(t, nil)
	p := peer(t, r, "root", "", usual)
	var all []byte
	for range 300 {
		all, _ = wire.AppendPacket(all, 0, []byte("\x03rows 20"))
	}
	if err := p.SendRaw(all); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		p.In.Seq = 1
		if got := values(t, p, wire.Text); len(got) != 20 {
			t.Fatalf("%d rows", len(got))
		}
	}
}
