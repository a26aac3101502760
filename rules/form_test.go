package rules_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ballast/rules"
	"ballast/rules/rulestest"
)

// drawn makes a Chooser of a rapid test, so that what it makes shrinks.
type drawn struct{ t *rapid.T }

func (d drawn) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "n") }

// drawTypes draws the types of one or two fields.
func drawTypes(t *rapid.T, max int) []rules.FieldType {
	all := rulestest.Types()
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	var out []rules.FieldType
	for range rapid.IntRange(1, max).Draw(t, "fields") {
		out = append(out, all[rapid.SampledFrom(sorted(names)).Draw(t, "type")])
	}
	return out
}

// TestFormsRoundTrip holds that the three written forms are equal: each gives back the strategy that it was written from.
func TestFormsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := drawTypes(t, 2)
		s := rulestest.Strategy(drawn{t}, types, 4)
		if _, err := rules.Compile(s, types, rulestest.Nodes(4)); err != nil {
			return
		}
		if rapid.Bool().Draw(t, "on") {
			s.On = []string{"n0", "n 1", "über`x", "ON"}
		}
		want := rules.Clause{Kind: rules.Balanced, Strategy: s, Group: rapid.SampledFrom([]string{"", "g", "group"}).Draw(t, "group")}
		if rapid.Bool().Draw(t, "unique") {
			want.PerNode = []string{"uk", "global"}
		}

		fromSQL, err := rules.ParseClause(want.SQL())
		if err != nil || !reflect.DeepEqual(fromSQL, want) {
			t.Fatalf("SQL %s\n%v\ngot  %+v\nwant %+v", want.SQL(), err, fromSQL, want)
		}
		if fromComment, err := rules.ParseClause(want.Comment()); err != nil || !reflect.DeepEqual(fromComment, want) {
			t.Fatalf("comment %s\n%v", want.Comment(), err)
		}
		for _, mode := range []struct{ ansi, backslash bool }{{false, false}, {true, true}} {
			stmt, c, err := rules.SplitClauseMode("CREATE TABLE t (a INT COMMENT 'BALANCE BY') "+want.SQL()+" ENGINE=InnoDB", mode.ansi, mode.backslash)
			if err != nil || c == nil || !reflect.DeepEqual(*c, want) || stmt != "CREATE TABLE t (a INT COMMENT 'BALANCE BY') ENGINE=InnoDB" {
				t.Fatalf("split %s\n%v %q", want.SQL(), err, stmt)
			}
		}

		file := rules.File{Schema: "shop", Default: &s, Tables: []rules.TableRule{{Table: "t", Clause: want}, {Table: "MAXVALUE", Clause: rules.Clause{Kind: rules.Everywhere}}}}
		fromYAML, err := rules.ParseFile(file.YAML())
		if err != nil || !reflect.DeepEqual(fromYAML, file) {
			t.Fatalf("YAML\n%s\n%v\ngot  %+v\nwant %+v", file.YAML(), err, fromYAML, file)
		}

		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var fromJSON rules.Strategy
		if err := json.Unmarshal(text, &fromJSON); err != nil || !reflect.DeepEqual(fromJSON, s) {
			t.Fatalf("JSON %s\n%v\ngot  %+v\nwant %+v", text, err, fromJSON, s)
		}
	})
}

// TestRulesFile reads the example of the documentation.
func TestRulesFile(t *testing.T) {
	text, err := os.ReadFile("testdata/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, err := rules.ParseFile(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"tab_user_login: BALANCE BY (user_id) RANGE 10000 MOD 32 RANGE 8 ON (n0, n1, n2, n3)",
		"tab_by_province: BALANCE BY (province) LIST (('guangdong', 'hainan'), ('beijing'), ('heilongjiang'), DEFAULT)",
		"tab_by_id_bounds: BALANCE BY (user_id) RANGE (0, 25000000, 50000000, 75000000, 100000000) EXCEPT ([45000000, 50000000) ON n3)",
		"orders: BALANCE BY (user_id) HASH MOD 64 IN GROUP by_user",
		"order_items: BALANCE BY (user_id) IN GROUP by_user",
		"region: GLOBAL",
		"settings: SINGLE ON (n1)",
	}
	for i, rule := range f.Tables {
		if got := rule.Table + ": " + rule.Clause.SQL(); i >= len(want) || got != want[i] {
			t.Errorf("got %s", got)
		}
	}
	if f.Schema != "shop" || f.Default.SQL() != "BALANCE BY (PRIMARY KEY) HASH MOD 64" || len(f.Tables) != len(want) {
		t.Errorf("schema %q, default %s, %d tables", f.Schema, f.Default.SQL(), len(f.Tables))
	}
}

// TestRulesFileFaults holds that all faults come at once, each with its place.
func TestRulesFileFaults(t *testing.T) {
	_, err := rules.ParseFile([]byte(`
schema: shop
tables:
  a: {by: [id], steps: [{mod: four}, {rnge: 3}]}
  b: {globl: true}
  c: {by: [id]}
  d: {global: true, by: [id]}
`))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"tables.a.steps[0].mod", "tables.a.steps[1].rnge", "tables.b.globl", "tables.c: needs steps", "tables.d"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing about %s in:\n%v", want, err)
		}
	}
	for _, bad := range []string{"", "a: [", "schema: x\nschema: y", "- 1", "schema: &a x\ntables: {t: *a}"} {
		if _, err := rules.ParseFile([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
