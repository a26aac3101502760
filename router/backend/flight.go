package backend

import (
	"ballast/sqlfront/netloop"
	"ballast/sqlfront/wire"
)

// Pilot is who launched a command on an event loop. Its methods are called on the loop and never block.
type Pilot interface {
	// Relay takes packets of the answer, as Sink does.
	Relay(packets []byte) error
	// Full says that no more should be relayed until Resume is called.
	Full() bool
	// Landed ends the flight: the answer has been relayed, or there will be none. err is as that of Conn.Relay. again says that
	// the connection had died in the pool and that nothing was done, or nothing that matters: the command may simply be repeated.
	Landed(a Answer, err error, again bool)
}

// maxLaunch is the size, in bytes, of the largest command that is launched: what a socket's buffer takes at once.
const maxLaunch = 64 << 10

// readsPerTurn is how many times a connection is read in one turn of its loop.
const readsPerTurn = 4

// keptRest is the size of the largest buffer for unsettled bytes that an idle connection keeps.
const keptRest = 1 << 10

// flight is a command that was launched on the loop.
type flight struct {
	pilot    Pilot
	ahead    int    // answers to come before the command's own: of settings and of what opens a transaction
	unsent   []byte // of what is to be written
	later    []byte // the command, when it must wait for the answers ahead of it
	rest     []byte // received, but not settled
	readOnly bool
	fresh    bool // the connection came out of the pool for this, and nothing was received yet
	relayed  bool
	full     bool // the client must read first
}

// LaunchQuery sends a command from the connection's loop: packet is the whole packet, header included. ahead is an SQL statement to be sent
// before it, "" for none. A command that reads only goes out in the same write; any other waits for the answers of ahead and of settings,
// since the server would run it even if it refused them. False means that the command can't be
// launched, or not without waiting, and that nothing was sent. True means that the pilot will hear of it, later.
func (k *Conn) LaunchQuery(packet []byte, ahead string, p Pilot) bool {
	readOnly := readsOnly(packet[wire.HeaderSize:])
	if len(packet) > maxLaunch || !k.launchable(readOnly) {
		return false
	}
	if k.want == k.inForce && ahead == "" && len(k.stmts.closed) == 0 {
		return k.launch(packet, 0, 0, readOnly, p)
	}
	replies := k.launchAhead(ahead)
	before := len(k.out)
	k.out = append(k.out, packet...)
	return k.launch(k.out, before, replies, readOnly, p)
}

// Prepared gives the statement of a text that was prepared on this connection for parameters of these types; nil if none was.
func (k *Conn) Prepared(sql []byte, params []wire.Param) *Stmt {
	var room [64]byte
	return k.stmts.find(sql, k.want.parse, typeClasses(room[:0], params))
}

// LaunchExecute is LaunchQuery for a statement of Prepared.
func (k *Conn) LaunchExecute(st *Stmt, args []wire.Param, ahead string, p Pilot) bool {
	if len(args) != st.params || !k.launchable(st.readOnly) {
		return false
	}
	cmd := k.appendExecute(st, args)
	if len(cmd) > maxLaunch {
		return false
	}
	replies := k.launchAhead(ahead)
	before := len(k.out)
	k.out, _ = wire.AppendPacket(k.out, 0, cmd)
	return k.launch(k.out, before, replies, st.readOnly, p)
}

// launchable says whether a command may be sent from the loop.
func (k *Conn) launchable(readOnly bool) bool {
	if k.link.nl == nil || k.Broken() || k.streaming != nil || k.resetSent {
		return false
	}
	if k.link.nl.Gone() { // known without asking: what was open there is lost, and nothing is sent after it
		k.broken = true
		return false
	}
	return !k.reused || readOnly || k.seemsAlive()
}

// seemsAlive is alive by what the loop knows already.
func (k *Conn) seemsAlive() bool { return !k.link.nl.Readable() || k.link.quiet() }

// launchAhead puts what goes before a command into k.out, and says how many answers that gets.
func (k *Conn) launchAhead(ahead string) (replies int) {
	k.out = k.out[:0]
	if k.want != k.inForce {
		k.out, replies = k.appendSettings(k.out)
	}
	if ahead != "" {
		var mark int
		k.out, mark = wire.BeginPacket(k.out)
		k.out = append(append(k.out, byte(wire.ComQuery)), ahead...)
		k.out, _ = wire.EndPacket(k.out, mark, 0)
		replies++
	}
	k.out = k.stmts.appendClosed(k.out)
	return replies
}

// launch writes out, of which the first bytes, as many as before, get replies answers of their own and then comes the command.
func (k *Conn) launch(out []byte, before, replies int, readOnly bool, p Pilot) bool {
	nl := k.link.nl
	k.enter()
	nl.ToLoop()
	var later []byte
	if replies > 0 && !readOnly {
		out, later = out[:before], out[before:]
	}
	n, err := nl.TryWrite(out)
	switch {
	case err == nil:
		out = nil
	case n == 0 && err != netloop.ErrAgain: //nolint:errorlint // never wrapped
		nl.ToGoroutine()
		k.broken = true
		if !k.tryEnd() {
			go k.end() // somebody is killing it; nobody else will use it
		}
		return false
	case later != nil:
		out = out[n:] // all of it is in k.out
	default:
		k.out = append(k.out[:0], out[n:]...)
		out = k.out
	}
	k.node.metrics.statements.Inc()
	k.tracker.ResetAt(1)
	k.answerSeq = 1
	f := &k.flight
	*f = flight{pilot: p, ahead: replies, unsent: out, later: later, rest: f.rest[:0], readOnly: readOnly, fresh: k.reused && !k.InTransaction()}
	k.reused = false
	return true
}

// Resume goes on after the pilot was full.
func (k *Conn) Resume() {
	if k.flight.full {
		k.flight.full = false
		k.Ready()
	}
}

// Ready implements netloop.Handler.
func (k *Conn) Ready() {
	f := &k.flight
	if f.pilot == nil || f.full {
		return
	}
	if len(f.unsent) > 0 && !k.sendRest() {
		return
	}
	nl := k.link.nl
	buf := nl.Loop().Buffer()
	for range readsPerTurn {
		have := copy(buf, f.rest)
		n, err := nl.TryRead(buf[have:])
		if err == netloop.ErrAgain { //nolint:errorlint // never wrapped
			return
		}
		if err != nil {
			k.crash(err)
			return
		}
		k.node.heard.Add(1)
		if !k.received(buf[:have+n]) || n < len(buf)-have && !nl.Readable() {
			return
		}
	}
	nl.Again()
}

// sendRest writes what is not sent yet; false means that there is no room for all of it now, or that the flight has ended.
func (k *Conn) sendRest() bool {
	f := &k.flight
	n, err := k.link.nl.TryWrite(f.unsent)
	f.unsent = f.unsent[n:]
	if err == netloop.ErrAgain { //nolint:errorlint // never wrapped
		return false
	}
	if err != nil {
		k.crash(err)
		return false
	}
	return true
}

// received takes what has come of the answer; false means that there is nothing more to be read now.
func (k *Conn) received(b []byte) bool {
	f, t := &k.flight, &k.tracker
	if f.ahead > 0 {
		var err error
		if b, err = k.takeAhead(b); err != nil {
			k.broken = true
			k.land(Answer{}, err, false)
			return false
		}
		if f.ahead == 0 && f.later != nil {
			f.unsent, f.later, f.rest = f.later, nil, f.rest[:0]
			if !k.sendRest() {
				return false
			}
		}
		if f.ahead > 0 || len(b) == 0 {
			f.rest = append(f.rest[:0], b...)
			return true
		}
	}
	if f.fresh && f.readOnly && len(b) > wire.HeaderSize+2 && b[wire.HeaderSize] == wire.ErrHeader &&
		saysGoodbye(uint16(b[wire.HeaderSize+1])|uint16(b[wire.HeaderSize+2])<<8) { // it was said before the command came
		k.broken = true
		k.land(Answer{}, errLostIdle.New(k.node.name), true)
		return false
	}
	settled, done, err := t.Feed(b)
	if err != nil {
		k.land2(k.giveUp(k.malformed(err), f.pilot, f.relayed))
		return false
	}
	if settled > 0 {
		f.fresh = false
		if err := f.pilot.Relay(b[:settled]); err != nil {
			k.broken = true
			k.land(Answer{}, err, false)
			return false
		}
		f.relayed = true
	}
	if done {
		k.land2(k.answered(settled < len(b)))
		return false
	}
	f.rest = append(f.rest[:0], b[settled:]...)
	if f.pilot.Full() {
		f.full = true
		return false
	}
	return true
}

// takeAhead takes the answers off b that come before the command's own, as far as they are whole. One that is an error ends the connection:
// what it should have put in force is not.
func (k *Conn) takeAhead(b []byte) ([]byte, error) {
	f := &k.flight
	for f.ahead > 0 && len(b) >= wire.HeaderSize {
		size, _ := wire.Header(b)
		if size > wire.MaxFinal {
			return nil, k.malformed(wire.ErrTooLarge)
		}
		if len(b) < wire.HeaderSize+size {
			break
		}
		if _, err := k.okOrError(b[wire.HeaderSize : wire.HeaderSize+size]); err != nil {
			return nil, err
		}
		f.fresh = false
		b = b[wire.HeaderSize+size:]
		if f.ahead--; f.ahead == 0 {
			k.inForce = k.want
		}
	}
	return b, nil
}

// crash ends a flight whose connection broke.
func (k *Conn) crash(err error) {
	f := &k.flight
	again := f.fresh && (f.readOnly || f.later != nil) && !k.severed.Load()
	why := k.lost(nil, err) //nolint:staticcheck // the front end knows what was cancelled
	if again {
		k.node.metrics.stale.Inc()
		k.land(Answer{}, why, true)
		return
	}
	k.land2(k.giveUp(why, f.pilot, f.relayed))
}

func (k *Conn) land2(a Answer, err error) { k.land(a, err, false) }

// land ends the flight, once nobody is killing it any more.
func (k *Conn) land(a Answer, err error, again bool) {
	p, rest := k.flight.pilot, k.flight.rest
	if cap(rest) > keptRest {
		rest = nil
	}
	k.flight = flight{rest: rest[:0]}
	k.link.nl.ToGoroutine()
	if k.tryEnd() {
		p.Landed(a, err, again)
		return
	}
	go func() {
		k.end()
		k.link.nl.Loop().Post(landing{p, a, err, again})
	}()
}

// landing tells a pilot later.
type landing struct {
	pilot Pilot
	a     Answer
	err   error
	again bool
}

// RunOnLoop implements netloop.Task.
func (l landing) RunOnLoop() { l.pilot.Landed(l.a, l.err, l.again) }

// Clean tells whether Release will not need to reset the connection, which it does by a write that may wait.
func (k *Conn) Clean() bool { return !k.tainted && !k.InTransaction() && !k.Broken() }
