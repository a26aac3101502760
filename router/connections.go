package router

import (
	"context"

	"golang.org/x/sync/errgroup"

	"ballast/router/backend"
)

// join gives the connection for a statement on a node: the transaction's own, or one from the pool that done takes back.
func (s *Session) join(ctx context.Context, node int) (*backend.Conn, error) {
	if b := s.txn.at(node); b != nil {
		b.conn.Apply(s.settings)
		return b.conn, nil
	}
	k, err := s.acquire(ctx, node)
	if err != nil {
		return nil, err
	}
	if s.pins() {
		if err := s.openOn(ctx, node, k); err != nil {
			return nil, err
		}
	} else if len(s.txn.once) > 0 {
		if err := execAll(ctx, k, s.txn.once); err != nil {
			s.discard(k)
			return nil, err
		}
	}
	return k, nil
}

// joinAny is join for what any node can answer: when the one chosen can't be reached, the others are tried.
func (s *Session) joinAny(ctx context.Context) (*backend.Conn, error) {
	first := s.anyNode()
	if first == noNode {
		return nil, errNoNode.New()
	}
	k, err := s.join(ctx, first)
	if err == nil || s.inTransaction() || !broken(err) {
		return k, err
	}
	for _, n := range s.liveNodes() {
		if n == first || !s.router.cluster.Up(n) || ctx.Err() != nil {
			continue
		}
		if other, otherErr := s.join(ctx, n); otherErr == nil {
			return other, nil
		}
	}
	return nil, err
}

// acquire takes a connection from the pool and lets KILL find it.
func (s *Session) acquire(ctx context.Context, node int) (*backend.Conn, error) {
	k, err := s.router.cluster.Acquire(ctx, s.shard, node, s.class, s.settings)
	if err != nil {
		return nil, err
	}
	s.held.add(k)
	return k, nil
}

// openOn makes a fresh connection part of the transaction.
func (s *Session) openOn(ctx context.Context, node int, k *backend.Conn) error {
	err := execAll(ctx, k, s.txn.once)
	if err == nil && s.txn.explicit {
		err = execAll(ctx, k, s.txn.opening)
	}
	if err == nil {
		for _, name := range s.txn.savepoints {
			if _, err = k.Exec(ctx, appendSavepoint(nil, "SAVEPOINT ", name)); err != nil {
				break
			}
		}
	}
	if err != nil {
		s.discard(k)
		return err
	}
	s.txn.add(&branch{node: node, conn: k, inTrans: s.txn.explicit})
	return nil
}

func execAll(ctx context.Context, k *backend.Conn, statements []string) error {
	for _, q := range statements {
		if _, err := k.Exec(ctx, []byte(q)); err != nil {
			return err
		}
	}
	return nil
}

// done gives a statement's connection back, to the transaction or to the pool, and looks at what became of the transaction there.
func (s *Session) done(ctx context.Context, k *backend.Conn, err error) error {
	if k == s.locks {
		return s.lockDone(err)
	}
	b := s.txn.at(k.Node())
	if b == nil || b.conn != k {
		if broken(err) {
			s.discard(k)
		} else {
			s.giveBack(k)
		}
		return err
	}
	if k.Broken() || broken(err) {
		return s.lostBranch(ctx, b, err)
	}
	was := b.inTrans
	if err != nil && was && k.InTransaction() {
		// An error packet does not say whether the transaction still stands: a deadlock ends it, a duplicate key does not.
		if _, perr := k.Exec(ctx, []byte("DO 0")); perr != nil {
			return s.lostBranch(ctx, b, perr)
		}
	}
	b.inTrans = k.InTransaction()
	if was && !b.inTrans {
		how := "COMMIT" // ended by an implicit commit; what the others hold are reads
		if err != nil {
			how = "ROLLBACK"
		}
		s.endElsewhere(ctx, b, how)
	}
	return err
}

// joinAll brings nodes into the transaction, all at once.
func (s *Session) joinAll(ctx context.Context, nodes []int) error {
	g, gctx := errgroup.WithContext(ctx)
	for _, n := range nodes {
		if s.txn.at(n) != nil {
			continue
		}
		g.Go(func() error {
			k, err := s.acquire(gctx, n)
			if err != nil {
				return err
			}
			return s.openOn(gctx, n, k)
		})
	}
	return g.Wait()
}

// acquireAny takes a connection outside any transaction, to a node that answers.
func (s *Session) acquireAny(ctx context.Context) (*backend.Conn, error) {
	var last error = errNoNode.New()
	for _, up := range [...]bool{true, false} { // those that are down only if there is no other
		for i := range s.env.Snapshot.Nodes {
			n := (i + int(s.client.ID)) % len(s.env.Snapshot.Nodes)
			if s.env.Snapshot.Nodes[n].Removed || s.router.cluster.Up(n) != up {
				continue
			}
			k, err := s.acquire(ctx, n)
			if err == nil {
				return k, nil
			}
			last = err
		}
	}
	return nil, last
}
