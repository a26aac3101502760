package core

import (
	"errors"
	"strings"
	"testing"

	"ballast/rules"
	"ballast/rules/catalog"
	"ballast/rules/failure"
)

// shapeOf makes a shape from words: "id bigint pk auto", "name varchar(20)", "unique (a b)", "fk f (a) users(id)".
func shapeOf(t *testing.T, parts ...string) *Shape {
	t.Helper()
	s := &Shape{Engine: "InnoDB"}
	for _, p := range parts {
		words := strings.Fields(p)
		switch words[0] {
		case "unique":
			s.Keys = append(s.Keys, catalog.Key{Name: "u" + words[1], Unique: true, Columns: words[1:]})
		case "fk":
			s.Foreign = append(s.Foreign, ForeignKey{Name: "f", Columns: words[1:2], To: catalog.Name{Schema: "shop", Table: words[2]}, Referenced: words[3:4]})
		case "engine":
			s.Engine = words[1]
		default:
			c := catalog.Column{Name: words[0], Type: words[1], DataType: words[1]}
			c.Field = FieldType(ColumnFacts{DataType: words[1], ColumnType: words[1], Collation: "utf8mb4_bin", Length: 20})
			for _, w := range words[2:] {
				switch w {
				case "pk":
					s.Keys = append(s.Keys, catalog.Key{Name: "PRIMARY", Unique: true, Primary: true, Columns: []string{c.Name}})
				case "auto":
					c.AutoIncrement = true
				}
			}
			s.Columns = append(s.Columns, c)
		}
	}
	return s
}

func twoNodeCluster(tables ...*catalog.Table) *catalog.Snapshot {
	return &catalog.Snapshot{
		Nodes:   []catalog.Node{{Name: "n0", Weight: 100}, {Name: "n1", Weight: 100}, {Name: "gone", Removed: true}},
		Schemas: map[string]*catalog.Schema{"shop": {Name: "shop"}}, Tables: tables,
	}
}

func mod(n uint64, by ...string) *rules.Strategy {
	return &rules.Strategy{By: by, Steps: []rules.Step{{Kind: rules.StepMod, Mod: n}}}
}

func TestFit(t *testing.T) {
	users := &catalog.Table{
		Name: catalog.Name{Schema: "shop", Table: "users"}, Kind: catalog.Sharded, Group: "shop.users", Columns: shapeOf(t, "id int pk").Columns,
		Strategy: &rules.Strategy{By: []string{"id"}, Steps: DefaultStrategy().Steps, On: []string{"n0", "n1"}},
	}
	region := &catalog.Table{Name: catalog.Name{Schema: "shop", Table: "region"}, Kind: catalog.Global}
	lone := &catalog.Table{Name: catalog.Name{Schema: "shop", Table: "lone"}, Kind: catalog.Single, SingleOn: "n0"}
	snap := twoNodeCluster(users, region, lone)
	groups := map[string]*rules.Strategy{"shop.users": users.Strategy}
	sharded := func(s *rules.Strategy) Rule { return Rule{Kind: catalog.Sharded, Strategy: s} }
	for _, c := range []struct {
		name    string
		shape   *Shape
		rule    Rule
		perNode []string
		// want is the clause, or the failure's id, with the Note's text behind |.
		want string
	}{
		{"default", shapeOf(t, "id bigint pk auto"), Rule{}, nil, "BALANCE BY (id) HASH MOD 64 ON (n0, n1) IN GROUP `shop.t`"},
		{"default without key", shapeOf(t, "id bigint"), Rule{}, nil, "SINGLE ON (n1)|no primary key"},
		{"default with another unique key", shapeOf(t, "id bigint pk", "a int", "unique a"), Rule{}, nil, "SINGLE ON (n1)|ua does not contain"},
		{"auto increment in a unique key is no hindrance", shapeOf(t, "id bigint pk auto", "a int", "unique a id"), Rule{}, nil, "BALANCE BY (id) HASH MOD 64 ON (n0, n1) IN GROUP `shop.t`"},
		{"default with MyISAM", shapeOf(t, "id bigint pk", "engine MyISAM"), Rule{}, nil, "SINGLE ON (n1)|MyISAM"},
		{"a child joins its parent", shapeOf(t, "id bigint pk auto", "owner int", "fk owner users id"), Rule{}, nil, "BALANCE BY (owner) HASH MOD 64 ON (n0, n1) IN GROUP `shop.users`"},
		{"a child of a global table", shapeOf(t, "id bigint pk", "r int", "fk r region id"), Rule{}, nil, "BALANCE BY (id) HASH MOD 64 ON (n0, n1) IN GROUP `shop.t`"},
		{"a child of a single table goes where that is", shapeOf(t, "id bigint pk", "r int", "fk r lone id"), Rule{}, nil, "SINGLE ON (n0)|foreign key f"},
		{"a child that can't join", shapeOf(t, "id bigint pk", "owner int", "fk owner users id"), Rule{}, nil, "BL6025"},
		{"mod over the nodes", shapeOf(t, "id bigint pk"), sharded(mod(2, "ID")), nil, "BALANCE BY (id) MOD 2 ON (n0, n1)"},
		{"fewer outcomes than nodes", shapeOf(t, "id bigint pk"), sharded(mod(1, "id")), nil, "BALANCE BY (id) MOD 1 ON (n0)"},
		{"unknown field", shapeOf(t, "id bigint pk"), sharded(mod(2, "x")), nil, "BL6021"},
		{"unique key refused", shapeOf(t, "id bigint pk", "a int"), sharded(mod(2, "a")), nil, "BL6023"},
		{"unique key accepted", shapeOf(t, "id bigint pk", "a int"), sharded(mod(2, "a")), []string{"PRIMARY"}, "BALANCE BY (a) MOD 2 ON (n0, n1) UNIQUE PER NODE (`PRIMARY`)"},
		{"type refused", shapeOf(t, "id json pk"), sharded(mod(2, "id")), nil, "BL1014"},
		{"group's rule", shapeOf(t, "id int pk"), Rule{Kind: catalog.Sharded, Group: "shop.users", Strategy: &rules.Strategy{By: []string{"id"}}}, nil, "BALANCE BY (id) HASH MOD 64 ON (n0, n1) IN GROUP `shop.users`"},
		{"group's rule differs", shapeOf(t, "id int pk"), Rule{Kind: catalog.Sharded, Group: "shop.users", Strategy: mod(2, "id")}, nil, "BL6028"},
		{"group's types differ", shapeOf(t, "id varchar pk"), Rule{Kind: catalog.Sharded, Group: "shop.users", Strategy: &rules.Strategy{By: []string{"id"}}}, nil, "BL6029"},
		{"no such group", shapeOf(t, "id int pk"), Rule{Kind: catalog.Sharded, Group: "new", Strategy: &rules.Strategy{By: []string{"id"}}}, nil, "BL6027"},
		{"global", shapeOf(t, "id int pk"), Rule{Kind: catalog.Global}, nil, "GLOBAL"},
		{"global without key", shapeOf(t, "id int"), Rule{Kind: catalog.Global}, nil, "BL6032"},
		{"single", shapeOf(t, "id int"), Rule{Kind: catalog.Single, SingleOn: "n1"}, nil, "SINGLE ON (n1)"},
		{"single on a node that left", shapeOf(t, "id int"), Rule{Kind: catalog.Single, SingleOn: "gone"}, nil, "BL6030"},
	} {
		table, notes, err := Fit(FitInput{
			Name: catalog.Name{Schema: "shop", Table: "t"}, Shape: c.shape, Rule: c.rule, Snapshot: snap, Groups: groups, PerNode: c.perNode, Sequence: "s",
		})
		got := ""
		var f *failure.Error
		switch {
		case errors.As(err, &f):
			got = f.Kind.ID
		case err != nil:
			got = err.Error()
		default:
			got = ClauseOf(table).SQL()
		}
		want, note, _ := strings.Cut(c.want, "|")
		if got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
		if (note != "") != (len(notes) == 1) || note != "" && !strings.Contains(notes[0].Message, note) {
			t.Errorf("%s: notes %v, want %q", c.name, notes, note)
		}
	}
}

func TestRefit(t *testing.T) {
	in := FitInput{Name: catalog.Name{Schema: "shop", Table: "t"}, Shape: shapeOf(t, "id bigint pk", "a int"), Snapshot: twoNodeCluster(), Sequence: "s", Rule: Rule{Kind: catalog.Sharded, Strategy: mod(2, "id")}}
	old, _, err := Fit(in)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		shape *Shape
		want  string
	}{
		"more columns":     {shapeOf(t, "id bigint pk", "a int", "b int"), ""},
		"field dropped":    {shapeOf(t, "x bigint pk", "a int"), "BL6034"},
		"field retyped":    {shapeOf(t, "id varchar pk", "a int"), "BL6033"},
		"field narrowed":   {shapeOf(t, "id int pk", "a int"), ""},
		"new unique key":   {shapeOf(t, "id bigint pk", "a int", "unique a"), "BL6023"},
		"new auto column":  {shapeOf(t, "id bigint", "a int", "n int pk auto"), "BL6035"},
		"auto on a column": {shapeOf(t, "id bigint pk auto", "a int"), ""},
		"engine":           {shapeOf(t, "id bigint pk", "a int", "engine MyISAM"), "BL6024"},
		"the same":         {shapeOf(t, "id bigint pk", "a int"), ""},
	} {
		in.Shape = c.shape
		table, err := Refit(old, in)
		id := ""
		var f *failure.Error
		if errors.As(err, &f) {
			id = f.Kind.ID
		}
		if id != c.want || err == nil && table.Strategy != old.Strategy {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err == nil && (name == "the same") != (table.Shape == old.Shape) {
			t.Errorf("%s: shape %d, was %d", name, table.Shape, old.Shape)
		}
		if err == nil && (name == "auto on a column") != (table.Sequence == "s") {
			t.Errorf("%s: sequence %q", name, table.Sequence)
		}
	}
}
