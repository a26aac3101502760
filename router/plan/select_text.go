package plan

import (
	"io"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
)

// composed is an expression written as pieces of text with expressions between them.
type composed struct {
	ast.TexprNode
	text []string
	args []ast.ExprNode // one fewer than text
}

// compose makes an expression of a text in which each % stands for the next argument.
func compose(text string, args ...ast.ExprNode) ast.ExprNode {
	return &composed{text: strings.Split(text, "%"), args: args}
}

// Restore writes pieces and expressions.
func (c *composed) Restore(ctx *format.RestoreCtx) error {
	for i, t := range c.text {
		ctx.WritePlain(t)
		if i < len(c.args) {
			if err := c.args[i].Restore(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Format is part of ast.ExprNode; the text has no arguments.
func (c *composed) Format(w io.Writer) {
	if _, err := io.WriteString(w, strings.Join(c.text, "?")); err != nil {
		return
	}
}

// Accept implements ast.Node.
func (c *composed) Accept(v ast.Visitor) (ast.Node, bool) {
	n, skip := v.Enter(c)
	if skip {
		return v.Leave(n)
	}
	for i, a := range c.args {
		out, ok := a.Accept(v)
		if !ok {
			return c, false
		}
		c.args[i] = out.(ast.ExprNode)
	}
	return v.Leave(n)
}

// weightOf is what strings are ordered by; padOf the weight of the space that shorter strings are filled up with, empty where the collation
// does not pad.
func weightOf(e ast.ExprNode) ast.ExprNode { return compose("WEIGHT_STRING(%)", e) }

func padOf(e ast.ExprNode, pads bool) ast.ExprNode {
	if pads {
		return compose("WEIGHT_STRING(CONCAT(LEFT(%,0),' '))", e)
	}
	return compose("IF(LEFT(%,0)=CONCAT(LEFT(%,0),' '),WEIGHT_STRING(CONCAT(LEFT(%,0),' ')),'')", e, e, e)
}

// limitMark stands in the text where LIMIT belongs while the text is made.
const limitMark = "\x00limit\x00"

// limitedText is the text for the nodes in two parts: LIMIT n goes between them.
type limitedText struct {
	head, tail Template
}

// selectText writes a SELECT; its LIMIT is left open.
func (s *scatter) selectText(sel ast.SelectStmt) (limitedText, error) {
	sel.Limit = &ast.Limit{Count: compose(limitMark)}
	sel.IsInBraces, sel.WithBeforeBraces = false, false
	sel.AfterSetOperator = nil
	t, err := newTemplate(&sel, s.pc.env.Flags)
	if err != nil {
		return limitedText{}, err
	}
	return splitTemplate(t, " LIMIT "+limitMark), nil
}

// splitTemplate cuts a template in two at a mark.
func splitTemplate(t Template, mark string) limitedText {
	for i, p := range t.parts {
		before, after, found := strings.Cut(p.text, mark)
		if !found {
			continue
		}
		rest := p
		rest.text = after
		return limitedText{
			head: Template{parts: append(append([]part(nil), t.parts[:i]...), part{text: before, last: true})},
			tail: Template{parts: append([]part{rest}, t.parts[i+1:]...)},
		}
	}
	return limitedText{head: t, tail: textTemplate("")}
}

// render writes the text with a limit, or without one.
func (t limitedText) render(bc *bindCtx, limited bool, limit uint64) []byte {
	sql := t.head.render(nil, bc)
	if limited {
		sql = strconv.AppendUint(append(sql, " LIMIT "...), limit, 10)
	}
	return t.tail.render(sql, bc)
}
