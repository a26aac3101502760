package diff

// Table is one table of the suites: its definition as the plain server takes it, and the clause that Ballast takes behind it.
type Table struct {
	Name, Create, Clause string
}

// caseTables are the tables that the hand-written cases use, in schema app.
var caseTables = []Table{
	{"t", "CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, g INT, v INT, d DECIMAL(10,2), s VARCHAR(40), ts TIMESTAMP(6) NULL)", "BALANCE BY (id) MOD 4"},
	{"j", "CREATE TABLE j (id BIGINT NOT NULL PRIMARY KEY, t_id BIGINT, s VARCHAR(40))", "BALANCE BY (id) MOD 4"},
	{"kr", "CREATE TABLE kr (id BIGINT NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (id) RANGE (MINVALUE, 100, 200, MAXVALUE) ON (n0, n1, n2)"},
	{"ks", "CREATE TABLE ks (k VARCHAR(32) NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (k) HASH MOD 64"},
	{"kb", "CREATE TABLE kb (k VARBINARY(16) NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (k) HASH MOD 64"},
	{"ku", "CREATE TABLE ku (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (id) HASH MOD 64"},
	{"kn", "CREATE TABLE kn (k INT NULL, v INT, KEY(k))", "BALANCE BY (k) LIST ((NULL, 1), (2, 3), (4), DEFAULT)"},
	{"kd", "CREATE TABLE kd (k DATE NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (k) RANGE (MINVALUE, '2023-07-01', '2024-01-02', MAXVALUE) ON (n0, n1, n2)"},
	{"kc", "CREATE TABLE kc (k DECIMAL(10,2) NOT NULL PRIMARY KEY, v INT)", "BALANCE BY (k) RANGE (MINVALUE, 0, 1.50, 5, MAXVALUE)"},
	{"ai", "CREATE TABLE ai (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, v INT)", "BALANCE BY (id) MOD 4"},
	{"nf", "CREATE TABLE nf (id BIGINT NOT NULL PRIMARY KEY, f INT, f1 INT, f2 INT, f_1 INT)", "BALANCE BY (id) MOD 4"},
	{"o", "CREATE TABLE o (u BIGINT NOT NULL, n INT NOT NULL, amount INT, PRIMARY KEY (u, n))", "BALANCE BY (u) HASH MOD 64 IN GROUP by_u"},
	{"oi", "CREATE TABLE oi (u BIGINT NOT NULL, n INT NOT NULL, k INT NOT NULL, s VARCHAR(10), PRIMARY KEY (u, n, k))", "BALANCE BY (u) HASH MOD 64 IN GROUP by_u"},
	{"r", "CREATE TABLE r (id INT NOT NULL PRIMARY KEY, g INT, s VARCHAR(40))", "GLOBAL"},
	{"sg", "CREATE TABLE sg (id INT NOT NULL PRIMARY KEY, s VARCHAR(40))", "SINGLE ON (n1)"},
}

// generatedColumns is the same in all tables of the generator, so that any statement fits any of them.
const generatedColumns = "id BIGINT NOT NULL, a INT, b BIGINT UNSIGNED, c DECIMAL(12,3), e DOUBLE, s VARCHAR(30), dt DATETIME(3), y DATE, f TINYINT NOT NULL DEFAULT 7"

// generatedTables are the tables that generated statements use.
var generatedTables = []Table{
	{"gm", "CREATE TABLE gm (" + generatedColumns + ", PRIMARY KEY (id))", "BALANCE BY (id) MOD 4"},
	{"gr", "CREATE TABLE gr (" + generatedColumns + ", PRIMARY KEY (id))", "BALANCE BY (id) RANGE (MINVALUE, -10, 5, 25, MAXVALUE)"},
	{"gh", "CREATE TABLE gh (" + generatedColumns + ", PRIMARY KEY (id))", "BALANCE BY (id) HASH MOD 64 IN GROUP gen"},
	{"gi", "CREATE TABLE gi (" + generatedColumns + ", PRIMARY KEY (id))", "BALANCE BY (id) HASH MOD 64 IN GROUP gen"},
	{"gp", "CREATE TABLE gp (" + generatedColumns + ", PRIMARY KEY (id))", "BALANCE BY (id) RANGE 10 MOD 32 RANGE 8"},
	{"gg", "CREATE TABLE gg (" + generatedColumns + ", PRIMARY KEY (id))", "GLOBAL"},
	{"gs", "CREATE TABLE gs (" + generatedColumns + ", PRIMARY KEY (id))", "SINGLE ON (n2)"},
}
