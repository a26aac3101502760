//go:build !race

package plan

import (
	"testing"

	"ballast/rules/rulestest"
)

// TestLexerIsFast holds the lexer, with the digest, to the time of the CRC32 of the same text. What it takes stands in typical; half as much
// again is too slow.
func TestLexerIsFast(t *testing.T) {
	var l Lexer
	for _, c := range typical {
		text := []byte(c.sql)
		ratio := rulestest.TimesOfCRC([][]byte{text}, func() {
			if !l.scan(text, 0, LexOptions{}) || l.Digest() == (Digest{}) {
				t.Fatal(c.sql)
			}
		})
		t.Logf("%s: %.2f times the CRC32 of its text", c.name, ratio)
		if ratio > 1.5*c.lex {
			t.Errorf("%s: lexing takes %.2f times the CRC32 of its text, it was %.2f", c.name, ratio, c.lex)
		}
	}
}

// TestHitIsFast holds the whole way of a statement whose plan is cached to the time of the CRC32 of 4,600 bytes, which is some 2 µs.
func TestHitIsFast(t *testing.T) {
	env, p := sessionEnv(t), New(Config{})
	text := [][]byte{make([]byte, 4600)}
	var a Args
	var out Bound
	for _, c := range typical {
		planned(t, p, env, c.sql)
		sql := []byte(c.sql)
		ratio := rulestest.TimesOfCRC(text, func() {
			pl, ok := p.Cached(env, sql, 0, &a)
			if !ok || pl.BindInline(env, &a, nil, &out) != nil {
				t.Fatal(c.sql)
			}
		})
		t.Logf("%s: %.2f times the CRC32 of 4,600 bytes", c.name, ratio)
		if ratio > 1.4 {
			t.Errorf("%s: the way of a hit takes %.2f times the CRC32 of 4,600 bytes", c.name, ratio)
		}
	}
}
