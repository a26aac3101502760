//go:build !race

package rules_test

import (
	"bytes"
	"testing"

	"ballast/rules"
	"ballast/rules/rulestest"
)

// TestNodeIsFast holds the evaluation of a numeric key to the time of the CRC32 of 168 bytes, which is some 50 ns.
func TestNodeIsFast(t *testing.T) {
	text := [][]byte{bytes.Repeat([]byte{'x'}, 168)}
	for _, clause := range numericClauses {
		p := placementOf(t, "BALANCE BY (user_id) "+clause)
		key := []rules.Value{{Kind: rules.Int, I: 1234567890123456789}}
		if ratio := rulestest.TimesOfCRC(text, func() {
			if _, err := p.Node(key); err != nil {
				t.Fatal(err)
			}
		}); ratio > 1.3 {
			t.Errorf("%s: %.2f times the CRC32 of 168 bytes", clause, ratio)
		} else {
			t.Logf("%s: %.2f times the CRC32 of 168 bytes", clause, ratio)
		}
	}
}
