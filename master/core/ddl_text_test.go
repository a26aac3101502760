package core

import "testing"

func TestRenameTarget(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TABLE a (x INT)":                                                             "CREATE TABLE T (x INT)",
		"create table if not exists `my``db`.`a b` (x int)":                                  "create table if not exists T (x int)",
		"CREATE /* TABLE z */ TABLE shop . a(x INT) COMMENT 'TABLE'":                         "CREATE /* TABLE z */ TABLE T(x INT) COMMENT 'TABLE'",
		"ALTER TABLE a ADD CONSTRAINT fk FOREIGN KEY (x) REFERENCES b (y) ON DELETE CASCADE": "ALTER TABLE T ADD CONSTRAINT fk FOREIGN KEY (x) REFERENCES b (y) ON DELETE CASCADE",
		"ALTER TABLE IF EXISTS a DROP COLUMN x":                                              "ALTER TABLE IF EXISTS T DROP COLUMN x",
		"CREATE UNIQUE INDEX `on` ON shop.a (x)":                                             "CREATE UNIQUE INDEX `on` ON T (x)",
		"DROP INDEX i ON a":                                                                  "DROP INDEX i ON T",
		"# TABLE q\nCREATE TABLE a LIKE b":                                                   "# TABLE q\nCREATE TABLE T LIKE b",
		"CREATE TABLE a (x INT DEFAULT ')(' ) -- TABLE\n ENGINE=Inn":                         "CREATE TABLE T (x INT DEFAULT ')(' ) -- TABLE\n ENGINE=Inn",
		"CREATE TABLE 表 (x INT)":                                                             "CREATE TABLE T (x INT)",
		"CREATE /*!32302 TABLE */ a (x INT)":                                                 "CREATE /*!32302 TABLE */ T (x INT)",
	} {
		if got, ok := RenameTarget(sql, "T", false); !ok || got != want {
			t.Errorf("%s:\n got %s\nwant %s", sql, got, want)
		}
	}
	if got, ok := RenameTarget(`CREATE TABLE "a b" (x INT)`, "T", true); !ok || got != "CREATE TABLE T (x INT)" {
		t.Errorf("ANSI quotes: %s", got)
	}
	for _, sql := range []string{"", "CREATE TABLE", "DROP TABLE a", "CREATE TABLE 'a' (x INT)", "ALTER", "/*"} {
		if got, ok := RenameTarget(sql, "T", false); ok {
			t.Errorf("%q became %q", sql, got)
		}
	}
}

func TestWhatADefinitionSays(t *testing.T) {
	for sql, want := range map[string]bool{
		"CREATE TABLE a AS SELECT 1": true, "CREATE TABLE a SELECT 1": true, "CREATE TABLE a (x INT) (SELECT 1)": true, "CREATE TABLE a AS TABLE b": true,
		"CREATE TABLE a (x INT, y INT AS (x + 1), z VARCHAR(9) DEFAULT 'SELECT', `select` INT)": false, "CREATE TABLE a (x INT) -- SELECT": false,
	} {
		if got := SelectsRows(sql, false); got != want {
			t.Errorf("%s takes rows from a query: %v", sql, got)
		}
	}
	for sql, want := range map[string]bool{
		"ALTER TABLE a": true, "ALTER TABLE a ;": true, "ALTER TABLE `x y`.`b` ": true, "ALTER TABLE a /* nothing */": true, "ALTER TABLE a ADD x INT": false,
	} {
		if got := BareAlter(sql, false); got != want {
			t.Errorf("%s says nothing: %v", sql, got)
		}
	}
	for sql, want := range map[string]bool{
		"ALTER TABLE a RENAME TO b": true, "ALTER TABLE a RENAME b": true, "ALTER TABLE a RENAME TO b, ADD x INT": false, "ALTER TABLE a ADD x INT, RENAME b": false,
	} {
		if got := OnlyRenames(sql, false); got != want {
			t.Errorf("%s only renames: %v", sql, got)
		}
	}
	if n, ok := AutoIncrementOption("ALTER TABLE a AUTO_INCREMENT = 77", false); !ok || n != 77 {
		t.Errorf("AUTO_INCREMENT option: %d, %v", n, ok)
	}
	if _, ok := AutoIncrementOption("ALTER TABLE a MODIFY id INT AUTO_INCREMENT", false); ok {
		t.Error("a column's AUTO_INCREMENT was taken for the option")
	}
	if NodeBound("ALTER TABLE a DISCARD TABLESPACE", false) == "" || NodeBound("ALTER TABLE a ADD tablespace2 INT", false) != "" {
		t.Error("TABLESPACE")
	}
}

func TestNormalizeDefinition(t *testing.T) {
	got := NormalizeDefinition("CREATE TABLE `a``b` (\n  `id` int NOT NULL AUTO_INCREMENT,\n  `c` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,\n"+
		"  CONSTRAINT `f` FOREIGN KEY (`c`) REFERENCES `shop`.`x` (`id`)\n) ENGINE=InnoDB AUTO_INCREMENT=17 DEFAULT CHARSET=utf8mb4", "shop")
	want := "CREATE TABLE (\n  `id` int NOT NULL AUTO_INCREMENT,\n  `c` text COLLATE utf8mb4_bin,\n" +
		"  CONSTRAINT `f` FOREIGN KEY (`c`) REFERENCES `x` (`id`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// FuzzScan: no text makes the scanner panic or leave the text.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"CREATE TABLE a (x INT)", "'", "`", "/*!", "--", "a\\", "/*", "*/", "'\\"} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, sql string, ansi bool) {
		last := 0
		for _, tok := range scan(sql, ansi) {
			if tok.from < last || tok.to <= tok.from || tok.to > len(sql) {
				t.Fatalf("token %+v behind %d in %q", tok, last, sql)
			}
			last = tok.to
		}
		RenameTarget(sql, "T", ansi)
	})
}
