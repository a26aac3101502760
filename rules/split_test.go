package rules_test

import (
	"slices"
	"testing"

	"ballast/rules"
)

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

func TestSplitClause(t *testing.T) {
	tests := []struct{ in, stmt, clause string }{
		{"CREATE TABLE t (a INT)", "CREATE TABLE t (a INT)", ""},
		{"CREATE TABLE t (a INT) BALANCE BY (a) MOD 4", "CREATE TABLE t (a INT)", "BALANCE BY (a) MOD 4"},
		{"CREATE TABLE t (a INT) ENGINE=InnoDB balance by (a) hash mod 64 on (n0, n1);", "CREATE TABLE t (a INT) ENGINE=InnoDB;", "BALANCE BY (a) HASH MOD 64 ON (n0, n1)"},
		{"create table if not exists db.`t` (a INT) BALANCE BY (a) RANGE 10 MOD 2 ENGINE=InnoDB", "create table if not exists db.`t` (a INT) ENGINE=InnoDB", "BALANCE BY (a) RANGE 10 MOD 2"},
		{"CREATE TABLE t (a INT) GLOBAL", "CREATE TABLE t (a INT)", "GLOBAL"},
		{"CREATE TABLE t (a INT) SINGLE ON (n1)", "CREATE TABLE t (a INT)", "SINGLE ON (n1)"},
		{"CREATE TABLE t (a INT) SINGLE", "CREATE TABLE t (a INT)", "SINGLE"},
		{"CREATE TABLE t (\n  a INT\n) ENGINE=InnoDB /*!999999 BALANCE BY (a) MOD 4 */", "CREATE TABLE t (\n  a INT\n) ENGINE=InnoDB", "BALANCE BY (a) MOD 4"},
		{"CREATE TABLE t (a INT) /*!999999 GLOBAL */ COMMENT='x'", "CREATE TABLE t (a INT) COMMENT='x'", "GLOBAL"},
		{"CREATE TABLE t (a INT) /*!999999 SOMETHING ELSE */", "CREATE TABLE t (a INT) /*!999999 SOMETHING ELSE */", ""},
		{"CREATE TABLE t (global INT, single INT, `balance` INT) COMMENT 'BALANCE BY (a) MOD 4'", "CREATE TABLE t (global INT, single INT, `balance` INT) COMMENT 'BALANCE BY (a) MOD 4'", ""},
		{"CREATE TABLE t (a INT) -- BALANCE BY (a) MOD 4\n ENGINE=InnoDB", "CREATE TABLE t (a INT) -- BALANCE BY (a) MOD 4\n ENGINE=InnoDB", ""},
		{"CREATE TABLE t (a INT) /* BALANCE BY (a) MOD 4 */", "CREATE TABLE t (a INT) /* BALANCE BY (a) MOD 4 */", ""},
		{"CREATE TABLE t (a INT) BALANCE BY (a) MOD 4 AS SELECT 1 AS a", "CREATE TABLE t (a INT) AS SELECT 1 AS a", "BALANCE BY (a) MOD 4"},
		{"CREATE TABLE t SELECT @@global.x, y global FROM z", "CREATE TABLE t SELECT @@global.x, y global FROM z", ""},
		{"CREATE TABLE t LIKE single", "CREATE TABLE t LIKE single", ""},
		{"ALTER TABLE t BALANCE BY (a) MOD 6 WAIT", "ALTER TABLE t", "BALANCE BY (a) MOD 6 WAIT"},
		{"ALTER TABLE db.t GLOBAL", "ALTER TABLE db.t", "GLOBAL"},
		{"ALTER TABLE t ADD COLUMN global INT", "ALTER TABLE t ADD COLUMN global INT", ""},
		{"ALTER TABLE t RENAME TO single", "ALTER TABLE t RENAME TO single", ""},
		{"SELECT 'CREATE TABLE t (a INT) BALANCE BY (a) MOD 4'", "SELECT 'CREATE TABLE t (a INT) BALANCE BY (a) MOD 4'", ""},
		{"CREATE INDEX i ON t (a)", "CREATE INDEX i ON t (a)", ""},
		{"CREATE TABLE t (a INT COMMENT 'it''s (open') BALANCE BY (a) LIST ((1,2),(NULL),DEFAULT)", "CREATE TABLE t (a INT COMMENT 'it''s (open')", "BALANCE BY (a) LIST ((1, 2), (NULL), DEFAULT)"},
		{"", "", ""},
	}
	for _, tt := range tests {
		stmt, c, err := rules.SplitClause(tt.in)
		got := ""
		if c != nil {
			got = c.SQL()
		}
		if err != nil || stmt != tt.stmt || got != tt.clause {
			t.Errorf("%s\n%v\nstatement %q\nclause    %q", tt.in, err, stmt, got)
		}
	}
}

func TestClauseFaults(t *testing.T) {
	for _, in := range []string{
		"", "BALANCE", "BALANCE BY", "BALANCE BY ()", "BALANCE BY (a)", "BALANCE BY (a) MOD", "BALANCE BY (a) MOD -1", "BALANCE BY (a) MOD 4 MOD",
		"BALANCE BY (a) RANGE (1, 2", "BALANCE BY (a) RANGE (MAXVALUE, 1)", "BALANCE BY (a) RANGE (1, MINVALUE)", "BALANCE BY (a) LIST (1, 2)", "BALANCE BY (a) LIST ((1), DEFAULT, DEFAULT)",
		"BALANCE BY (a) MOD 4 ON n0", "BALANCE BY (a) MOD 4 ON (n0) ON (n1)", "BALANCE BY (a) MOD 4 EXCEPT ([1, 2] ON n0)", "BALANCE BY (a) MOD 4 IN g", "GLOBAL MOD 4", "SINGLE ON n1",
		"BALANCE BY (a) MOD 4 OF b", "BALANCE BY (a) LIST (('unfinished", "BALANCE BY (a) MOD 99999999999999999999", "/*!999999 GLOBAL", "BALANCE BY (a) MOD 4 1",
	} {
		if c, err := rules.ParseClause(in); err == nil {
			t.Errorf("%q is taken as %s", in, c.SQL())
		}
	}
	if _, _, err := rules.SplitClause("CREATE TABLE t (a INT) BALANCE BY (a) MOD"); err == nil {
		t.Error("an unfinished clause is taken")
	}
}

func FuzzParseClause(f *testing.F) {
	f.Add("BALANCE BY (a, b) RANGE (MINVALUE, 1, 'x', X'00') MOD 4 OF b BRANCH (0 (HASH MOD 2)) LIST ((1, NULL) (MOD 2), DEFAULT) ON (n0) IN GROUP g EXCEPT ([1, 2) ON n0) UNIQUE PER NODE (k) WAIT")
	f.Add("/*!999999 SINGLE ON (`n``1`) */")
	f.Fuzz(func(t *testing.T, sql string) {
		c, err := rules.ParseClause(sql)
		if err != nil {
			return
		}
		again, err := rules.ParseClause(c.SQL())
		if err != nil || again.SQL() != c.SQL() {
			t.Errorf("%q is written as %q, which reads as %v", sql, c.SQL(), err)
		}
	})
}

func FuzzSplitClause(f *testing.F) {
	f.Add("CREATE TABLE t (a INT) /*!999999 BALANCE BY (a) MOD 4 */ ENGINE=InnoDB")
	f.Add("ALTER TABLE `a``b`.t BALANCE BY (a) MOD 4 -- x\n")
	f.Fuzz(func(t *testing.T, sql string) {
		stmt, c, err := rules.SplitClause(sql)
		if err == nil && c == nil && stmt != sql {
			t.Errorf("%q changed to %q without a clause", sql, stmt)
		}
	})
}

func FuzzParseFile(f *testing.F) {
	f.Add([]byte("schema: s\ndefault: {by: [PRIMARY KEY], steps: [hash, {mod: 64}]}\ntables:\n  a: {by: [x], steps: [{list: [[1, null], {default: true, steps: [{mod: 2}]}]}], except: [{from: 1, on: n0}]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := rules.ParseFile(text)
		if err != nil {
			return
		}
		if _, err := rules.ParseFile(file.YAML()); err != nil {
			t.Errorf("%q is written as %q, which is refused: %v", text, file.YAML(), err)
		}
	})
}
