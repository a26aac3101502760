# a literal that stands twice is one expression if both have its value
INSERT INTO x(id,a,s) VALUES (1,1,'ab'),(2,1,'b'),(3,2,'ab'),(4,2,NULL),(5,3,'cb'),(6,3,'cb');
SET sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES';
SELECT a, INSTR(s, 'b') AS p, COUNT(*) FROM x GROUP BY a, INSTR(s, 'b') ORDER BY 1, INSTR(s, 'b');
SELECT DISTINCT a, CONCAT(s, '-') AS c FROM x ORDER BY 1 DESC, CONCAT(s, '-');
SELECT MOD(id, 2) AS k, HEX(s) AS h FROM x GROUP BY MOD(id, 2), HEX(s) HAVING h IS NOT NULL AND MIN(id) < 10 OR MAX(id) > 20 ORDER BY h, 1;
SELECT CASE a WHEN 1 THEN 10 ELSE 20 END AS k FROM x GROUP BY CASE a WHEN 1 THEN 10 ELSE 20 END HAVING COUNT(*) > 3 OR k IS NOT NULL ORDER BY k;
SELECT INSTR(s, 'c') AS p, COUNT(*) FROM x GROUP BY INSTR(s, 'b');

# MIN and MAX of BIT are compared as numbers
INSERT INTO x(id,a,bi) VALUES (1,1,3),(2,1,1023),(3,2,16),(4,2,256),(5,3,NULL);
SELECT MAX(bi), MIN(bi) FROM x;
SELECT a, MAX(bi), COUNT(*) FROM x GROUP BY a ORDER BY MAX(bi), MIN(bi) DESC, a;

# positions in parentheses
INSERT INTO x(id,a) VALUES (1,1),(2,1),(3,2),(4,2),(5,3),(6,3),(-1,0);
SELECT id FROM x ORDER BY (1) DESC LIMIT 2;
SELECT id FROM x ORDER BY ((1)) LIMIT 3;
SELECT a, COUNT(*) FROM x GROUP BY (1) ORDER BY (1);
SELECT id, TRUE FROM x ORDER BY 1 DESC LIMIT 2;
(SELECT id FROM x) UNION (SELECT a FROM x) ORDER BY (1) DESC LIMIT 3;

# MIN and MAX against constants of another type
INSERT INTO x(id,a,s,y) VALUES (1,1,'zz','2024-02-29'),(2,1,'a','2023-01-01'),(3,2,'12','9999-12-31'),(4,2,'b','1999-12-31');
SELECT a FROM x GROUP BY a HAVING MAX(s) > 'm' ORDER BY a;
SELECT a FROM x GROUP BY a HAVING MAX(y) > '2024-03-01' ORDER BY a;
SELECT a FROM x GROUP BY a HAVING MAX(y) < NOW() ORDER BY a;
-- refused 1235
SELECT a FROM x GROUP BY a HAVING MAX(s) > 3 ORDER BY a;
-- refused 1235
SELECT a FROM x GROUP BY a HAVING MAX(y) > 0 ORDER BY a;

# what an INSERT over nodes says of itself
INSERT INTO x(id,a) VALUES (1,1),(2,2),(3,3);
INSERT INTO x(id,a) VALUES (1,1),(2,9),(4,4) ON DUPLICATE KEY UPDATE a = VALUES(a);
INSERT INTO x(id,a) VALUES (1,1),(2,9),(4,4) ON DUPLICATE KEY UPDATE a = VALUES(a);
INSERT IGNORE INTO x(id,a) VALUES (1,7),(5,5),(6,6),(2,7);
REPLACE INTO x(id,a) VALUES (1,8),(7,7),(2,8);
SELECT id, a FROM x ORDER BY id;

# a row that names its own columns, by itself on its node
SET sql_mode = '';
INSERT INTO x(id,a) VALUES (1,id % 5),(2,id + 1),(3,DEFAULT(a) + 1);
SELECT id, a FROM x ORDER BY id;

# 0x07 is a number and x'07' a string to MariaDB, also in a statement that is planned as it was written
INSERT INTO x(id,a) VALUES (7,4),(8,5),(9,6),(0,1);
SELECT id, (a + 1) FROM x WHERE id + 0 = 0x07 OR id + 0 = x'08' OR id = 9 ORDER BY id;
SELECT id, (a + 1), 0x41 + 0, x'41' + 0, b'101' + 0, _latin1 x'e9', _utf8mb4 0xc3a9, 5. FROM x WHERE id IN (0x07, 8) ORDER BY id;
SELECT (a + 1), COUNT(*) FROM x WHERE id NOT IN (0, 0x07) GROUP BY (a + 1) ORDER BY 1;

# share locks in the words that MariaDB knows
INSERT INTO x(id,a) VALUES (1,1),(2,2),(3,3);
SELECT id FROM x WHERE id IN (1,2,3) ORDER BY id LOCK IN SHARE MODE;
SELECT COUNT(*) FROM x WHERE id > 1 LOCK IN SHARE MODE;

# a decimal with more digits than its column
INSERT INTO kc(k,v) VALUES (1.50,1),(2.00,2),(-0.50,3);
SELECT v FROM kc WHERE k = 1.50001;
SELECT v FROM kc WHERE k IN (1.50001, 2.0) ORDER BY v;

# functions that the parser calls by other names
INSERT INTO x(id,a,s) VALUES (1,1,'ab'),(2,2,'b'),(3,3,NULL);
SELECT id, CHAR(64 + a), CHAR(65,66 USING utf8mb4) AS c, INSERT(s,1,1,'x') FROM x ORDER BY id;

# names of literals in parentheses
INSERT INTO x(id) VALUES (1),(2);
SELECT (1), ('a'), (NULL), null, (1.5), (TRUE), true, -1, (-1), +1, (+1), id FROM x ORDER BY id;
