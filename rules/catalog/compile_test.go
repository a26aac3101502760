package catalog_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"ballast/rules"
	"ballast/rules/catalog"
)

var bigint = rules.FieldType{Kind: rules.FieldInt, Bits: 64}

func snapshot(tables ...*catalog.Table) *catalog.Snapshot {
	s := &catalog.Snapshot{Tables: tables}
	for i := range 4 {
		s.Nodes = append(s.Nodes, catalog.Node{Name: "n" + strconv.Itoa(i), Weight: 100})
	}
	return s
}

func sharded(name, clause string) *catalog.Table {
	c, err := rules.ParseClause(clause)
	if err != nil {
		panic(err)
	}
	return &catalog.Table{
		Name: catalog.Name{Schema: "shop", Table: name}, Kind: catalog.Sharded, Strategy: &c.Strategy,
		Columns: []catalog.Column{{Name: "Id", Field: bigint}, {Name: "user_id", Field: bigint}, {Name: "note"}},
	}
}

func TestCompile(t *testing.T) {
	s := snapshot(
		sharded("orders", "BALANCE BY (USER_ID) MOD 4"),
		&catalog.Table{Name: catalog.Name{Schema: "shop", Table: "region"}, Kind: catalog.Global},
		&catalog.Table{Name: catalog.Name{Schema: "shop", Table: "settings"}, Kind: catalog.Single, SingleOn: "n2"},
	)
	if err := s.Compile(); err != nil {
		t.Fatal(err)
	}
	orders := s.Table(catalog.Name{Schema: "shop", Table: "orders"})
	if orders == nil || len(orders.Fields) != 1 || orders.Fields[0] != 1 {
		t.Fatalf("orders: %+v", orders)
	}
	if node, err := orders.Placement.Node([]rules.Value{{Kind: rules.Int, I: 6}}); node != 2 || err != nil {
		t.Errorf("node %d, %v", node, err)
	}
	if got := s.Table(catalog.Name{Schema: "shop", Table: "settings"}).SingleNode; got != 2 {
		t.Errorf("single node %d", got)
	}
	if s.Table(catalog.Name{Schema: "shop", Table: "Orders"}) != nil {
		t.Error("names are case sensitive here")
	}
	for name, want := range map[string]int{"Id": 0, "id": 0, "ID": 0, "user_id": 1, "User_ID": 1, "note": 2} {
		if i, ok := orders.Column(name); !ok || i != want {
			t.Errorf("column %s: %d %v", name, i, ok)
		}
	}
	if _, ok := orders.Column("nothing"); ok {
		t.Error("a column that is not there")
	}
	if n := testing.AllocsPerRun(100, func() { orders.Column("Id") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLowerCaseNames(t *testing.T) {
	s := snapshot(sharded("Orders", "BALANCE BY (id) MOD 4"))
	s.LowerCaseNames = 1
	if err := s.Compile(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"orders", "ORDERS", "Orders"} {
		if s.Table(catalog.Name{Schema: "Shop", Table: name}) == nil {
			t.Errorf("%s is not found", name)
		}
	}
}

// TestCompileFaults: everything that is wrong is named at once.
func TestCompileFaults(t *testing.T) {
	s := snapshot(
		sharded("a", "BALANCE BY (nothing) MOD 4"), sharded("b", "BALANCE BY (note) MOD 4"), sharded("c", "BALANCE BY (id) MOD 4"), sharded("c", "BALANCE BY (id) MOD 4"),
		&catalog.Table{Name: catalog.Name{Table: "d"}, Kind: catalog.Single, SingleOn: "gone"},
		&catalog.Table{Name: catalog.Name{Table: "e"}, Kind: "strange"},
		&catalog.Table{Name: catalog.Name{Table: "f"}, Kind: catalog.Sharded},
	)
	s.Nodes = append(s.Nodes, catalog.Node{Name: "gone", Removed: true})
	err := s.Compile()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 6 {
		t.Fatalf("%v", err)
	}
	if s.Table(catalog.Name{Schema: "shop", Table: "c"}).Placement == nil {
		t.Error("a good table is not compiled")
	}
}

// TestCompileFromKeeps: what did not change keeps its placement, and a group shares one.
func TestCompileFromKeeps(t *testing.T) {
	orders, items := sharded("orders", "BALANCE BY (user_id) HASH MOD 64"), sharded("items", "BALANCE BY (user_id) MOD 4")
	items.Strategy = orders.Strategy
	one := snapshot(orders, items)
	if err := one.Compile(); err != nil {
		t.Fatal(err)
	}
	if orders.Placement != items.Placement {
		t.Error("one strategy, two placements")
	}
	two := snapshot(sharded("orders", "BALANCE BY (user_id) HASH MOD 64"), sharded("items", "BALANCE BY (user_id) HASH MOD 32"))
	if err := two.CompileFrom(one); err != nil {
		t.Fatal(err)
	}
	if two.Tables[0].Placement != orders.Placement {
		t.Error("an equal strategy is compiled again")
	}
	if two.Tables[1].Placement == items.Placement {
		t.Error("another strategy keeps its placement")
	}
	three := snapshot(sharded("orders", "BALANCE BY (user_id) HASH MOD 64"))
	three.Nodes = append(three.Nodes, catalog.Node{Name: "n4"})
	if err := three.CompileFrom(two); err != nil {
		t.Fatal(err)
	}
	if len(three.Tables[0].Placement.Nodes()) != 5 {
		t.Error("a node that joined does not count for a strategy over all nodes")
	}
}

// manyBounds makes a snapshot whose only table has n bounds.
func manyBounds(n int) *catalog.Snapshot {
	table := sharded("big", "BALANCE BY (id) RANGE (0, 1) MOD 4")
	bounds := make([]rules.Literal, n)
	for i := range bounds {
		bounds[i] = rules.Literal{Text: fmt.Sprint(i * 10)}
	}
	table.Strategy.Steps[0].Bounds = bounds
	return snapshot(table)
}

func TestManyBoundsStartFast(t *testing.T) {
	s := manyBounds(100_000)
	begin := time.Now()
	if err := s.Compile(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("100,000 bounds compile in %s", took)
	}
}

func BenchmarkCompile100000Bounds(b *testing.B) {
	s := manyBounds(100_000)
	for b.Loop() {
		if err := s.Compile(); err != nil {
			b.Fatal(err)
		}
	}
}
