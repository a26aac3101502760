package router

import (
	"context"
	"errors"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/backend"
	"ballast/router/plan"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// flight is the statement that an event loop carries out for the session. It is the pilot of the connection that it flies on, and the
// waiter for one where none is at hand. Everything here runs on the session's loop, but for Granted and what a goroutine is asked to do.
type flight struct {
	backend.Waiting
	s      *Session
	r      *sqlfront.Reply
	ctx    context.Context //nolint:containedctx // of the statement
	node   int
	packet []byte // the command; nil for a prepared statement
	writes bool
	joins  bool   // the connection is to join the transaction
	ends   string // the statement ends the transaction: by this
	// answers says that the client gets an OK of the session's own, made of the node's answer, which is said.
	answers bool
	said    []byte

	conn   *backend.Conn
	writer int // of the transaction, before this statement

	granted *backend.Conn
	refused error
	// The outcome, for a goroutine that goes on with it.
	answer backend.Answer
	failed error
}

// endings are the statements that end a transaction on a node, by verb.
var endings = map[plan.Verb]string{plan.Commit: "COMMIT", plan.Rollback: "ROLLBACK"}

// completesPlainly says that nothing follows the end of a transaction: no chain, no release.
func completesPlainly(p *plan.Plan) bool {
	switch n := p.AST().(type) {
	case *ast.CommitStmt:
		return n.CompletionType == ast.CompletionTypeDefault
	case *ast.RollbackStmt:
		return n.CompletionType == ast.CompletionTypeDefault && n.SavepointName == ""
	default:
		return false
	}
}

func (f *flight) begin(ctx context.Context, s *Session, r *sqlfront.Reply, node int) {
	f.s, f.r, f.ctx, f.node = s, r, ctx, node
	f.packet, f.writes, f.joins, f.ends, f.answers, f.said = nil, false, false, "", false, f.said[:0]
	f.conn, f.granted, f.refused = nil, nil, nil
}

// takeOff sends the statement; false means that nothing was sent, or done.
func (f *flight) takeOff(k *backend.Conn) bool {
	s, st := f.s, &f.s.current
	ahead := ""
	if f.joins && s.txn.explicit {
		ahead = plainOpening
	}
	if f.packet != nil {
		if !k.LaunchQuery(f.packet, ahead, f) {
			return false
		}
	} else {
		ps := k.Prepared(st.text, st.params)
		if ps == nil || !k.LaunchExecute(ps, st.params, ahead, f) {
			return false
		}
	}
	f.conn = k
	s.busy(st)
	s.router.statements.Add(1)
	if f.ends == "" {
		st.place, st.nodes = placeSingle, 1
	}
	if f.joins {
		s.txn.add(&branch{node: f.node, conn: k, inTrans: s.txn.explicit})
	}
	f.writer = s.txn.writer
	if f.writes {
		s.writesOn(f.node)
	}
	if f.ctx.Err() != nil { // since it was looked at: whoever gave the session up may have found nothing running
		go s.abandon()
	}
	return true
}

// wait queues for a connection.
func (f *flight) wait() bool {
	f.s.busy(&f.s.current)
	f.s.queueing.Lock()
	f.s.router.cluster.Queue(f.s.shard, f.node, f.s.class, f.s.settings, f)
	f.s.queued.Store(true)
	f.s.queueing.Unlock()
	if f.s.killed.Load() || f.ctx.Err() != nil { // since nobody would look any more
		f.s.leaveQueue()
	}
	return true
}

// leaveQueue ends the wait of a statement that is killed, or whose session is given up; from any goroutine.
func (s *Session) leaveQueue() {
	s.queueing.Lock()
	left := s.queued.Load() && s.flight.CancelWait()
	s.queueing.Unlock()
	if left {
		s.flight.Granted(nil, errInterrupted.New())
	}
}

// Granted implements backend.Waiter.
func (f *flight) Granted(k *backend.Conn, err error) {
	f.granted, f.refused = k, err
	f.s.loop.Post(f)
}

// RunOnLoop goes on with the connection that was granted.
func (f *flight) RunOnLoop() {
	defer f.guard()
	s, k, err := f.s, f.granted, f.refused
	s.queued.Store(false)
	f.granted, f.refused = nil, nil
	if k == nil && f.anyOther(err) {
		f.repeat() // a goroutine asks the other nodes
		return
	}
	if k == nil {
		s.router.statements.Add(1)
		f.r.Block(func() error { return f.over(err) })
		return
	}
	s.held.add(k)
	if !f.takeOff(k) {
		s.giveBack(k)
		f.repeat()
	}
}

// guard keeps a panic to the session in which it happened.
func (f *flight) guard() {
	if p := recover(); p != nil {
		f.r.Recovered(p)
	}
}

// anyOther says whether another node may answer where one gave no connection.
func (f *flight) anyOther(err error) bool {
	s := f.s
	b := s.bound.Single
	return b.AnyNode && !f.writes && !s.current.plan.Locking && f.ctx.Err() == nil && !s.pins() && broken(err)
}

// repeat has a goroutine run the statement from its beginning.
func (f *flight) repeat() {
	r := f.r
	f.s.idle()
	r.Repeat()
}

// Relay implements backend.Pilot.
func (f *flight) Relay(packets []byte) error {
	if f.ends != "" || f.answers {
		f.said = append(f.said, packets...)
		return nil
	}
	return f.r.Relay(packets)
}

// Full implements backend.Pilot.
func (f *flight) Full() bool { return f.ends == "" && !f.answers && f.r.Full() }

// Resume implements sqlfront.Launcher.
func (s *Session) Resume() {
	if k := s.flight.conn; k != nil {
		k.Resume()
	}
}

// Landed implements backend.Pilot.
func (f *flight) Landed(a backend.Answer, err error, again bool) {
	defer f.guard()
	s, k := f.s, f.conn
	st := &s.current
	f.answer, f.failed = a, err
	switch {
	case err == nil && f.calm(k, &f.answer):
		f.conn = nil
		if f.ends != "" {
			s.txn.clear()
			s.landed(s.answerDone(f.r, st))
			return
		}
		st.rows = a.Rows
		err = s.afterRelay(f.ctx, st, k, &f.answer) // nothing to ask: calm made sure
		if f.answers && err == nil {
			err = f.answerWrite()
		}
		s.landed(err)
	case again && f.undo(k):
		f.conn = nil
		f.repeat()
	default:
		f.r.Block(f.goOn)
	}
}

// goOn brings a statement to its end on a goroutine.
func (f *flight) goOn() error {
	k := f.conn
	f.conn = nil
	var refused *wire.ServerError
	switch {
	case f.joins && errors.As(f.failed, &refused): // the node did not join: see openOn
		f.s.txn.drop(k)
		f.s.txn.writer = f.writer
		f.s.discard(k)
		return f.over(f.failed)
	case f.ends != "":
		return f.over(f.ended(k, f.answer, f.failed))
	case f.answers:
		return f.over(f.settleWrite(k))
	}
	return f.over(f.s.settle(f.ctx, &f.s.current, k, f.r, f.answer, f.failed))
}

// settleWrite is settle for a write whose OK is the session's own.
func (f *flight) settleWrite(k *backend.Conn) error {
	s, err := f.s, f.failed
	if err == nil && f.answer.IsErr {
		err = errorIn(f.said)
	}
	if err == nil {
		err = s.afterRelay(f.ctx, &s.current, k, &f.answer)
	}
	if err = s.done(f.ctx, k, err); err != nil {
		return err
	}
	return f.answerWrite()
}

// answerWrite gives the client the node's OK, with the id that the session has drawn.
func (f *flight) answerWrite() error {
	var ok wire.OK
	if len(f.said) <= wire.HeaderSize {
		return errUnsupported.New("an empty answer")
	}
	if err := ok.Decode(f.said[wire.HeaderSize:]); err != nil {
		return err
	}
	s := f.s
	if drawn := s.bound.Single.InsertID; drawn != 0 {
		ok.InsertID = drawn
		if ok.Affected > 0 {
			s.last.insertID = drawn
		}
	}
	return s.answerOK(f.r, ok, s.current.more)
}

// landed ends a statement on the loop.
func (s *Session) landed(err error) {
	r := s.flight.r
	err = s.observed(s.flight.ctx, &s.current, err, s.loop.Now())
	s.idle()
	r.Finish(err)
}

// over ends a statement on a goroutine.
func (f *flight) over(err error) error {
	err = f.s.observed(f.ctx, &f.s.current, err, time.Now())
	f.s.idle()
	return err
}

// calm says whether the statement can be brought to its end without asking a node anything more, or waiting for anybody. The connection is
// then done with: it is the transaction's, or given back.
func (f *flight) calm(k *backend.Conn, a *backend.Answer) bool {
	s := f.s
	if a.IsErr || a.Warnings > 0 || k.Broken() {
		return false
	}
	if f.ends != "" {
		return f.giveBack(k)
	}
	after := s.current.plan.After()
	switch {
	case after&(plan.AfterInsertID|plan.AfterFound|plan.AfterVars|plan.AfterInfo) != 0,
		after&plan.AfterNumber != 0 && a.InsertID != 0,
		after&plan.AfterOffset != 0 && a.Rows == 0:
		return false
	}
	b := s.txn.find(f.node)
	if b == nil || b.conn != k {
		return f.giveBack(k)
	}
	if b.inTrans && !k.InTransaction() {
		return false
	}
	b.inTrans = k.InTransaction()
	return true
}

// giveBack gives a connection back if that can be done without waiting.
func (f *flight) giveBack(k *backend.Conn) bool {
	if !k.Clean() || !f.s.held.tryRemove(k) {
		return false
	}
	k.ReleaseOnLoop()
	return true
}

// undo takes back what takeOff noted of a statement whose connection was dead before it began.
func (f *flight) undo(k *backend.Conn) bool {
	s := f.s
	if !s.held.undisturbed(k) || f.ends != "" {
		return false
	}
	if f.joins {
		s.txn.drop(k)
	} else if b := s.txn.at(f.node); b != nil && b.conn == k {
		return false
	}
	s.txn.writer = f.writer
	s.discard(k)
	return true
}

// ended settles a COMMIT or ROLLBACK that did not go well, or whose connection must be looked at.
func (f *flight) ended(k *backend.Conn, a backend.Answer, err error) error {
	s := f.s
	if err == nil && a.IsErr {
		err = errorIn(f.said)
	}
	b := s.txn.at(f.node)
	switch {
	case b == nil || b.conn != k: // can't be: the branch stays until here
		s.discard(k)
	case err == nil:
		s.giveBack(k)
	case f.ends == "COMMIT" && s.txn.writer == f.node:
		err = s.commitFailed(b, false, err)
		s.discard(k)
	default: // it wrote nothing, or is rolled back anyway: the server does that when the connection ends
		s.discard(k)
		err = nil
	}
	s.txn.clear()
	if err != nil {
		return err
	}
	return s.answerDone(f.r, &s.current)
}

// errorIn reads the error packet that an answer consists of.
func errorIn(packets []byte) error {
	if len(packets) <= wire.HeaderSize {
		return errors.New("no answer")
	}
	se := new(wire.ServerError)
	if err := se.Decode(packets[wire.HeaderSize:]); err != nil {
		return err
	}
	return se
}
