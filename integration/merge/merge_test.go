package merge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ballast/sqlfront/wire"
)

// theTables are the tables of the public cases with a column of every kind that sorting and grouping treats in a way of its own.
func theTables() []table {
	r := rand.New(rand.NewPCG(1, 2))
	first := func(row string) (id int64) {
		if _, err := fmt.Sscanf(row, "(%d", &id); err != nil {
			panic(err)
		}
		return id
	}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	text := func() string {
		return pick("NULL", "''", "'a'", "'A'", "'a '", "'ab'", `'a\tb'`, "'b'", "'B '", "'é'", "'E'", "'zz'", "'ß'", "'s'", "' '")
	}
	t := table{name: "t", clause: "BALANCE BY (id) MOD 4 IN GROUP by_id", key: first, columns: `id BIGINT NOT NULL PRIMARY KEY, g INT, v INT, d DECIMAL(10,2), s VARCHAR(40),
		n VARCHAR(20) COLLATE utf8mb4_unicode_ci, b VARBINARY(10), e ENUM('z','a','m'), f FLOAT, x DOUBLE, dt DATETIME(3), da DATE, ti TIME, y YEAR,
		u BIGINT UNSIGNED, w SET('p','q'), bt BIT(9), tx TEXT COLLATE utf8mb4_bin, ts TIMESTAMP(2) NULL`}
	for id := range 60 {
		null := func(s string) string {
			if r.IntN(6) == 0 {
				return "NULL"
			}
			return s
		}
		t.rows = append(t.rows, fmt.Sprintf("(%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s)", id-20,
			null(fmt.Sprint(r.IntN(5))), null(fmt.Sprint(r.IntN(40)-20)), null(fmt.Sprintf("%d.%02d", r.IntN(30)-15, r.IntN(100))), text(), text(),
			pick("NULL", "''", "'a'", "'A'", "'a '", "x'00'", "x'ff'"), pick("NULL", "'z'", "'a'", "'m'"), pick("NULL", "1.0000001", "1.0000002", "0.5", "-3", "1e10"),
			pick("NULL", "0.1", "2.5", "-1e3", "1e-7", "3"), pick("NULL", "'2020-01-01 10:00:00.500'", "'2020-01-01 10:00:00.250'", "'1999-12-31'"),
			pick("NULL", "'2020-02-29'", "'2019-01-01'"), pick("NULL", "'-12:00:00'", "'100:00:00'", "'08:30:00'"), pick("NULL", "1999", "2024"),
			pick("NULL", "18446744073709551615", "0", "9223372036854775808", "7"), pick("NULL", "''", "'p'", "'q'", "'p,q'"), pick("NULL", "0", "5", "300"), text(),
			pick("NULL", "'2024-10-27 00:10:00.5'", "'2024-10-27 00:40:00'", "'2024-10-27 01:10:00.5'", "'2024-10-27 01:40:00'")))
	}
	j := table{name: "j", clause: "BALANCE BY (id) MOD 4 IN GROUP by_id", key: first, columns: "id BIGINT NOT NULL PRIMARY KEY, t_id BIGINT, s VARCHAR(40)"}
	for id := range 30 {
		j.rows = append(j.rows, fmt.Sprintf("(%d,%d,%s)", id-10, r.IntN(60)-20, text()))
	}
	kr := table{name: "kr", clause: "BALANCE BY (id) RANGE (MINVALUE, 100, 200, MAXVALUE) ON (n0, n1, n2)", key: first, columns: "id BIGINT NOT NULL PRIMARY KEY, v INT"}
	for id := range 30 {
		kr.rows = append(kr.rows, fmt.Sprintf("(%d,%d)", id*11-20, r.IntN(9)))
	}
	glob := table{name: "r", clause: "GLOBAL", columns: "id INT NOT NULL PRIMARY KEY, g INT, s VARCHAR(40)"}
	for id := range 6 {
		glob.rows = append(glob.rows, fmt.Sprintf("(%d,%d,%s)", id, r.IntN(3), text()))
	}
	return []table{t, j, kr, glob, {name: "none", clause: "BALANCE BY (id) MOD 4", columns: "id BIGINT NOT NULL PRIMARY KEY, g INT, v INT, s VARCHAR(9)"}}
}

// statements are run as they are; those with a word before "::" are compared in another way: "any" order, "refused" must be refused.
const statements = `
SELECT id, g FROM t ORDER BY id
SELECT id FROM t ORDER BY id DESC LIMIT 5
SELECT id FROM t ORDER BY id LIMIT 3, 4
SELECT id FROM t ORDER BY id LIMIT 4 OFFSET 58
SELECT id FROM t ORDER BY id LIMIT 0
SELECT id FROM t ORDER BY id DESC LIMIT 55, 18446744073709551615
SELECT * FROM t ORDER BY id
SELECT t.*, id+1 FROM t ORDER BY -id LIMIT 7
SELECT id, s FROM t ORDER BY s, id
SELECT id, s FROM t ORDER BY s DESC, id DESC LIMIT 20
SELECT id FROM t ORDER BY s, id
SELECT id, n FROM t ORDER BY n, id
SELECT id, tx FROM t ORDER BY tx, id
SELECT id, UPPER(s) FROM t ORDER BY UPPER(s), id
SELECT id, UPPER(s) AS x FROM t ORDER BY x, id
SELECT id, CONCAT(s, n) x FROM t ORDER BY CONCAT(s, tx), id
SELECT id, b FROM t ORDER BY b, id
SELECT id, e FROM t ORDER BY e, id
SELECT id FROM t ORDER BY e DESC, id
SELECT id, w FROM t ORDER BY w, id
SELECT id, f FROM t ORDER BY f, id
SELECT id, x FROM t ORDER BY x DESC, id
SELECT id, d FROM t ORDER BY d, id
SELECT id, u FROM t ORDER BY u DESC, id
SELECT id, dt, da, ti, y FROM t ORDER BY dt, da, ti, y, id
SELECT id, ti FROM t ORDER BY ti DESC, id
SELECT id, bt+0 FROM t ORDER BY bt, id
SELECT id, IF(g > 2, s, 'q') AS k FROM t ORDER BY k, id
SELECT id, -g AS g FROM t ORDER BY g, id
SELECT id, -g AS g FROM t ORDER BY t.g, id
SELECT id, g AS v FROM t ORDER BY v+0, id
SELECT id AS a, v FROM t ORDER BY 2, 1
SELECT id, v FROM t WHERE id IN (1,2,5) ORDER BY v, id
SELECT id FROM t WHERE id IN (1,5) ORDER BY id
any :: SELECT id, s FROM t WHERE v > 3
any :: SELECT 'x', id, v*2, NULL FROM t
SELECT COUNT(*) FROM t
SELECT COUNT(*), COUNT(g), SUM(v), AVG(v), MIN(v), MAX(v) FROM t
SELECT SUM(d), AVG(d), MIN(d), MAX(d) FROM t
SELECT BIT_AND(g), BIT_OR(v), BIT_XOR(id) FROM t WHERE g > 0
SELECT BIT_AND(g), BIT_OR(v), BIT_XOR(id) FROM none
SELECT e, BIT_OR(u), BIT_AND(id) FROM t GROUP BY e ORDER BY e
SELECT MIN(x), MAX(x), MIN(f), MAX(f) FROM t
SELECT MIN(dt), MAX(dt), MIN(da), MAX(ti), MIN(ti), MAX(y), MAX(u), MIN(u) FROM t
SELECT MIN(e), MAX(e), MIN(w), MAX(b), MIN(b) FROM t
SELECT 1 AS one, COUNT(*), 'x' FROM t
SELECT COUNT(*), SUM(v), AVG(v), MIN(s), COUNT(DISTINCT g) FROM none
SELECT 5, COUNT(DISTINCT g), SUM(DISTINCT v) FROM none
SELECT g, COUNT(*) FROM none GROUP BY g
SELECT COUNT(*) FROM t WHERE v > 1000 GROUP BY g
SELECT COUNT(*) FROM t WHERE v > 1000
SELECT COUNT(*) FROM t WHERE id IS NULL
SELECT COUNT(DISTINCT g), SUM(DISTINCT v), AVG(DISTINCT v), COUNT(DISTINCT g,v) FROM t
SELECT COUNT(DISTINCT s), COUNT(DISTINCT b), COUNT(DISTINCT n), COUNT(DISTINCT e), COUNT(DISTINCT f), COUNT(DISTINCT tx) FROM t
SELECT COUNT(DISTINCT UPPER(s)), COUNT(DISTINCT s, g), SUM(DISTINCT d), AVG(DISTINCT d) FROM t
SELECT g, COUNT(DISTINCT v) FROM t GROUP BY g ORDER BY g
SELECT g, COUNT(DISTINCT s) c, SUM(v) FROM t GROUP BY g ORDER BY c, g
SELECT g, COUNT(*) c FROM t GROUP BY g ORDER BY c DESC, g LIMIT 1
SELECT AVG(v) FROM t GROUP BY g ORDER BY g
SELECT g, AVG(d), SUM(d) FROM t GROUP BY g ORDER BY g DESC
SELECT g, COUNT(*) c FROM t GROUP BY g HAVING COUNT(*) > 10 ORDER BY g
SELECT g FROM t GROUP BY g HAVING SUM(v) < 3 ORDER BY g
SELECT g, COUNT(*) c FROM t GROUP BY g HAVING c > 10 AND g > 1 ORDER BY g
SELECT g, COUNT(*) c FROM t GROUP BY g HAVING c > 10 OR g = 1 ORDER BY g
SELECT g, COUNT(*) c FROM t GROUP BY g HAVING c BETWEEN 8 AND 10 OR g IS NULL ORDER BY g
SELECT g, COUNT(*) c FROM t GROUP BY g HAVING c IN (9, 10, '11') ORDER BY g
SELECT g, COUNT(*) c FROM t GROUP BY g HAVING AVG(v) > 1.5 OR MAX(v) / MIN(v) < -1 ORDER BY g
SELECT g FROM t GROUP BY g HAVING NOT (SUM(v) IS NULL) AND MAX(d) - MIN(d) > 10 ORDER BY g
SELECT COUNT(*) FROM t HAVING COUNT(*) > 100
SELECT COUNT(*) FROM t HAVING MAX(s) > 'a'
SELECT g, COUNT(*) FROM t GROUP BY g HAVING MAX(s) = 'ZZ' OR MIN(s) < 'a' ORDER BY g
SELECT g, MAX(n) m FROM t GROUP BY g HAVING m BETWEEN 'b' AND 'zz ' ORDER BY g
SELECT g, COUNT(*) FROM t GROUP BY g HAVING MAX(tx) IN ('zz', 's') ORDER BY g
SELECT g, COUNT(*) FROM t GROUP BY g HAVING MAX(dt) > '2020-01-01 10:00:00.3' ORDER BY g
SELECT g, MIN(da) m FROM t GROUP BY g HAVING m <= '2019-01-01' AND MAX(da) = '2020-02-29' ORDER BY g
SELECT v, COUNT(*) FROM t GROUP BY v HAVING MAX(ts) < NOW() AND MAX(ts) > DATE '2024-01-01' ORDER BY v
SELECT COUNT(*) c FROM t HAVING 1 = 0
SELECT COUNT(*) c FROM t HAVING c = 60
any :: SELECT MIN(id), COUNT(*) FROM t GROUP BY s HAVING s LIKE 'a%' OR COUNT(*) > 100
SELECT g, v, COUNT(*) FROM t GROUP BY g, v ORDER BY v DESC, g
SELECT g, v, COUNT(*) FROM t GROUP BY g, v ORDER BY v, g LIMIT 5, 5
SELECT v % 3 AS m, COUNT(*) FROM t GROUP BY m ORDER BY m
SELECT v % 3, COUNT(*) FROM t GROUP BY v % 3 ORDER BY 1
SELECT COUNT(*) FROM t GROUP BY v % 3 ORDER BY COUNT(*), MIN(id)
SELECT g+1, COUNT(*) FROM t GROUP BY 1 ORDER BY 1
SELECT g AS k, SUM(v) AS g FROM t GROUP BY k ORDER BY g, k
SELECT COUNT(*) FROM t GROUP BY UPPER(s) ORDER BY COUNT(*), MIN(id)
SELECT COUNT(*), MIN(id) FROM t GROUP BY s ORDER BY s
SELECT COUNT(*), MIN(id) FROM t GROUP BY n ORDER BY n
SELECT COUNT(*), MIN(id) FROM t GROUP BY tx ORDER BY tx
SELECT COUNT(*), MIN(id) FROM t GROUP BY s ORDER BY s DESC LIMIT 3
SELECT e, COUNT(*) FROM t GROUP BY e ORDER BY e
SELECT w, COUNT(*) FROM t GROUP BY w ORDER BY w DESC
SELECT f, COUNT(*) FROM t GROUP BY f ORDER BY f
SELECT b, COUNT(*) FROM t GROUP BY b ORDER BY b
SELECT dt, ti, COUNT(*) FROM t GROUP BY dt, ti ORDER BY dt, ti
SELECT bt+0, COUNT(*) FROM t GROUP BY bt ORDER BY bt
SELECT g, MIN(s) m FROM t WHERE s > '' GROUP BY g ORDER BY g
SELECT g, MAX(n) FROM t GROUP BY g ORDER BY MAX(n), g
SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY SUM(v) DESC, AVG(d), g
SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY g % 2, g
SELECT id, COUNT(*), GROUP_CONCAT(v), SUM(v)/COUNT(*) FROM t GROUP BY id ORDER BY id LIMIT 5
SELECT id, g, MAX(s) FROM t GROUP BY id, g ORDER BY MAX(s), id LIMIT 10
SELECT DISTINCT g FROM t ORDER BY g
SELECT DISTINCT g, e FROM t ORDER BY e DESC, g
SELECT DISTINCT g, e FROM t ORDER BY g, e LIMIT 3, 4
any :: SELECT DISTINCT g, y FROM t
SELECT DISTINCT v % 4 AS m FROM t ORDER BY m DESC
SELECT DISTINCT g+1 FROM t ORDER BY g+1
SELECT DISTINCT id, g FROM t ORDER BY g, id LIMIT 7
SELECT DISTINCT id, s FROM t ORDER BY s, id
SELECT COUNT(*) FROM (SELECT DISTINCT g FROM r) q
SELECT t.id, j.id FROM t JOIN j ON t.id = j.id ORDER BY t.id
SELECT t.id, j.s FROM t LEFT JOIN j ON t.id = j.id ORDER BY t.id, j.s
SELECT t.id, j.s FROM t LEFT JOIN j USING (id) ORDER BY t.id
SELECT t.id, c.g FROM t JOIN j USING (id) JOIN t c USING (id) ORDER BY t.id
SELECT t.id, j.s, r.g FROM t LEFT JOIN (j JOIN r ON j.t_id > r.id) ON j.id = t.id ORDER BY t.id, r.id
SELECT a.id, b.id, c.id FROM t a LEFT JOIN t b ON a.id = b.id AND b.g = 1 LEFT JOIN j c ON c.id = b.id ORDER BY a.id
SELECT a.id, c.id FROM (t a JOIN j c ON a.id = c.id) LEFT JOIN t b ON b.id = c.id AND b.v > 0 WHERE b.id IS NULL ORDER BY a.id
SELECT t.id, j.id FROM j RIGHT JOIN t ON j.id = t.id AND j.s = 'a' ORDER BY t.id
SELECT t.id, r.id FROM t, r WHERE t.g = r.g ORDER BY t.id, r.id
SELECT t.id, r.id FROM t LEFT JOIN r ON t.g = r.g ORDER BY t.id, r.id
SELECT a.id, b.id, c.id FROM t a JOIN j b ON a.id = b.id JOIN t c ON c.id = b.id ORDER BY 1
SELECT r.g, COUNT(*), SUM(t.v) FROM t JOIN r ON t.g = r.id GROUP BY r.g ORDER BY r.g
SELECT COUNT(*) FROM t JOIN j ON t.id = j.id AND t.v > 0 WHERE j.s IS NOT NULL
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM j WHERE j.id = t.id AND j.s IS NOT NULL) ORDER BY id
SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM j WHERE j.id = t.id) ORDER BY id
SELECT id, (SELECT MAX(s) FROM j WHERE j.id = t.id) m FROM t ORDER BY id
SELECT id FROM t WHERE g IN (SELECT g FROM r) ORDER BY id
SELECT id FROM t WHERE g = (SELECT MAX(g) FROM r) ORDER BY id
SELECT t.id, q.c FROM t JOIN (SELECT g, COUNT(*) c FROM r GROUP BY g) q ON q.g = t.g ORDER BY t.id
SELECT id FROM t WHERE id IN (SELECT id FROM j WHERE s IS NOT NULL) ORDER BY id
SELECT id FROM t WHERE id NOT IN (SELECT j.id FROM j) AND g = 1 ORDER BY id
SELECT id FROM t WHERE t.id NOT IN (SELECT id FROM t WHERE v > 0) OR g = 2 ORDER BY id
SELECT id FROM t WHERE t.id IN (SELECT id FROM t t WHERE t.v > 0) ORDER BY id
SELECT id, id IN (SELECT id FROM j) AS both_have FROM t ORDER BY id
SELECT id FROM t HAVING id > 20 ORDER BY id LIMIT 3
SELECT id, g FROM t ORDER BY NULL, id
SELECT ts, COUNT(*) FROM t GROUP BY ts ORDER BY ts
SELECT id, ts FROM t ORDER BY ts DESC, id
SELECT g, MAX(ts), MIN(ts) FROM t GROUP BY g ORDER BY MAX(ts), g
SELECT COUNT(DISTINCT ts) FROM t
SELECT DISTINCT ts FROM t ORDER BY ts
SELECT NOW() IS NOT NULL, COUNT(*) FROM t WHERE ts < NOW() AND da < CURDATE()
SELECT g, (SELECT MAX(id) FROM r) m FROM t GROUP BY g ORDER BY g
SELECT t.id, q.x FROM t, (SELECT 5 AS x) q ORDER BY t.id LIMIT 3
SELECT t.* FROM t NATURAL JOIN (SELECT 1 AS g) q ORDER BY id
SELECT COUNT(*) FROM (SELECT id FROM t WHERE g = 1) q
SELECT COUNT(*), SUM(q.x) FROM (SELECT id, v + 1 AS x FROM t) q WHERE q.x > 3
SELECT * FROM (SELECT id AS k, s, g FROM t) q ORDER BY s, k LIMIT 7
SELECT q.g, COUNT(*) FROM (SELECT t.id, t.g, j.s FROM t JOIN j ON t.id = j.id) q GROUP BY q.g ORDER BY q.g
SELECT COUNT(*) FROM (SELECT DISTINCT id, g FROM t) q
SELECT x.id, d.n FROM t x JOIN (SELECT j.id, g AS n FROM j JOIN r ON j.t_id > r.id) d ON d.id = x.id ORDER BY x.id, d.n
SELECT x.id, d.n FROM t x JOIN (SELECT id, v AS n FROM t WHERE v > 3) d ON d.id = x.id ORDER BY x.id
SELECT x.id, d.s FROM t x LEFT JOIN (SELECT * FROM j WHERE s > 'a') d ON d.id = x.id ORDER BY x.id
SELECT d.k, x.g FROM (SELECT id AS k FROM j) d, t x WHERE x.id = d.k ORDER BY d.k
SELECT COUNT(*) FROM t x JOIN (SELECT j.* FROM j) d ON d.id = x.id WHERE d.id IN (3, 4)
SELECT MAX(c) FROM (SELECT id, COUNT(*) c FROM t GROUP BY id) q
SELECT q.id, r.id FROM (SELECT id, g FROM t) q JOIN r ON q.g = r.g ORDER BY q.id, r.id
SELECT q.s, COUNT(*) FROM (SELECT id, g AS s FROM t) q LEFT JOIN r ON r.g = q.s GROUP BY q.s ORDER BY q.s
SELECT id, v FROM kr ORDER BY id
SELECT id, v FROM kr ORDER BY id DESC LIMIT 12
SELECT id, v FROM kr WHERE id BETWEEN 50 AND 150 ORDER BY id LIMIT 4
SELECT id, v FROM kr WHERE id > 120 ORDER BY id, v
SELECT v, COUNT(*) FROM kr GROUP BY v ORDER BY v
SELECT AVG(v) FROM kr
(SELECT id AS a FROM t ORDER BY id LIMIT 1) UNION ALL (SELECT id FROM t ORDER BY id DESC LIMIT 1) ORDER BY a DESC
SELECT id, v FROM t WHERE g = 1 UNION ALL SELECT id, v FROM kr WHERE v = 2 ORDER BY 1, 2 LIMIT 9
SELECT g FROM t UNION SELECT v FROM kr ORDER BY g
SELECT g FROM t UNION SELECT v FROM kr UNION ALL SELECT g FROM r ORDER BY 1
SELECT s FROM t WHERE s IS NULL UNION ALL SELECT s FROM j WHERE s = 'zz' ORDER BY s
SELECT id, HEX(s) AS h FROM t WHERE g = 1 UNION SELECT id, HEX(s) AS h FROM j ORDER BY 1, 2
SELECT g, 'x' FROM t UNION SELECT v, 'x' FROM kr ORDER BY 1, 2
SELECT DISTINCT g FROM t UNION SELECT v FROM kr ORDER BY 1
SELECT HEX(s) h FROM t GROUP BY HEX(s) UNION ALL SELECT 'q' ORDER BY h
SELECT f FROM t WHERE f IS NOT NULL UNION SELECT f FROM t WHERE g = 2 ORDER BY f
SELECT e, f FROM t WHERE f > 0 UNION SELECT e, f FROM t WHERE g = 2 ORDER BY 1, 2
SELECT e, id FROM t UNION ALL SELECT s, id + 1000 FROM j ORDER BY e, id
SELECT w FROM t UNION SELECT w FROM t ORDER BY w
SELECT LENGTH(s) FROM t UNION SELECT LENGTH(s) FROM j ORDER BY 1
SELECT s FROM t WHERE s IN ('ab', 'zz') UNION SELECT 'ab' UNION ALL SELECT s FROM j WHERE s = 'zz' ORDER BY s
SELECT * FROM t JOIN j USING (id) ORDER BY t.v, t.id
SELECT * FROM t x LEFT JOIN j z USING (id) ORDER BY z.s DESC, x.id LIMIT 9
SELECT g, MIN(f) m FROM t GROUP BY g HAVING m < 1 AND MAX(f) > 1.00000015 ORDER BY MAX(f), g
SELECT COUNT(*) FROM t UNION ALL SELECT COUNT(*) FROM j ORDER BY 1
SELECT id FROM t WHERE id = 3 UNION ALL SELECT id FROM t WHERE id = 7 ORDER BY id
any :: (SELECT id FROM t ORDER BY id LIMIT 2) UNION ALL (SELECT 99)
SELECT nosuch FROM t
SELECT g, COUNT(*) FROM t GROUP BY g HAVING v > 1 OR COUNT(*) > 1
SELECT id FROM t ORDER BY nosuch
SELECT id, v FROM t GROUP BY nosuch
SELECT id FROM t ORDER BY 7
SELECT id FROM t WHERE v = 'x' + 1 ORDER BY id FOR UPDATE
any :: SELECT id FROM t WHERE g = 1 FOR UPDATE
SELECT id FROM t ORDER BY id LIMIT 2 FOR UPDATE
refused :: SELECT g, (SELECT SUM(t.v)) FROM t GROUP BY g
refused :: SELECT (SELECT SUM(t.v)) FROM t
refused :: SELECT * FROM t NATURAL JOIN r ORDER BY s
refused :: SELECT id FROM t WHERE id IN (SELECT t_id FROM j)
refused :: SELECT id FROM r WHERE id NOT IN (SELECT id FROM t)
refused :: SELECT ROW_NUMBER() OVER (ORDER BY id) FROM t
SELECT g, SUM(v)/COUNT(*), ROUND(AVG(d), 1) r FROM t GROUP BY g HAVING r > -100 ORDER BY g
SELECT COALESCE(SUM(v), 0), IFNULL(MAX(id), 0) + 1 FROM none
SELECT 1, COUNT(DISTINCT g) FROM none HAVING 1 = 1
refused :: SELECT CONCAT(SUM(v), 'x') FROM t
refused :: SELECT GROUP_CONCAT(id) FROM t
refused :: SELECT COUNT(*) FROM (SELECT id FROM t LIMIT 2) q
refused :: SELECT COUNT(*) FROM (SELECT DISTINCT g FROM t) q
refused :: SELECT * FROM (SELECT COUNT(*) FROM t) q
refused :: SELECT * FROM r LEFT JOIN (SELECT g FROM t) q ON q.g = r.g
refused :: SELECT x.id FROM t x JOIN (SELECT id FROM j ORDER BY s LIMIT 3) d ON d.id = x.id
refused :: SELECT x.id FROM t x JOIN (SELECT id FROM j ORDER BY s LIMIT 3) d ON d.id = x.id WHERE x.id = 5
refused :: SELECT x.id FROM t x JOIN (SELECT t_id AS id FROM j) d ON d.id = x.id
refused :: SELECT x.id FROM t x JOIN (SELECT id, ROW_NUMBER() OVER () n FROM j) d ON d.id = x.id
refused :: SELECT r.id FROM r LEFT JOIN (SELECT id, g FROM t) d ON d.g = r.g
refused :: SELECT id FROM t WHERE v IN (SELECT t_id FROM j)
refused :: SELECT t.id FROM t JOIN j ON t.id = j.t_id
refused :: SELECT r.id FROM r LEFT JOIN t ON r.g = t.g
refused :: SELECT SQL_CALC_FOUND_ROWS id FROM t LIMIT 1
refused :: SELECT g, COUNT(*) FROM t GROUP BY g WITH ROLLUP
refused :: SELECT t.id FROM t, kr
refused :: WITH q AS (SELECT id FROM t) SELECT * FROM q
refused :: SELECT STD(v) FROM t
refused :: SELECT s COLLATE utf8mb4_bin FROM t UNION SELECT s FROM j
refused :: SELECT g, COUNT(*) FROM t GROUP BY g HAVING MIN(ti) < '-10:00:00'
refused :: SELECT ANY_VALUE(v), COUNT(*) FROM t
`

func TestMerging(t *testing.T) {
	b := newBench(t, theTables())
	for _, line := range strings.Split(strings.TrimSpace(statements), "\n") {
		how, sql, marked := strings.Cut(line, " :: ")
		if !marked {
			how, sql = "", line
		}
		for _, f := range []wire.Format{wire.Text, wire.Binary} {
			got, tree := b.spread(sql, f)
			if how == "refused" {
				if !got.refused() {
					t.Errorf("%s\n%s\nis not refused: %v %v", sql, tree, got.rows, got.err)
				}
				continue
			}
			if d := difference(got, b.direct(nodeCount, sql, f), how != "any"); d != "" {
				t.Errorf("format %d: %s\n%s\n%s", f, sql, tree, d)
			}
		}
	}
}
