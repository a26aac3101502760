package core

import (
	"slices"
	"testing"

	"ballast/rules"
	"ballast/rules/catalog"
)

func TestWindowsNameTheKeys(t *testing.T) {
	name := catalog.Name{Schema: "shop", Table: "users"}
	table := func(s *rules.Strategy) *catalog.Table {
		fit, _, err := Fit(FitInput{
			Name: name, Shape: shapeOf(t, "id bigint pk"), Rule: Rule{Kind: catalog.Sharded, Strategy: s}, Snapshot: twoNodeCluster(), Sequence: "s",
		})
		if err != nil {
			t.Fatal(err)
		}
		return fit
	}
	clause, err := rules.ParseClause("BALANCE BY (id) MOD 2 EXCEPT ([100, 200) ON n1)")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Windows(twoNodeCluster(), table(mod(2, "id")), table(&clause.Strategy))
	want := []string{"id in [100, 200), id mod 2 = 0: n0 → n1"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q (%v), want %q", got, err, want)
	}
}
