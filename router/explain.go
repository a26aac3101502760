package router

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
	"ballast/router/plan"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// explain is EXPLAIN: the tree of operators and what every node is sent. With FORMAT or ANALYZE the node's own EXPLAIN is asked for, which
// only a statement for one node can have.
func (s *Session) explain(ctx context.Context, st *statement, n *ast.ExplainStmt, r *sqlfront.Reply) error {
	text := []byte(strings.TrimSpace(n.Stmt.Text()))
	if len(text) == 0 {
		sql, err := restore(n.Stmt)
		if err != nil {
			return err
		}
		text = []byte(sql)
	}
	var args plan.Args
	inner, err := s.router.planner.Plan(ctx, &s.env, text, 0, &args)
	if err != nil {
		return err
	}
	if err := s.checkRights(inner.Accesses); err != nil {
		return err
	}
	var b plan.Bound
	if err := inner.Bind(ctx, &s.env, &args, noSequences{}, &b); err != nil {
		return err
	}
	ofNode := n.Analyze || n.Format != "" && !strings.EqualFold(n.Format, "row")
	switch {
	case ofNode && b.Single != nil && !n.Analyze:
		return s.runSingle(ctx, st, &plan.Single{Node: b.Single.Node, AnyNode: b.Single.AnyNode, Verbatim: true}, r)
	case ofNode:
		return errUnsupported.New("EXPLAIN with FORMAT or ANALYZE for several nodes")
	default:
		return s.runValues(ctx, st, s.explainTree(&b, &args), r)
	}
}

// explainTree writes the tree, one operator a line.
func (s *Session) explainTree(b *plan.Bound, args *plan.Args) *engine.Values {
	v := &engine.Values{What: "explain", Columns: []wire.Column{
		textColumn("Operator", 256), textColumn("Nodes", 256), textColumn("Detail", 1024), textColumn("SQL", 4096),
	}}
	switch {
	case b.Single != nil:
		sql, how := b.Single.SQL, "rewritten"
		if b.Single.Verbatim {
			sql, how = args.Text, "as written"
		}
		where := s.nodeName(b.Single.Node)
		if b.Single.AnyNode {
			where = "any"
		}
		v.Rows = append(v.Rows, []any{"OneNode", where, how, string(sql)})
	case b.Writes != nil:
		how := "all or none"
		if b.Writes.Global {
			how = "a full copy each, one after another"
		}
		v.Rows = append(v.Rows, []any{"Write", "", how, ""})
		for i, q := range b.Writes.Parts {
			mark := "├─ "
			if i == len(b.Writes.Parts)-1 {
				mark = "└─ "
			}
			v.Rows = append(v.Rows, []any{mark + "Part", s.nodeName(q.Node), "", string(q.SQL)})
		}
	case b.Root != nil:
		s.explainNode(v, b.Root, "", "")
	}
	return v
}

func (s *Session) explainNode(v *engine.Values, n engine.Node, head, indent string) {
	d := n.Describe()
	names := make([]string, len(d.Nodes))
	for i, place := range d.Nodes {
		names[i] = s.nodeName(place)
	}
	v.Rows = append(v.Rows, []any{head + d.Name, strings.Join(names, ", "), d.Detail, d.SQL})
	in := n.Inputs()
	for i, c := range in {
		if i == len(in)-1 {
			s.explainNode(v, c, indent+"└─ ", indent+"   ")
		} else {
			s.explainNode(v, c, indent+"├─ ", indent+"│  ")
		}
	}
}

// noSequences gives numbers to statements that are only explained.
type noSequences struct{}

// Next gives the first number.
func (noSequences) Next(context.Context, string, int) (uint64, error) { return 1, nil }

// Raise does nothing.
func (noSequences) Raise(context.Context, string, uint64) error { return nil }
