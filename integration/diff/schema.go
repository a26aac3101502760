package diff

import (
	"slices"
	"strings"
)

// Table is one table of the suites: its definition as the plain server takes it, and the clause that Ballast takes behind it.
type Table struct {
	Name, Create, Clause string
	// Key is the primary key's columns, for generated tables.
	Key []string
}

func (t *Table) isKey(column string) bool { return slices.Contains(t.Key, column) }

// caseTables are the tables that the hand-written cases use, in schema app.
var caseTables = []Table{
	{"t", "CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, g INT, v INT, d DECIMAL(10,2), s VARCHAR(40), ts TIMESTAMP(6) NULL)", "BALANCE BY (id) MOD 4", nil},
	{"j", "CREATE TABLE j (id BIGINT NOT NULL PRIMARY KEY, t_id BIGINT, s VARCHAR(40))", "BALANCE BY (id) MOD 4", nil},
	{"kr", "CREATE TABLE kr (id BIGINT NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (id) RANGE (MINVALUE, 100, 200, MAXVALUE) ON (n0, n1, n2)", nil},
	{"ks", "CREATE TABLE ks (k VARCHAR(32) NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (k) HASH MOD 64", nil},
	{"kb", "CREATE TABLE kb (k VARBINARY(16) NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (k) HASH MOD 64", nil},
	{"ku", "CREATE TABLE ku (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (id) HASH MOD 64", nil},
	{"kn", "CREATE TABLE kn (k INT NULL, v INT, KEY(k))", "BALANCE BY (k) LIST ((NULL, 1), (2, 3), (4), DEFAULT)", nil},
	{"kd", "CREATE TABLE kd (k DATE NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (k) RANGE (MINVALUE, '2023-07-01', '2024-01-02', MAXVALUE) ON (n0, n1, n2)", nil},
	{"kc", "CREATE TABLE kc (k DECIMAL(10,2) NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (k) RANGE (MINVALUE, 0, 1.50, 5, MAXVALUE)", nil},
	{"kt", "CREATE TABLE kt (k TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP PRIMARY KEY, v INT)", "BALANCE BY (k) HASH MOD 64", nil},
	{"ai", "CREATE TABLE ai (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, v INT)", "BALANCE BY (id) MOD 4", nil},
	{"nf", "CREATE TABLE nf (id BIGINT NOT NULL PRIMARY KEY, f INT, f1 INT, f2 INT, f_1 INT)", "BALANCE BY (id) MOD 4", nil},
	{"o", "CREATE TABLE o (u BIGINT NOT NULL, n INT NOT NULL, amount INT, PRIMARY KEY (u, n))", "BALANCE BY (u) HASH MOD 64 IN GROUP by_u", nil},
	{"oi", "CREATE TABLE oi (u BIGINT NOT NULL, n INT NOT NULL, k INT NOT NULL, s VARCHAR(10), PRIMARY KEY (u, n, k))", "BALANCE BY (u) HASH MOD 64 IN GROUP by_u", nil},
	{"r", "CREATE TABLE r (id INT NOT NULL PRIMARY KEY, g INT, s VARCHAR(40))", "GLOBAL", nil},
	{"x", "CREATE TABLE x (id BIGINT NOT NULL PRIMARY KEY, a INT NOT NULL DEFAULT 2, s VARCHAR(30), bi BIT(10), y DATE)", "BALANCE BY (id) MOD 4", nil},
	{"sg", "CREATE TABLE sg (id INT NOT NULL PRIMARY KEY, s VARCHAR(40))", "SINGLE ON (n1)", nil},
}

// generatedColumns is the same in all tables of the generator, so that any statement fits any of them.
var generatedColumns = []struct{ name, definition string }{
	{"id", "BIGINT"},
	{"a", "INT"},
	{"b", "BIGINT UNSIGNED"},
	{"c", "DECIMAL(12,3)"},
	{"e", "DOUBLE"},
	{"s", "VARCHAR(30)"},
	{"dt", "DATETIME(3)"},
	{"y", "DATE"},
	{"f", "TINYINT"},
	{"g", "FLOAT"},
	{"k", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"},
	{"vb", "VARBINARY(20)"},
	{"ts", "TIMESTAMP(2)"},
	{"ti", "TIME"},
	{"yr", "YEAR"},
	{"bi", "BIT(10)"},
	{"en", "ENUM('x','y','Z')"},
	{"se", "SET('p','q','r')"},
	{"tx", "TEXT"},
	{"bl", "BLOB"},
	{"js", "JSON"},
}

// generatedTables are the tables that generated statements use.
var generatedTables = []Table{
	generatedTable("gm", "BALANCE BY (id) MOD 4", "id"),
	generatedTable("gr", "BALANCE BY (id) RANGE (MINVALUE, -10, 5, 25, MAXVALUE)", "id"),
	generatedTable("gh", "BALANCE BY (id) HASH MOD 64 IN GROUP gen", "id"),
	generatedTable("gi", "BALANCE BY (id) HASH MOD 64 IN GROUP gen", "id"),
	generatedTable("gj", "BALANCE BY (id) HASH MOD 64 IN GROUP gen", "id"),
	generatedTable("gp", "BALANCE BY (id) RANGE 10 MOD 32 RANGE 8", "id"),
	generatedTable("gx", "BALANCE BY (id) MOD 4 EXCEPT ([3, 9) ON n3, [-5, 0) ON n0)", "id"),
	generatedTable("gg", "GLOBAL", "id"),
	generatedTable("gs", "SINGLE ON (n2)", "id"),
	generatedTable("ka", "BALANCE BY (a) LIST ((-3, 1), (2, 3), (4), DEFAULT)", "a", "id"),
	generatedTable("kb", "BALANCE BY (b) HASH MOD 64", "b", "id"),
	generatedTable("kc", "BALANCE BY (c) RANGE (MINVALUE, 0, 1.50, 5, MAXVALUE)", "c", "id"),
	generatedTable("kd", "BALANCE BY (dt) RANGE (MINVALUE, '2000-01-01', '2024-01-02 03:04:05.5', '2030-01-01', MAXVALUE)", "dt", "id"),
	generatedTable("kf", "BALANCE BY (f, id) HASH MOD 64", "f", "id"),
	generatedTable("kk", "BALANCE BY (k) HASH MOD 64", "k", "id"),
	generatedTable("kl", "BALANCE BY (s) LIST (('a', 'b'), ('e', 's'), (''), DEFAULT)", "id", "s"),
	generatedTable("ks", "BALANCE BY (s) HASH MOD 64", "s", "id"),
	generatedTable("kt", "BALANCE BY (ts) HASH MOD 64", "ts", "id"),
	generatedTable("kv", "BALANCE BY (vb) HASH MOD 64", "vb", "id"),
	generatedTable("ky", "BALANCE BY (y) RANGE 7 MOD 4", "y", "id"),
	generatedTable("kz", "BALANCE BY (a, id) LIST ((NULL, 1), DEFAULT) MOD 2 OF id", ""),
}

// generatedTable makes a table with the common columns; what is in the key takes no NULL. Without a key the table has an index only.
func generatedTable(name, clause string, key ...string) Table {
	t := Table{Name: name, Clause: clause, Key: key}
	var defs []string
	for _, c := range generatedColumns {
		def := c.name + " " + c.definition
		switch {
		case c.name == "f":
			def += " NOT NULL DEFAULT 7"
		case t.isKey(c.name) || c.name == "id":
			def += " NOT NULL"
		case c.name == "a":
			def += " DEFAULT 2"
		default:
			def += " NULL"
		}
		defs = append(defs, def)
	}
	if key[0] == "" {
		t.Key = nil
		defs = append(defs, "KEY (id)")
	} else {
		defs = append(defs, "PRIMARY KEY ("+strings.Join(key, ", ")+")")
	}
	t.Create = "CREATE TABLE " + name + " (" + strings.Join(defs, ", ") + ")"
	return t
}
