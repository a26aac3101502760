package rules

import (
	"encoding/hex"
	"strconv"

	"ballast/rules/failure"
)

func unhex(digits string) (string, bool) {
	raw, err := hex.DecodeString(digits)
	return string(raw), err == nil
}

// parser reads a clause from tokens. The first fault sticks and ends all loops.
type parser struct {
	lex  lexer
	tok  token
	prev int // end of the last token taken
	err  *failure.Error
}

func newParser(l lexer) *parser {
	p := &parser{lex: l}
	p.tok = p.lex.next()
	return p
}

func (p *parser) take() token {
	t := p.tok
	if p.err == nil {
		p.prev = t.end
		p.tok = p.lex.next()
	}
	return t
}

// fail notes a fault at the token ahead; the parser then sees the end of the text.
func (p *parser) fail(what string) {
	if p.err != nil {
		return
	}
	near := "the end"
	if p.tok.kind != tokenEnd {
		near = "character " + strconv.Itoa(p.tok.start+1)
	}
	p.err = errSyntax.New(what, near)
	p.tok = token{kind: tokenEnd, start: p.tok.start, end: p.tok.start}
}

// word takes the word if it comes next.
func (p *parser) word(w string) bool {
	if !p.tok.is(w) {
		return false
	}
	p.take()
	return true
}

func (p *parser) mark(c byte) bool {
	if !p.tok.mark(c) {
		return false
	}
	p.take()
	return true
}

func (p *parser) need(ok bool, what string) {
	if !ok {
		p.fail(what + " was expected")
	}
}

// list reads "( item , item … )".
func (p *parser) list(item func()) {
	p.need(p.mark('('), "(")
	for p.err == nil {
		item()
		if !p.mark(',') {
			break
		}
	}
	p.need(p.mark(')'), ")")
}

func (p *parser) name(what string) string {
	if p.tok.kind != tokenWord && p.tok.kind != tokenName || p.tok.text == "" {
		p.fail(what + " was expected")
		return ""
	}
	return p.take().text
}

func (p *parser) unsigned() uint64 {
	u, err := strconv.ParseUint(p.tok.text, 10, 64)
	if p.tok.kind != tokenNumber || err != nil {
		p.fail("a whole number was expected")
		return 0
	}
	p.take()
	return u
}
