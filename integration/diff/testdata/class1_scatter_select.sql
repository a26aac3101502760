# 1 limit with order by an aggregate must cut merged groups
INSERT INTO t(id,g) VALUES (1,1),(5,1),(9,2),(2,3),(6,3),(10,2),(3,4),(7,4),(11,2);
SELECT g, COUNT(*) c FROM t GROUP BY g ORDER BY c DESC, g LIMIT 1;
SELECT g, COUNT(*) c FROM t GROUP BY g ORDER BY COUNT(*) DESC, g LIMIT 2;
SELECT g, COUNT(*) c FROM t GROUP BY g ORDER BY c, g LIMIT 1, 2;
SELECT g FROM t GROUP BY g ORDER BY MAX(id) DESC LIMIT 3;

# 3 avg with a group key that is not selected
INSERT INTO t(id,g,v) VALUES (1,1,10),(2,1,20),(3,2,5),(4,2,8),(5,2,8);
SELECT AVG(v) FROM t GROUP BY g ORDER BY g;
SELECT AVG(v) a, SUM(v) s, COUNT(v) c, MIN(v), MAX(v) FROM t;
SELECT AVG(d), SUM(d) FROM t;
SELECT AVG(v) FROM t WHERE id IN (1, 2);
UPDATE t SET d = id * 1.10;
SELECT AVG(d), SUM(d), MIN(d), MAX(d) FROM t;
SELECT g, AVG(d), SUM(d) FROM t GROUP BY g ORDER BY g DESC;

# 5 no groups over no rows
INSERT INTO t(id,g,v) VALUES (1,1,1),(2,2,2);
SELECT g, COUNT(*) FROM t WHERE v > 100 GROUP BY g ORDER BY g;
SELECT COUNT(*) FROM t WHERE v > 100 GROUP BY g;
SELECT COUNT(*), SUM(v), AVG(v), MIN(v), MAX(s) FROM t WHERE v > 100;
SELECT COUNT(*) FROM t WHERE 1 = 0;
SELECT COUNT(*) FROM t WHERE id = 1 AND id = 2;
SELECT id FROM t WHERE id IN (NULL);

# 7 having over merged groups
INSERT INTO t(id,g) VALUES (1,1),(5,1),(2,1),(6,1),(3,2);
SELECT g, COUNT(*) c FROM t GROUP BY g HAVING COUNT(*) > 3;
SELECT g FROM t GROUP BY g HAVING SUM(g) < 3;
SELECT g, COUNT(*) c FROM t GROUP BY g HAVING c > 3;
SELECT g, COUNT(*) c FROM t GROUP BY g HAVING c BETWEEN 1 AND 3 OR g = 1 ORDER BY g;
SELECT g, SUM(id) FROM t GROUP BY g HAVING SUM(id) > 4 AND COUNT(*) < 10 ORDER BY g;
SELECT g FROM t GROUP BY g HAVING g > 1;
SELECT g FROM t GROUP BY g HAVING AVG(id) > 3.2;
SELECT COUNT(*) FROM t HAVING COUNT(*) > 10;

# 9 offsets and both limit forms
INSERT INTO t(id) VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10);
SELECT id FROM t ORDER BY id LIMIT 3,2;
SELECT id FROM t ORDER BY id LIMIT 2 OFFSET 3;
SELECT id FROM t ORDER BY id DESC LIMIT 8,18446744073709551615;
SELECT id FROM t ORDER BY id LIMIT 0;
SELECT id FROM t ORDER BY id LIMIT 20 OFFSET 100;
SELECT id FROM t ORDER BY -id LIMIT 3;
SELECT id, id % 3 FROM t ORDER BY id % 3, id LIMIT 5;
SELECT id FROM t ORDER BY 1 DESC LIMIT 4;

# 11 distinct aggregates
INSERT INTO t(id,g,v) VALUES (1,1,5),(2,1,5),(3,2,5),(4,2,7),(5,NULL,7);
SELECT COUNT(DISTINCT g), SUM(DISTINCT v), AVG(DISTINCT v), COUNT(DISTINCT g,v) FROM t;
SELECT g, COUNT(DISTINCT v) FROM t GROUP BY g ORDER BY g;
SELECT COUNT(DISTINCT v), COUNT(*), SUM(v), MAX(v) FROM t;
SELECT COUNT(DISTINCT s) FROM t;
UPDATE t SET s = CASE id WHEN 1 THEN 'a' WHEN 2 THEN 'A' WHEN 3 THEN 'b' ELSE 'B ' END;
SELECT COUNT(DISTINCT s) FROM t;
SELECT DISTINCT g FROM t ORDER BY g;
SELECT DISTINCT g, v FROM t ORDER BY g DESC, v LIMIT 2;
SELECT DISTINCT v FROM t;

# 13 window functions
INSERT INTO t(id,g) VALUES (1,1),(2,1),(3,2),(4,2),(5,2);
-- refused 1235
SELECT id, ROW_NUMBER() OVER (ORDER BY id) n, COUNT(*) OVER (PARTITION BY g) c FROM t ORDER BY id;
-- refused 1235
SELECT DISTINCT COUNT(*) OVER () x FROM t LIMIT 3;
SELECT id, ROW_NUMBER() OVER (ORDER BY id) n FROM t WHERE id = 3;
SELECT id, ROW_NUMBER() OVER (ORDER BY id) n FROM r ORDER BY id;

# 15 qualified names everywhere
INSERT INTO t(id,g) VALUES (1,1),(2,1),(3,2);
SELECT app.t.id FROM app.t WHERE app.t.id > 0 ORDER BY app.t.id DESC;
SELECT t.g, COUNT(t.id) FROM t GROUP BY t.g ORDER BY t.g;
SELECT `t`.`id` FROM `app`.`t` AS `t` ORDER BY `t`.`id`;
SELECT t.* FROM t ORDER BY t.id LIMIT 1;
SELECT x.id i, x.g FROM t x WHERE x.id >= 2 ORDER BY i;
SELECT x.* FROM app.t AS x ORDER BY x.s, x.id;
SELECT nope FROM t ORDER BY id;
SELECT id FROM t ORDER BY nope;
SELECT t2.id FROM t;
SELECT id FROM nosuch;
SELECT id FROM nosuch.t;

# 17 found rows
INSERT INTO t(id) VALUES (1),(2),(3),(4),(5);
-- text only
-- refused 1235
SELECT SQL_CALC_FOUND_ROWS id FROM t ORDER BY id LIMIT 2;
-- text only
SELECT id FROM t ORDER BY id LIMIT 3;
-- text only
SELECT FOUND_ROWS();
-- text only
UPDATE t SET v = 1;
-- text only
SELECT ROW_COUNT();

# 19 derived tables and unions
INSERT INTO t(id,g) VALUES (1,1),(2,1),(3,1);
-- refused 1235
SELECT 1 AS x, COUNT(*) FROM (SELECT id FROM t WHERE g = -1 LIMIT 100) q;
-- refused 1235
SELECT COUNT(*) FROM (SELECT id FROM t LIMIT 2) q;
SELECT COUNT(*) FROM (SELECT id FROM t WHERE id = 2 LIMIT 2) q;
(SELECT id AS a FROM t ORDER BY id LIMIT 1) UNION ALL (SELECT id FROM t ORDER BY id DESC LIMIT 1) ORDER BY a DESC;
SELECT id FROM t UNION ALL SELECT id + 10 FROM t ORDER BY 1 LIMIT 4;
SELECT id FROM t WHERE id = 1 UNION ALL SELECT id FROM t WHERE id = 2;
SELECT g FROM t UNION ALL SELECT g FROM r;

# strings are ordered and grouped as the collation says
INSERT INTO t(id,g,s) VALUES (1,1,'b'),(2,1,'A'),(3,2,'a'),(4,2,'B '),(5,3,'é'),(6,3,'E'),(7,4,NULL),(8,4,''),(9,5,'ß'),(10,5,'Z'),(11,6,'😀'),(12,6,'z');
SELECT id, s FROM t ORDER BY s, id;
SELECT id, s FROM t ORDER BY s DESC, id DESC LIMIT 5;
SELECT COUNT(*), COUNT(s), COUNT(DISTINCT s) FROM t;
SELECT COUNT(*) c FROM t GROUP BY s ORDER BY s;
SELECT MIN(g), MAX(id) FROM t GROUP BY LOWER(s) ORDER BY 1, 2;
SELECT id FROM t WHERE s = 'E' ORDER BY id;
SELECT id FROM t ORDER BY s COLLATE utf8mb4_bin, id;
SELECT id, LENGTH(s) l FROM t ORDER BY l, id;
SELECT id FROM t ORDER BY CONCAT(s, 'x'), id;

# minimum and maximum of strings, dates and decimals
INSERT INTO t(id,d,s,ts) VALUES (1,-1.50,'b','2024-01-02 03:04:05.678901'),(2,10.25,'C','2023-12-31 00:00:00'),(3,9.75,'a',NULL),(4,NULL,NULL,'2024-01-02 03:04:05.678902');
SELECT MIN(s), MAX(s), MIN(d), MAX(d), MIN(ts), MAX(ts) FROM t;
SELECT id FROM t ORDER BY d, id;
SELECT id FROM t ORDER BY ts DESC, id;
SELECT id, d FROM t ORDER BY d * -1, id LIMIT 2;
SELECT SUM(d), AVG(d), SUM(id * d), COUNT(d) FROM t;
SELECT SUM(id), AVG(id), SUM(v) FROM t;

# a range table is read in the order of its field
INSERT INTO kr VALUES (-5,1),(0,2),(99,3),(100,4),(150,5),(199,6),(200,7),(1000000,8);
SELECT id FROM kr ORDER BY id;
SELECT id FROM kr ORDER BY id DESC;
SELECT id FROM kr ORDER BY id LIMIT 2;
SELECT id FROM kr ORDER BY id DESC LIMIT 2 OFFSET 1;
SELECT id FROM kr WHERE id BETWEEN 99 AND 150 ORDER BY id;
SELECT id FROM kr WHERE id > 100 AND v < 7 ORDER BY id LIMIT 3;
SELECT COUNT(*) FROM kr WHERE id < 100;
SELECT MAX(v) FROM kr WHERE NOT (id < 100);
SELECT v, id FROM kr ORDER BY v DESC LIMIT 3;

# joins inside a group and with a global table
INSERT INTO o VALUES (1,1,10),(1,2,20),(2,1,30),(3,1,40),(4,1,50);
INSERT INTO oi VALUES (1,1,1,'a'),(1,1,2,'b'),(1,2,1,'c'),(3,1,1,'d'),(5,1,1,'e');
INSERT INTO r VALUES (1,10,'ten'),(2,20,'twenty');
SELECT o.u, o.n, oi.s FROM o JOIN oi ON o.u = oi.u AND o.n = oi.n ORDER BY o.u, o.n, oi.s;
SELECT o.u, o.n, oi.s FROM o LEFT JOIN oi ON o.u = oi.u AND o.n = oi.n ORDER BY o.u, o.n, oi.s;
SELECT o.u, COUNT(oi.k) c FROM o LEFT JOIN oi USING (u, n) GROUP BY o.u ORDER BY o.u;
SELECT SUM(o.amount) FROM o, oi WHERE o.u = oi.u AND oi.n = o.n;
SELECT o.u, r.s FROM o JOIN r ON o.amount = r.g ORDER BY o.u, r.s;
SELECT o.u, r.s FROM o LEFT JOIN r ON o.amount = r.g ORDER BY o.u, o.n, r.s;
SELECT o.u FROM o JOIN oi ON o.u = oi.u WHERE o.u = 1 ORDER BY oi.s;
-- refused 1235
SELECT t.id, j.id FROM t JOIN j ON t.id = j.t_id;
-- refused 1235
SELECT r.s, o.u FROM r LEFT JOIN o ON o.amount = r.g ORDER BY r.s, o.u;
SELECT r.s FROM r WHERE r.id = 1;

# types and names of expressions
INSERT INTO t(id,g,v,d,s,ts) VALUES (1,1,1,1.10,'x','2024-05-06 07:08:09.1'),(2,2,2,2.20,'y',NULL),(3,NULL,NULL,NULL,NULL,NULL);
SELECT id + 1, v / 2, d * 2, s, CONCAT(s, 'é'), UPPER(s), ts, DATE(ts), IFNULL(v, 0), v IS NULL FROM t ORDER BY id;
SELECT COUNT(*), COUNT( * ) AS `a b`, SUM( v ), AVG(v+0.5), MAX(ts), MIN(DATE(ts)) FROM t;
SELECT 'lit', 1, 1.5, NULL, id FROM t ORDER BY id;
SELECT id AS `select`, v AS 'quoted' FROM t ORDER BY `select`;
SELECT g, g + 1, COUNT(*) FROM t GROUP BY g, g + 1 ORDER BY 1;
SELECT id, 1 + 1 FROM t WHERE id IN (1, 2, 3) ORDER BY id DESC;

# expressions over aggregates
INSERT INTO t(id,g,v) VALUES (1,1,10),(2,1,20),(3,2,5);
SELECT SUM(v) / COUNT(*) FROM t;
SELECT g, MAX(v) - MIN(v) FROM t GROUP BY g;
SELECT id, SUM(v) / COUNT(*) FROM t GROUP BY id ORDER BY id;
-- refused 1235
SELECT GROUP_CONCAT(id) FROM t;
SELECT GROUP_CONCAT(id) FROM t WHERE id = 2;
-- refused 1235
SELECT g, COUNT(*) FROM t GROUP BY g WITH ROLLUP;
-- refused 1235
SELECT id FROM t WHERE v > (SELECT AVG(v) FROM t);
