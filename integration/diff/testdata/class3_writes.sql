# 33 a multi-row insert that fails leaves nothing
INSERT INTO t(id,v) VALUES (2,0);
INSERT INTO t(id,v) VALUES (1,1),(2,2),(3,3),(4,4);
SELECT id, v FROM t ORDER BY id;
INSERT IGNORE INTO t(id,v) VALUES (1,1),(2,2),(3,3),(4,4);
SELECT id, v FROM t ORDER BY id;
REPLACE INTO t(id,v) VALUES (1,10),(2,20),(5,50);
SELECT id, v FROM t ORDER BY id;
INSERT INTO t(id,v) VALUES (1,0),(6,60),(7,70) ON DUPLICATE KEY UPDATE v = v + 1;
SELECT id, v FROM t ORDER BY id;
INSERT INTO t(id,v) VALUES (1,0),(8,80) ON DUPLICATE KEY UPDATE v = VALUES(v);
SELECT id, v FROM t ORDER BY id;

# 35 a key that is NULL, default or left out
INSERT INTO t(id,v) VALUES (NULL,1);
INSERT INTO t(id,v) VALUES (DEFAULT,1);
INSERT INTO t(v) VALUES (1);
SELECT COUNT(*) FROM t;
INSERT INTO kn(k,v) VALUES (NULL,1);
SELECT COUNT(*) FROM kn WHERE k IS NULL;
UPDATE kn SET v = 2 WHERE k IS NULL;
SELECT k, v FROM kn;
INSERT INTO kn(v) VALUES (5);
INSERT INTO kn VALUES (1,1),(2,2),(7,7);
SELECT k, v FROM kn WHERE k IS NULL ORDER BY v;
SELECT k, v FROM kn WHERE k IS NOT NULL ORDER BY v;
SELECT k, v FROM kn ORDER BY k, v;

# 37 setting the balancing field
INSERT INTO t(id,v) VALUES (1,10),(2,20),(7,70);
-- text only
UPDATE t SET id = 7 WHERE id = 7;
-- text only
SELECT ROW_COUNT();
-- refused 1235
UPDATE t SET id = 12 WHERE id = 1;
SELECT v FROM t WHERE id = 12;
SELECT id FROM t ORDER BY id;
INSERT INTO t(id,v) VALUES (2,5) ON DUPLICATE KEY UPDATE id = VALUES(id), v = VALUES(v);
SELECT v FROM t WHERE id = 2;

# 41 the key is found wherever it stands
INSERT INTO t(v,id) VALUES (10,5),(11,2);
INSERT INTO t VALUES (6,1,2,3.00,'x',NULL);
INSERT INTO t SET v = 12, id = 7;
INSERT INTO t(ID,V) VALUE (9,13);
INSERT INTO t(t.v, t.id) VALUES (14,8);
SELECT v FROM t WHERE id = 5;
SELECT v FROM t WHERE id = 7;
SELECT v FROM t WHERE id = 8;
SELECT id FROM t ORDER BY id;
INSERT INTO t VALUES (1,2);
INSERT INTO t(v,id,v) VALUES (1,99,1);
INSERT INTO t(id,nope) VALUES (1,2);
INSERT INTO t(id) VALUES ('abc');
INSERT INTO t(id,v) VALUES ('17',1),(18.0,2);
SELECT v FROM t WHERE id IN (17,18) ORDER BY id;

# updates and deletes over many nodes
INSERT INTO t(id,g,v) VALUES (1,1,1),(2,1,2),(3,2,3),(4,2,4),(5,3,5),(6,3,6);
-- text only
UPDATE t SET v = v + 100 WHERE g = 1;
-- text only
UPDATE t SET v = v + 100 WHERE id IN (1,2,3);
-- text only
UPDATE t SET s = CONCAT('x', id), d = v / 3;
SELECT * FROM t ORDER BY id;
-- text only
UPDATE t SET v = 0 WHERE id = 99;
-- text only
DELETE FROM t WHERE g = 2;
-- text only
DELETE FROM t WHERE id = 1 OR id = 6;
SELECT id, v FROM t ORDER BY id;
-- text only
DELETE FROM t;
SELECT COUNT(*) FROM t;
UPDATE t SET nope = 1;
-- text only
UPDATE t SET v = 'abc';

# global and single tables
INSERT INTO r VALUES (1,1,'a'),(2,2,'b');
-- text only
UPDATE r SET g = g + 1 WHERE id = 1;
-- text only
INSERT INTO r VALUES (3,3,'c'),(1,1,'dup');
SELECT * FROM r ORDER BY id;
-- text only
DELETE FROM r WHERE id = 2;
SELECT COUNT(*), SUM(g) FROM r;
INSERT INTO sg VALUES (1,'x'),(2,'y');
-- text only
UPDATE sg SET s = 'z' WHERE id = 2;
SELECT * FROM sg ORDER BY id;
SELECT COUNT(*) FROM sg JOIN r ON sg.id = r.id;

# transactions on one node
-- text only
BEGIN;
-- text only
INSERT INTO t(id,v) VALUES (4,4);
SELECT COUNT(*) FROM t;
-- text only
ROLLBACK;
SELECT COUNT(*) FROM t;
-- text only
START TRANSACTION;
-- text only
INSERT INTO t(id,v) VALUES (4,4);
-- text only
SAVEPOINT a;
-- text only
INSERT INTO t(id,v) VALUES (8,8);
-- text only
ROLLBACK TO SAVEPOINT a;
SELECT id FROM t ORDER BY id;
-- text only
RELEASE SAVEPOINT a;
-- text only
ROLLBACK TO a;
-- text only
COMMIT;
SELECT id FROM t ORDER BY id;
-- text only
SET autocommit = 0;
-- text only
INSERT INTO t(id,v) VALUES (12,12);
-- text only
ROLLBACK;
-- text only
SET autocommit = 1;
SELECT id FROM t ORDER BY id;

# 43 loading files is refused by name
-- text only
-- refused 1235
LOAD DATA LOCAL INFILE 'f.csv' INTO TABLE t FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' (id, v, s);
SELECT COUNT(*) FROM t;

# rows copied within a node
INSERT INTO o VALUES (1,1,10),(1,2,20),(2,1,30);
-- text only
INSERT INTO oi (u, n, k, s) SELECT u, n, 9, 'z' FROM o WHERE u = 1;
SELECT * FROM oi ORDER BY u, n;
