# 39 generated ids
-- text only
INSERT INTO ai(v) VALUES (10),(20),(30);
-- text only
-- refused 1235
SELECT LAST_INSERT_ID() = (SELECT MIN(id) FROM ai), COUNT(*), COUNT(DISTINCT id) FROM ai;
SELECT COUNT(*), COUNT(DISTINCT id), MAX(id) - MIN(id) + 1 FROM ai WHERE id = 0;
SELECT COUNT(*), COUNT(DISTINCT id) FROM ai;
-- text only
INSERT INTO ai(id,v) VALUES (NULL,40),(0,50),(DEFAULT,60);
SELECT COUNT(*), COUNT(DISTINCT id) FROM ai;
SELECT v FROM ai ORDER BY id;

# 53 start-up statements of drivers
-- text only
SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, @@SESSION.sql_mode = 'ANSI_QUOTES', @@wait_timeout = 2147483;
-- text only
SET autocommit=1, sql_mode = CONCAT(@@sql_mode, ',STRICT_TRANS_TABLES'), character_set_results = NULL;
-- text only
SELECT @@session.sql_mode, @@character_set_results, @@collation_connection;
-- text only
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
-- text only
SELECT @@SESSION.auto_increment_increment AS a, @@max_allowed_packet > 0;
-- text only
SET character_set_results = utf8mb4;
-- text only
SELECT CONNECTION_ID() > 0, DATABASE(), VERSION() IS NOT NULL;
-- text only
SELECT "t".id FROM "app"."t";
-- text only
PREPARE s1 FROM 'SELECT ? + 1';
-- text only
SET @a = 41;
-- text only
EXECUTE s1 USING @a;
-- text only
DEALLOCATE PREPARE s1;
-- text only
SHOW /*!50002 FULL*/ TABLES LIKE 't';
-- text only
SHOW FULL COLUMNS FROM `t` FROM `app` LIKE 'id';
-- text only
SET sql_mode = DEFAULT;
-- text only
SELECT * FROM t WHERE id = 1 AND s = "x";
-- text only
SET nosuchvariable = 1;
-- text only
SET @x = 5, @y = 'abc', @z = NULL, @w = 1.50;
-- text only
SELECT @x, @y, @z, @w, @nope;
-- text only
SELECT id FROM t WHERE id = @x;
-- text only
SELECT COUNT(*) FROM t WHERE v > @x;

# 55 the catalogue is one logical server
-- text only
SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA IN ('app','nosuch') AND TABLE_NAME IN ('t','r') ORDER BY TABLE_NAME;
-- text only
SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'kr' ORDER BY ORDINAL_POSITION;
-- text only
SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'app' AND TABLE_NAME LIKE 't\_%';
-- text only
SELECT COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA='app' AND TABLE_NAME='t' AND CONSTRAINT_NAME='PRIMARY';
-- text only
SHOW TABLES;
-- text only
SHOW COLUMNS FROM ks;
-- text only
SHOW INDEX FROM nosuch;
-- text only
DESCRIBE t;
-- text only
USE nosuch;
-- text only
SELECT DATABASE();

# sizes in the catalogue keep the names of their columns
-- text only
SELECT COUNT( * ), MIN(TABLE_ROWS >= 0), MAX( DATA_FREE )>= 0, TABLE_SCHEMA, MAX(TABLE_ROWS) >= 0 AS m FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'app' AND TABLE_NAME IN ('t', 'r') GROUP BY TABLE_SCHEMA;

# 57 the last insert id in every written form
-- text only
INSERT INTO ai(v) VALUES (1);
-- text only
SET @x = (SELECT MAX(id) FROM ai);
-- text only
SELECT LAST_INSERT_ID() = @x;
-- text only
SELECT  last_insert_id ( ) = @x AS `same`  ;
-- text only
SELECT /* c */ @@last_insert_id = @x, @@identity = @x FROM DUAL LIMIT 1;
-- text only
PREPARE p FROM 'SELECT LAST_INSERT_ID() = @x';
-- text only
EXECUTE p;
-- text only
INSERT INTO j(id,t_id) VALUES (3, LAST_INSERT_ID());
-- text only
SELECT t_id = @x FROM j;

# definitions
-- text only
CREATE TABLE likeness LIKE o;
-- text only
INSERT INTO likeness VALUES (1, 1, 10), (2, 1, 20), (3, 1, 30);
SELECT * FROM likeness ORDER BY u;
-- text only
SHOW COLUMNS FROM likeness;
-- text only
ALTER TABLE likeness ADD COLUMN extra VARCHAR(20) DEFAULT 'x', ADD INDEX (amount);
SELECT u, extra FROM likeness ORDER BY u;
-- text only
CREATE INDEX by_extra ON likeness (extra);
-- text only
RENAME TABLE likeness TO likeness2;
SELECT COUNT(*) FROM likeness;
SELECT COUNT(*) FROM likeness2 WHERE extra = 'x';
-- text only
TRUNCATE TABLE likeness2;
SELECT COUNT(*) FROM likeness2;
-- text only
DROP INDEX by_extra ON likeness2;
-- text only
DROP TABLE IF EXISTS likeness, likeness2;
-- text only
DROP TABLE likeness2;
-- text only
CREATE TABLE t (id INT PRIMARY KEY);
-- text only
CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY);
