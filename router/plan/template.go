package plan

import (
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
)

// Template is SQL text with holes for the values that come at bind time. It is immutable.
type Template struct {
	parts []part
}

// part is a piece of text, then a hole (none in the last part).
type part struct {
	text  string
	kind  slotKind
	index int
	last  bool
}

// templateWriter receives the restored text and notes the holes in it.
type templateWriter struct {
	buf     strings.Builder
	parts   []part
	mariaDB bool
}

// mariaDBText among the flags says that text is written for MariaDB.
const mariaDBText Flags = 1 << 15

// Write and WriteString make it a format.RestoreWriter. MariaDB knows share locks by their old words only.
func (w *templateWriter) Write(b []byte) (int, error) { return w.buf.Write(b) }
func (w *templateWriter) WriteString(s string) (int, error) {
	if w.mariaDB && s == "FOR SHARE" {
		s = "LOCK IN SHARE MODE"
	}
	return w.buf.WriteString(s)
}

func (w *templateWriter) hole(kind slotKind, index int) {
	w.parts = append(w.parts, part{text: w.buf.String(), kind: kind, index: index})
	w.buf.Reset()
}

func (w *templateWriter) template() Template {
	return Template{parts: append(w.parts, part{text: w.buf.String(), last: true})}
}

// restoreFlags are how ASTs are written: the text must mean the same under the session's sql_mode.
func restoreFlags(flags Flags) format.RestoreFlags {
	f := format.RestoreKeyWordUppercase | format.RestoreNameBackQuotes | format.RestoreStringSingleQuotes |
		format.RestoreSpacesAroundBinaryOperation | format.RestoreStringWithoutDefaultCharset | format.RestoreBracketAroundBinaryOperation
	if flags&NoBackslashEscapes == 0 {
		f |= format.RestoreStringEscapeBackslash
	}
	return f
}

// newTemplate restores a tree into a template.
func newTemplate(node ast.Node, flags Flags) (Template, error) {
	var w templateWriter
	if err := w.restore(node, flags); err != nil {
		return Template{}, err
	}
	return w.template(), nil
}

// restore appends a tree's text and holes to what was written before.
func (w *templateWriter) restore(node ast.Node, flags Flags) error {
	w.mariaDB = flags&mariaDBText != 0
	if err := node.Restore(format.NewRestoreCtx(restoreFlags(flags), w)); err != nil {
		return fmt.Errorf("write statement: %w", err)
	}
	return nil
}

// followed gives the template with more text behind it.
func (t Template) followed(text string) Template {
	parts := append([]part(nil), t.parts...)
	parts[len(parts)-1].text += text
	return Template{parts: parts}
}

// textTemplate is a template without holes.
func textTemplate(text string) Template { return Template{parts: []part{{text: text, last: true}}} }

// aliasTemplate is a quoted name made of a piece of normalized text, in which each ? stands for the source text of the next slot from
// first on. It gives a select field without an alias the name that the server would have given it.
func aliasTemplate(text string, first int) Template {
	var w templateWriter
	w.buf.WriteByte('`')
	for i := range len(text) {
		switch text[i] {
		case '?':
			w.hole(slotAlias, first)
			first++
		case '`':
			w.buf.WriteString("``")
		default:
			w.buf.WriteByte(text[i])
		}
	}
	w.buf.WriteByte('`')
	return w.template()
}

// constant says whether the template has no holes.
func (t Template) constant() bool { return len(t.parts) <= 1 }

// render appends the text with all values in place.
func (t Template) render(dst []byte, bc *bindCtx) []byte {
	for i := range t.parts {
		p := &t.parts[i]
		dst = append(dst, p.text...)
		if p.last {
			break
		}
		switch p.kind {
		case slotLiteral:
			dst = bc.args.rowSlot(p.index, bc.row).AppendSQL(dst, bc.env.Flags)
		case slotAlias:
			lit := bc.args.rowSlot(p.index, bc.row)
			if lit.Bare {
				dst = append(dst, '?')
				break
			}
			for _, c := range lit.Raw {
				if c == '`' {
					dst = append(dst, '`')
				}
				dst = append(dst, c)
			}
		default:
			dst = bc.appendValue(dst, p.kind, p.index)
		}
	}
	return dst
}

// String shows the template with ? for its holes, for tests and EXPLAIN.
func (t Template) String() string {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.text)
		if !p.last {
			b.WriteByte('?')
		}
	}
	return b.String()
}
