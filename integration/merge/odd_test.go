package merge

import (
	"strings"
	"testing"

	"ballast/sqlfront/wire"
)

// oddities are statements at the edges: errors that must be the server's, shapes that are seldom written. Those that Ballast refuses are let
// be; "mysql ::" stands before those that MariaDB does not know, or whose answer it leaves open.
const oddities = `
mysql :: TABLE t
mysql :: TABLE t ORDER BY id LIMIT 2
SELECT t.* FROM j
SELECT *, * FROM t ORDER BY v, id
SELECT id, id FROM t ORDER BY id
SELECT DISTINCT t.* FROM t ORDER BY id
SELECT COUNT(DISTINCT t.*) FROM t
SELECT id FROM t GROUP BY 0
SELECT id FROM t GROUP BY 9
mysql :: SELECT id FROM t ORDER BY -1, id
SELECT id FROM t ORDER BY 0
SELECT id FROM t ORDER BY (SELECT 1), id
SELECT id FROM t ORDER BY (SELECT MAX(s) FROM j WHERE j.id = t.id), id
SELECT (1, 2) FROM t
SELECT id FROM t ORDER BY (id, v)
SELECT id FROM t WHERE (id, v) IN ((1, 2), (3, 4)) ORDER BY id
SELECT MAX((SELECT 1)) FROM t
SELECT SUM(COUNT(*)) FROM t
SELECT COUNT(*) FROM t GROUP BY COUNT(*)
SELECT COUNT(*) AS c FROM t GROUP BY c
SELECT g, COUNT(*) FROM t GROUP BY g HAVING nosuch > 1
SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY nosuch
SELECT nosuch, COUNT(*) FROM t GROUP BY nosuch
SELECT id FROM t WHERE COUNT(*) > 1
SELECT id FROM t HAVING COUNT(*) > 1
mysql :: SELECT v FROM t GROUP BY g
SELECT COUNT(*) OVER w FROM t WINDOW w AS ()
SELECT 1 FROM t UNION SELECT 1, 2 FROM t
SELECT a.*, b.g FROM t a JOIN t b USING (id) ORDER BY a.v, a.id
SELECT id FROM t a, t a
SELECT id FROM t JOIN j ON t.id = j.id ORDER BY 1
SELECT t.id FROM t JOIN j ON t.id = j.id WHERE s = 'a'
SELECT id FROM t WHERE nosuch(id) = 1
SELECT id FROM t WHERE id = 'abc' ORDER BY id
SELECT id FROM t WHERE id IN () 
SELECT id FROM t LIMIT 1, 0
SELECT COUNT(*) FROM t LIMIT 1 OFFSET 1
SELECT COUNT(*) FROM t LIMIT 0
SELECT COUNT(*), g FROM t
SELECT MIN(s), COUNT(*) c FROM t WHERE s = 'ab' HAVING c > 0 ORDER BY c LIMIT 1
SELECT t.id FROM t NATURAL LEFT JOIN j ORDER BY t.id
SELECT t.id FROM t CROSS JOIN r ORDER BY t.id, r.id LIMIT 3
SELECT STRAIGHT_JOIN t.id FROM t JOIN r ON t.g = r.g ORDER BY t.id, r.id
SELECT HIGH_PRIORITY id FROM t ORDER BY id LIMIT 1
SELECT /*+ MAX_EXECUTION_TIME(5000) */ id FROM t ORDER BY id LIMIT 1
SELECT id FROM t IGNORE INDEX (PRIMARY) ORDER BY id LIMIT 1
SELECT id FROM t FORCE INDEX (nosuch) ORDER BY id LIMIT 1
SELECT id FROM t AS x WHERE t.id = 1
SELECT x.id FROM t AS x WHERE x.v BETWEEN 1 AND 5 AND NOT x.g <=> NULL ORDER BY x.id
SELECT id, v FROM t WHERE v = ALL (SELECT g FROM r WHERE id > 99) ORDER BY id
SELECT id FROM t WHERE g = ANY (SELECT g FROM r) ORDER BY id
SELECT id & 3, id | 1, id ^ 2, ~id, id << 1, id >> 1, !g, g XOR v, id DIV 2, id MOD 3 FROM t ORDER BY id
SELECT s LIKE 'a%', s NOT LIKE '%b', s REGEXP '^a', s IS NULL, s IS NOT NULL, NOT g, -v, +v FROM t ORDER BY id
SELECT CASE g WHEN 1 THEN 'a' ELSE 'b' END, IF(g, 1, 2), COALESCE(s, n, 'x'), CAST(v AS CHAR), CONVERT(v, SIGNED), BINARY s FROM t ORDER BY id
SELECT "x""y", 'it''s', 0x41, x'42', b'1000001', N'n', _utf8mb4'u', 1.50, .5, 1e3, TRUE, NULL, DATE '2020-01-01' FROM t ORDER BY id LIMIT 1
SELECT id+1 , id + 1,id  +  1, (id), ((id)+1), -id FROM t ORDER BY id LIMIT 2
SELECT COUNT( * ), count(v), Sum( v ), AVG(v)  FROM t
SELECT t.id AS 'my id', v "vv" FROM t ORDER BY ` + "`my id`" + ` LIMIT 2
SELECT id FROM t WHERE dt > '2020-01-01' - INTERVAL 1 DAY ORDER BY id
SELECT DATE_ADD(da, INTERVAL 1 MONTH) m, COUNT(*) FROM t GROUP BY m ORDER BY m
SELECT EXTRACT(YEAR FROM dt), COUNT(*) FROM t GROUP BY 1 ORDER BY 1
SELECT HEX(MIN(s COLLATE utf8mb4_bin)) c, COUNT(*) FROM t GROUP BY s COLLATE utf8mb4_bin ORDER BY 1, 2
SELECT SUBSTRING(s, 1, 1) c, COUNT(*) FROM t WHERE s IN ('zz', 'ab') GROUP BY c ORDER BY c
SELECT GREATEST(g, v), LEAST(g, v) FROM t ORDER BY GREATEST(g, v), LEAST(g, v), id
SELECT TRIM(BOTH ' ' FROM s), POSITION('a' IN s), SUBSTRING(s FROM 2), LTRIM(s) FROM t ORDER BY id
SELECT id FROM t WHERE id > ALL (SELECT 5) ORDER BY id LIMIT 3
SELECT g, SUM(v) OVER () FROM t
SELECT JSON_OBJECT('a', g) j FROM t ORDER BY id LIMIT 2
SELECT JSON_OBJECT('a', g) j FROM t ORDER BY j
SELECT id FROM t PARTITION (p0)
SELECT t.id, q.id FROM t, LATERAL (SELECT j.id FROM j WHERE j.id = t.id) q ORDER BY t.id
SELECT g, ANY_VALUE(v) FROM t WHERE id = 3 GROUP BY g
SELECT MIN(DISTINCT v), MAX(DISTINCT v), COUNT(DISTINCT v, NULL) FROM t
SELECT SUM(s) FROM t WHERE s = 'a'
SELECT SUM(id = 5), SUM(g > 1), AVG(g IS NULL) FROM t
SELECT SUM(x), AVG(x) FROM t WHERE x IN (2.5, 3)
SELECT SUM(f), AVG(f), SUM(DISTINCT x) FROM t WHERE f IN (0.5, -3)
SELECT SUM(y), AVG(y), SUM(bt), SUM(e), SUM(u DIV 2) FROM t
SELECT MAX(bt)+0, MIN(bt)+0 FROM t
SELECT MIN(tx), MAX(n) FROM t WHERE tx > 'b' AND n > 'zy'
SELECT COUNT(*) FROM t, r
`

func TestOddities(t *testing.T) {
	b := newBench(t, theTables())
	refused := 0
	for _, sql := range strings.Split(strings.TrimSpace(oddities), "\n") {
		if own, ok := strings.CutPrefix(sql, "mysql :: "); ok {
			if b.maria {
				continue
			}
			sql = own
		}
		for _, f := range []wire.Format{wire.Text, wire.Binary} {
			got, tree := b.spread(sql, f)
			want := b.direct(nodeCount, sql, f)
			if got.refused() {
				refused++
				if f == wire.Text {
					t.Logf("refused: %s: %v (plain server: %v)", sql, got.err, want.err)
				}
				continue
			}
			if d := difference(got, want, strings.Contains(sql, "ORDER BY")); d != "" {
				t.Errorf("format %d: %s\n%s\n%s", f, sql, tree, d)
			}
		}
	}
	t.Logf("%d refused", refused)
}
