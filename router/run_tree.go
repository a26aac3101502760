package router

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"

	"ballast/router/engine"
	"ballast/router/plan"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// runTree runs a tree of operators over several nodes and writes its rows.
func (s *Session) runTree(ctx context.Context, st *statement, root engine.Node, r *sqlfront.Reply) error {
	if s.selectLimit {
		return errSelectLimit.New()
	}
	var room [16]int
	nodes := engine.Nodes(root, room[:0])
	st.nodes = len(nodes)
	if s.pins() {
		if err := s.joinAll(ctx, nodes); err != nil {
			return err
		}
	}
	h := s.onShards(len(nodes))
	rows, err := root.Run(ctx, h, st.format)
	if err == nil {
		h.reply = r
		st.rows, err = s.answerRows(st, r, rows)
	}
	s.spent()
	warned := s.warnings()
	if err = s.settleBranches(ctx, err); err != nil {
		return err
	}
	s.read(st.rows, max(uint64(len(warned)), uint64(rows.Warnings())), warned)
	s.last.foundRows += engine.Skipped(root)
	return nil
}

// runValues answers rows that the router made.
func (s *Session) runValues(ctx context.Context, st *statement, v *engine.Values, r *sqlfront.Reply) error {
	rows, err := v.Run(ctx, s.onShards(0), st.format)
	if err != nil {
		return err
	}
	st.rows, err = s.answerRows(st, r, rows)
	if err != nil {
		return err
	}
	s.read(st.rows, 0, nil)
	return nil
}

// runWrites runs a write for several nodes: everywhere or nowhere.
func (s *Session) runWrites(ctx context.Context, st *statement, w *plan.Writes, r *sqlfront.Reply) error {
	if s.pins() {
		return errWideWrite.New(len(w.Parts))
	}
	ok, warned, err := s.writeAll(ctx, w, st.plan.Verb == plan.Insert || st.plan.Verb == plan.Replace)
	if err != nil {
		return err
	}
	ok.Info = s.selectInfo(st, ok)
	s.wrote(ok, warned)
	s.writeFound(st, firstOf(ok.Info))
	if w.InsertID != 0 && ok.Affected > 0 {
		s.last.insertID = w.InsertID
	}
	return s.answerOK(r, ok, st.more)
}

// copyRows pulls rows to their end.
func copyRows(rows engine.Rows, to func(row []byte) error) (n uint64, err error) {
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if err := to(row); err != nil {
			return n, err
		}
		n++
	}
}

// everywhere runs a statement on every node at once and answers what the first of them said.
func (s *Session) everywhere(ctx context.Context, st *statement, r *sqlfront.Reply) error {
	nodes := s.liveNodes()
	if len(nodes) == 0 {
		return errNoNode.New()
	}
	st.nodes = len(nodes)
	var cols []wire.Column
	var rows [][][]byte
	g, gctx := errgroup.WithContext(ctx)
	for i, node := range nodes {
		g.Go(func() error {
			k, err := s.acquire(gctx, node)
			if err != nil {
				return err
			}
			c, said, err := smallAnswer(gctx, k, st.text)
			if i == 0 {
				cols, rows = c, said
			}
			return s.done(gctx, k, err)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	v := &engine.Values{Columns: cols}
	for _, row := range rows {
		out := make([]any, len(row))
		for i, x := range row {
			if x != nil {
				out[i] = x
			}
		}
		v.Rows = append(v.Rows, out)
	}
	return s.runValues(ctx, st, v, r)
}
