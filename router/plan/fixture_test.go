package plan

import (
	"strings"
	"testing"

	"ballast/rules"
	"ballast/rules/catalog"
)

// fixtureColumn makes a column of "name type [null|auto|default=x]".
func fixtureColumn(t testing.TB, def string) catalog.Column {
	t.Helper()
	words := strings.Fields(def)
	c := catalog.Column{Name: words[0], Type: strings.ReplaceAll(words[1], "_", " ")}
	typ, arg, _ := strings.Cut(strings.TrimSuffix(words[1], ")"), "(")
	c.DataType = strings.TrimSuffix(typ, "_unsigned")
	f := &c.Field
	length := 0
	for _, d := range strings.Split(arg, ",")[0] {
		length = length*10 + int(d-'0')
	}
	switch typ {
	case "tinyint":
		*f = rules.FieldType{Kind: rules.FieldInt, Bits: 8}
	case "int":
		*f = rules.FieldType{Kind: rules.FieldInt, Bits: 32}
	case "bigint":
		*f = rules.FieldType{Kind: rules.FieldInt, Bits: 64}
	case "bigint_unsigned":
		*f = rules.FieldType{Kind: rules.FieldUint, Bits: 64}
	case "decimal":
		*f = rules.FieldType{Kind: rules.FieldDecimal, Length: 10, Scale: 2}
	case "varchar", "char":
		c.Charset, c.Collation = "utf8mb4", "utf8mb4_general_ci"
		*f = rules.FieldType{Kind: rules.FieldString, Length: length, Collation: c.Collation, Fixed: typ == "char"}
	case "varbinary", "binary":
		*f = rules.FieldType{Kind: rules.FieldBinary, Length: length, Fixed: typ == "binary"}
	case "date":
		*f = rules.FieldType{Kind: rules.FieldDate}
	case "datetime":
		*f = rules.FieldType{Kind: rules.FieldDateTime}
	case "timestamp":
		*f = rules.FieldType{Kind: rules.FieldTimestamp}
	case "double", "json":
	default:
		t.Fatalf("column type %s", typ)
	}
	for _, w := range words[2:] {
		switch {
		case w == "null":
			c.Nullable, c.HasDefault, f.Nullable = true, true, true
		case w == "auto":
			c.AutoIncrement, c.HasDefault = true, true
		case strings.HasPrefix(w, "default="):
			text := strings.TrimPrefix(w, "default=")
			c.HasDefault, c.Default = true, &text
			c.DefaultExpr = text == "CURRENT_TIMESTAMP"
		case w == "generated":
			c.Generated, c.HasDefault = true, true
		}
	}
	return c
}

// fixtureTable makes a table of "name: col type, col type …"; the first column is the primary key.
func fixtureTable(t testing.TB, def, clause string) *catalog.Table {
	t.Helper()
	name, cols, _ := strings.Cut(def, ":")
	tab := &catalog.Table{Name: catalog.Name{Schema: "app", Table: name}, Kind: catalog.Sharded, Shape: 1}
	for _, c := range strings.Split(cols, ", ") {
		tab.Columns = append(tab.Columns, fixtureColumn(t, strings.TrimSpace(c)))
		if tab.Columns[len(tab.Columns)-1].AutoIncrement {
			tab.Sequence = "app." + name
		}
	}
	tab.Keys = []catalog.Key{{Name: "PRIMARY", Unique: true, Primary: true, Columns: []string{tab.Columns[0].Name}}}
	switch clause {
	case "GLOBAL":
		tab.Kind = catalog.Global
		return tab
	case "SINGLE":
		tab.Kind, tab.SingleOn, tab.Sequence = catalog.Single, "n2", ""
		return tab
	}
	c, err := rules.ParseClause(clause)
	if err != nil {
		t.Fatalf("%s: %v", clause, err)
	}
	tab.Strategy, tab.Group = &c.Strategy, c.Group
	return tab
}

// fixture is the catalog that the tests plan against: the tables of the public cases and some more, on nodes n0 to n3.
func fixture(t testing.TB) *catalog.Snapshot {
	t.Helper()
	s := &catalog.Snapshot{Schemas: map[string]*catalog.Schema{"app": {Name: "app"}, "other": {Name: "other"}}, Version: catalog.Version{Epoch: 1, N: 1}}
	for _, n := range []string{"n0", "n1", "n2", "n3"} {
		s.Nodes = append(s.Nodes, catalog.Node{Name: n, Flavor: catalog.MySQL, ServerVersion: "9.7.4", Weight: 100})
	}
	for _, d := range [][2]string{
		{"t:id bigint, g int null, v int null, d decimal(10,2) null, s varchar(40) null, ts timestamp null", "BALANCE BY (id) MOD 4 IN GROUP by_id"},
		{"j:id bigint, t_id bigint null, s varchar(40) null", "BALANCE BY (id) MOD 4 IN GROUP by_id"},
		{"kr:id bigint, v int null", "BALANCE BY (id) RANGE (MINVALUE, 100, 200, MAXVALUE) ON (n0, n1, n2)"},
		{"ks:k varchar(32), v int null", "BALANCE BY (k) HASH MOD 4"},
		{"kb:k varbinary(16), v int null", "BALANCE BY (k) HASH MOD 4"},
		{"ku:id bigint_unsigned, v int null", "BALANCE BY (id) HASH MOD 4"},
		{"kn:k int null, v int null", "BALANCE BY (k) LIST ((1, 2), (3, NULL), DEFAULT) ON (n0, n1, n2)"},
		{"kl:k int null, v int null", "BALANCE BY (k) MOD 4"},
		{"ai:id bigint auto, v int null", "BALANCE BY (id) MOD 4"},
		{"nf:id bigint, f int null, f1 int null", "BALANCE BY (id) MOD 4"},
		{"m:a varchar(20), b bigint, v int null", "BALANCE BY (a, b) LIST (('x', 'y') (MOD 2), ('z') (MOD 2))"},
		{"kd:d date, v int null", "BALANCE BY (d) RANGE (MINVALUE, '2024-01-01', '2025-01-01', MAXVALUE) ON (n0, n1, n2)"},
		{"df:id bigint default=6, v int null", "BALANCE BY (id) MOD 4"},
		{"bin:k binary(4), v int null", "BALANCE BY (k) HASH MOD 4"},
		{"dc:k decimal(10,2), v int null", "BALANCE BY (k) RANGE 100 MOD 4"},
		{"r:id int, g int null, s varchar(40) null", "GLOBAL"},
		{"ra:id int auto, g int null, at timestamp default=CURRENT_TIMESTAMP", "GLOBAL"},
		{"sg:id int auto, g int null", "SINGLE"},
	} {
		s.Tables = append(s.Tables, fixtureTable(t, d[0], d[1]))
	}
	if err := s.Compile(); err != nil {
		t.Fatal(err)
	}
	return s
}
