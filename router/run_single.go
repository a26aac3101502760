package router

import (
	"context"

	"ballast/router/backend"
	"ballast/router/plan"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// runSingle runs a statement on one node and relays the answer's packets as they come.
func (s *Session) runSingle(ctx context.Context, st *statement, b *plan.Single, r *sqlfront.Reply) error {
	if writesRows(st.plan.Verb) {
		if err := s.mayWrite(b.Node); err != nil {
			return err
		}
	}
	k, err := s.joinFor(ctx, st, b)
	if err != nil {
		return err
	}
	if writesRows(st.plan.Verb) {
		s.writesOn(k.Node())
	}
	switch {
	case b.InsertID != 0, !b.Verbatim && (st.params != nil && writesRows(st.plan.Verb) || st.plan.InsertsSelect):
		return s.execSingle(ctx, st, b, k, r)
	case !b.Verbatim && (st.params != nil || st.columns != nil):
		return s.namedRows(ctx, st, b.SQL, k, r)
	}
	ans, err := s.relay(ctx, st, b, k, r)
	return s.settle(ctx, st, k, r, ans, err)
}

// settle brings a statement to its end whose answer was relayed, or whose connection failed it.
func (s *Session) settle(ctx context.Context, st *statement, k *backend.Conn, r *sqlfront.Reply, ans backend.Answer, err error) error {
	if err != nil {
		b := s.bound.Single
		again := s.mayRepeat(ctx, st, b, r) && broken(err)
		err = s.done(ctx, k, err)
		if again {
			st.repeated = true
			return s.runSingle(ctx, st, b, r)
		}
		return err
	}
	st.rows = ans.Rows
	if err := s.afterRelay(ctx, st, k, &ans); err != nil {
		return s.done(ctx, k, err)
	}
	if ans.IsErr {
		// The client has its answer; what is left is to see what the error did to the transaction.
		s.router.metrics.errors.Inc()
		return s.settled(s.done(ctx, k, &wire.ServerError{Number: ans.ErrNumber}))
	}
	return s.done(ctx, k, nil)
}

// mayRepeat says whether a SELECT whose node was lost can simply be asked of another node: any will do, and nothing was answered yet.
func (s *Session) mayRepeat(ctx context.Context, st *statement, b *plan.Single, r *sqlfront.Reply) bool {
	return b.AnyNode && st.plan.Verb == plan.Select && !st.plan.NamedLocks && !st.plan.Locking && !st.repeated && !s.pins() && !r.Answered() && ctx.Err() == nil
}

// joinFor gives the connection for a statement on one node. Locks on a full copy are taken where its writes begin, on the first node.
func (s *Session) joinFor(ctx context.Context, st *statement, b *plan.Single) (*backend.Conn, error) {
	if st.plan.NamedLocks {
		return s.lockConnection(ctx, b)
	}
	if b.AnyNode && !st.plan.Locking && !writesRows(st.plan.Verb) {
		return s.joinAny(ctx)
	}
	return s.join(ctx, b.Node)
}

// relay sends the statement in the form that fits: the client's own text, its prepared statement with its own parameter bytes, or the
// text that the plan made.
func (s *Session) relay(ctx context.Context, st *statement, b *plan.Single, k *backend.Conn, r *sqlfront.Reply) (backend.Answer, error) {
	switch {
	case st.params != nil && b.Verbatim:
		ps, err := k.PrepareFor(ctx, st.text, st.params)
		if err != nil {
			return backend.Answer{}, err
		}
		return k.RelayExecute(ctx, ps, st.params, r, st.more)
	case st.execute != nil && b.Verbatim:
		return s.passExecute(ctx, st, k, r)
	case b.Verbatim:
		s.cmd = append(append(s.cmd[:0], byte(wire.ComQuery)), st.text...)
	default:
		s.cmd = append(append(s.cmd[:0], byte(wire.ComQuery)), b.SQL...)
	}
	ans, err := k.Relay(ctx, s.cmd, r, st.more)
	if cap(s.cmd) > maxKeptCommand {
		s.cmd = nil
	}
	return ans, err
}

// namedRows reads the rows of a text of the plan's own for a prepared statement, and passes them on under the names that it has.
func (s *Session) namedRows(ctx context.Context, st *statement, sql []byte, k *backend.Conn, r *sqlfront.Reply) error {
	rows, err := k.Query(ctx, sql, st.format)
	if err != nil {
		return s.done(ctx, k, err)
	}
	st.rows, err = s.answerRows(st, r, rows)
	if err == nil {
		err = s.afterRelay(ctx, st, k, &backend.Answer{OK: wire.OK{Warnings: rows.Warnings()}, Columns: uint64(len(rows.Columns())), Rows: st.rows})
	}
	return s.done(ctx, k, err)
}

// maxKeptCommand is the largest buffer that an idle session keeps.
const maxKeptCommand = 64 << 10

// execSingle runs a write whose OK the client gets in a changed form: with the first id of a sequence, or as the answer to a prepared
// statement.
func (s *Session) execSingle(ctx context.Context, st *statement, b *plan.Single, k *backend.Conn, r *sqlfront.Reply) error {
	sql := b.SQL
	if b.Verbatim {
		sql = st.text
	}
	ok, err := k.Exec(ctx, sql)
	if err != nil {
		return s.done(ctx, k, err)
	}
	drawn := b.InsertID
	if drawn != 0 && st.plan.SetsInsertID && ok.InsertID != 0 {
		drawn = ok.InsertID // ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id): the node says which row it was
	}
	if drawn != 0 {
		ok.InsertID = drawn
	}
	err = s.afterRelay(ctx, st, k, &backend.Answer{OK: ok, Found: firstOf(ok.Info)})
	if err = s.done(ctx, k, err); err != nil {
		return err
	}
	if drawn != 0 && (ok.Affected > 0 || st.plan.SetsInsertID) {
		s.last.insertID = drawn
	}
	return s.answerOK(r, ok, st.more)
}

// settled is what remains of an error whose packet has been relayed: nothing, unless the connection must be closed.
func (s *Session) settled(err error) error {
	if isFatal(err) {
		return err
	}
	return nil
}

func writesRows(v plan.Verb) bool {
	switch v {
	case plan.Insert, plan.Replace, plan.Update, plan.Delete:
		return true
	default:
		return false
	}
}
