package router

import (
	"context"

	"ballast/router/plan"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// What an event loop can do for a session is what nearly all statements are: a plan that is cached, one node, a connection at hand. Such a
// statement is begun here without ever waiting, and ends in flight.go. Whatever is different is left as it was, and a goroutine runs it
// from its beginning (query.go, prepared.go): so there is one meaning of a statement, and the loop only takes a short cut to it.

// LaunchQuery implements sqlfront.Launcher.
func (s *Session) LaunchQuery(ctx context.Context, packet []byte, r *sqlfront.Reply) bool {
	sql := packet[wire.HeaderSize+1:]
	if s.killed.Load() || len(sql) > s.router.limits().MaxStatementBytes || ctx.Err() != nil {
		return false
	}
	st := &s.current
	*st = statement{args: &s.args, format: wire.Text, began: s.loop.Now()}
	s.takeSnapshot()
	if st.plan = s.router.known.find(sql); st.plan != nil {
		st.text = sql
		return s.launchKnown(ctx, st, r)
	}
	pl, ok := s.router.planner.Cached(&s.env, sql, 0, &s.args)
	if !ok || s.args.Next < len(sql) {
		return false
	}
	st.plan, st.text = pl, s.args.Text
	if len(st.text) != len(sql) {
		packet = nil
	}
	return s.launch(ctx, st, packet, r)
}

// Launch implements sqlfront.PreparedLauncher.
func (t *Stmt) Launch(ctx context.Context, args []wire.Param, r *sqlfront.Reply) bool {
	s := t.s
	if s.killed.Load() || ctx.Err() != nil {
		return false
	}
	s.takeSnapshot()
	st := &s.current
	*st = statement{args: &s.args, text: t.prepared.Text, params: args, columns: t.columns, format: wire.Binary, began: s.loop.Now()}
	if st.params == nil {
		st.params = noParams
	}
	if t.prepared.Bind(args, &s.args) != nil {
		return false
	}
	pl, ok := t.prepared.Cached(&s.env, &s.args)
	if !ok {
		return false
	}
	st.plan = pl
	return s.launch(ctx, st, nil, r)
}

// launch binds a statement and sends it. packet is the client's own if it can be sent as it is.
func (s *Session) launch(ctx context.Context, st *statement, packet []byte, r *sqlfront.Reply) bool {
	pl := st.plan
	if !pl.Inline() || pl.Wide() || pl.After()&(plan.BeforeCatalog|plan.BeforeLocks) != 0 || len(s.txn.once) > 0 || !s.mayRun(pl) {
		return false
	}
	writes := writesRows(pl.Verb)
	if writes && pl.After()&(plan.AfterInsertID|plan.AfterInfo) != 0 {
		return false // its OK is not passed on as it comes
	}
	if pl.BindInline(&s.env, st.args, &s.router.sequences, &s.bound) != nil {
		return false
	}
	b := s.bound.Single
	if !b.Verbatim && st.params != nil && !writes {
		return false
	}
	node := b.Node
	if b.AnyNode && !pl.Locking && !writes {
		if node = s.anyNode(); node == noNode {
			return false
		}
	}
	if writes && s.mayWrite(node) != nil {
		return false
	}
	f := &s.flight
	f.begin(ctx, s, r, node)
	f.writes, f.packet = writes, packet
	f.answers = b.InsertID != 0 || !b.Verbatim && st.params != nil
	if !b.Verbatim || packet == nil && st.params == nil {
		f.packet = s.packetOf(st.text, b)
	}
	if br := s.txn.find(node); br != nil {
		if br.conn == s.locks {
			return false
		}
		br.conn.Apply(s.settings)
		return f.takeOff(br.conn)
	}
	if s.pins() {
		if !s.opensAhead() {
			return false
		}
		f.joins = true
	}
	k := s.router.cluster.TryAcquire(s.shard, node, s.class, s.settings)
	if k == nil {
		return f.wait()
	}
	s.held.add(k)
	if f.takeOff(k) {
		return true
	}
	s.giveBack(k)
	return false
}

// packetOf writes a text of the plan's, or of the client's without what stands around it, as a packet.
func (s *Session) packetOf(text []byte, b *plan.Single) []byte {
	if !b.Verbatim {
		text = b.SQL
	}
	s.cmd = append(append(s.cmd[:0], 0, 0, 0, 0, byte(wire.ComQuery)), text...)
	if len(s.cmd)-wire.HeaderSize < wire.MaxPayload {
		wire.PutHeader(s.cmd, len(s.cmd)-wire.HeaderSize, 0)
	}
	return s.cmd
}

// plainOpening opens a transaction by a statement that travels in one write with the first statement of the transaction, if that only reads.
const plainOpening = "START TRANSACTION"

// opensAhead says whether a node joins the transaction by one plain opening, or by none.
func (s *Session) opensAhead() bool {
	if !s.txn.explicit {
		return len(s.txn.savepoints) == 0
	}
	return len(s.txn.savepoints) == 0 && len(s.txn.opening) == 1 && s.txn.opening[0] == plainOpening
}

// launchKnown carries out a statement that begins or ends a transaction, as far as at most one node is concerned.
func (s *Session) launchKnown(ctx context.Context, st *statement, r *sqlfront.Reply) bool {
	switch len(s.txn.branches) {
	case 0: // nobody needs to hear of it
		err := s.run(ctx, st, r)
		s.idle()
		r.Finish(err)
		return true
	case 1:
		b := s.txn.branches[0]
		end := endings[st.plan.Verb]
		if end == "" || !completesPlainly(st.plan) || b.conn == s.locks || b.conn.Broken() {
			return false
		}
		f := &s.flight
		f.begin(ctx, s, r, b.node)
		f.ends = end
		f.packet = s.packetOf([]byte(end), &plan.Single{Verbatim: true})
		return f.takeOff(b.conn)
	default:
		return false
	}
}
