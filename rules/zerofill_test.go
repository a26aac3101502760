package rules_test

import (
	"strings"
	"testing"

	"ballast/rules"
)

// TestNumbersAreHashedAsNumbers: a ZEROFILL column's text has zeros in front, so that its bare name must not be hashed, wherever the
// hash stands. Live servers prove the predicates; this holds the form for the steps that leave the number as it is.
func TestNumbersAreHashedAsNumbers(t *testing.T) {
	unsigned := rules.FieldType{Kind: rules.FieldUint, Bits: 64} // ZEROFILL makes a column unsigned
	for _, clause := range []string{"BALANCE BY (id) HASH MOD 4", "BALANCE BY (id) RANGE 1 HASH MOD 4", "BALANCE BY (id) RANGE 1 RING (VNODES 3)", "BALANCE BY (id) RING (VNODES 3)"} {
		predicate := compile(t, clause, 4, unsigned).Predicate(1, func(int) string { return "k" })
		if strings.Contains(predicate, "CAST(k AS") || !strings.Contains(predicate, "CAST((k + 0) AS") {
			t.Errorf("%s: %s", clause, predicate)
		}
	}
}
