# 21 negative keys in every written form
INSERT INTO t(id,v) VALUES (-1,10),(-5,20),(-9223372036854775808,30);
SELECT v FROM t WHERE id = -1;
SELECT v FROM t WHERE id = '-1';
SELECT v FROM t WHERE id = - 1;
SELECT v FROM t WHERE id = -(1);
SELECT v FROM t WHERE id IN (-5,-9223372036854775808) ORDER BY id;
SELECT v FROM t WHERE id = -1.0;
SELECT v FROM t WHERE id = '-1.0';
SELECT v FROM t WHERE id = -1.5;
SELECT v FROM t WHERE id < -4 ORDER BY id;
-- text only
PREPARE p FROM 'SELECT v FROM t WHERE id = ?';
-- text only
SET @a = -5;
-- text only
EXECUTE p USING @a;
-- text only
DEALLOCATE PREPARE p;

# 23 hex and bit literals are values
INSERT INTO kb VALUES (x'A1',1),(0xA2,2),(b'10100011',3);
SELECT v FROM kb WHERE k = 0xA1;
SELECT v FROM kb WHERE k = X'a2';
SELECT v FROM kb WHERE k IN (0xa3, x'A1') ORDER BY v;
INSERT INTO t(id,v) VALUES (5,50);
SELECT v FROM t WHERE id = 0x05;
SELECT v FROM t WHERE id = b'101';
SELECT v FROM t WHERE id = X'0005';
SELECT HEX(k), v FROM kb ORDER BY k;
INSERT INTO t(id,v) VALUES (0x10,160);
SELECT v FROM t WHERE id = 16;

# 25 case, accents and trailing spaces of string keys
INSERT INTO ks VALUES ('Abc',1),('straße',2);
SELECT v FROM ks WHERE k = 'ABC';
SELECT v FROM ks WHERE k = 'abc  ';
SELECT v FROM ks WHERE k = 'Äbc';
SELECT v FROM ks WHERE k = 'STRASE';
INSERT INTO ks VALUES ('aBC',9);
SELECT COUNT(*) FROM ks;
SELECT v FROM ks WHERE k LIKE 'a%';
SELECT v FROM ks WHERE k IN ('ABC', 'STRAßE') ORDER BY v;
SELECT v FROM ks WHERE k = 'abc' COLLATE utf8mb4_bin;
SELECT v FROM ks WHERE BINARY k = 'Abc';
SELECT v FROM ks WHERE k = _latin1'abc';
UPDATE ks SET v = 3 WHERE k = 'ÀBC ';
DELETE FROM ks WHERE k = 'strasE';
SELECT k, v FROM ks;

# 27 ored keys of one node
INSERT INTO t(id) VALUES (4),(8),(12);
SELECT id FROM t WHERE id = 4 OR id = 8 ORDER BY id;
SELECT id FROM t WHERE id IN (4,8) OR id = 12 OR id = 4 ORDER BY id;
SELECT COUNT(*) FROM t WHERE id = 4 OR id = 8;
SELECT id FROM t WHERE (id = 4 OR id = 5) AND (id = 5 OR id = 8);
SELECT id FROM t WHERE id = 4 OR v IS NULL ORDER BY id;
SELECT id FROM t WHERE (id, g) IN ((4, 1), (8, NULL));
SELECT id FROM t WHERE (id, 1) = (8, 1);
SELECT id FROM t WHERE id <=> 12;
SELECT id FROM t WHERE id <=> NULL;
SELECT id FROM t WHERE NOT (id <> 8);
SELECT id FROM t WHERE id BETWEEN 5 AND 9;
SELECT id FROM t WHERE id NOT IN (4, 12);

# 29 quotes, backquotes, comments and introducers
INSERT INTO ks(k,v) VALUES ("abc",1);
-- text only
SELECT ROW_COUNT();
SELECT v FROM ks WHERE k = "abc";
INSERT INTO `app`.`ks` (`k`,`v`) VALUES ('it''s',2),("q\"x",3),('a\\b',4),(_utf8mb4'u',5);
SELECT v FROM `ks` WHERE `ks`.`k` = "it's";
SELECT v FROM ks WHERE k = 'q"x';
SELECT v FROM ks WHERE k = 'a\\b';
/* c1 */ SELECT /* c2; ' */ v FROM ks -- tail
WHERE k = 'u' # end
;
SELECT COUNT(*) FROM ks;
SELECT v FROM ks WHERE k = 'a' 'bc';
SELECT v FROM ks WHERE k = N'abc';
SELECT /*!40001 SQL_NO_CACHE */ v FROM ks WHERE k = 'abc';

# 31 precision of large keys, and keys written as strings
INSERT INTO t(id,v) VALUES (9941971237863475,1),(9941971237863476,2);
SELECT v FROM t WHERE id = '9941971237863475';
SELECT v FROM t WHERE id = 9941971237863476;
-- text only
PREPARE p FROM 'SELECT v FROM t WHERE id = ?';
-- text only
SET @a='9941971237863475';
-- text only
EXECUTE p USING @a;
-- text only
SET @a=9941971237863476;
-- text only
EXECUTE p USING @a;
INSERT INTO ku VALUES (18446744073709551615,1),(9223372036854775808,2),(9223372036854775807,3);
SELECT v FROM ku WHERE id = 18446744073709551615;
SELECT v FROM ku WHERE id = '9223372036854775808';
SELECT v FROM ku WHERE id IN (9223372036854775807, 18446744073709551615) ORDER BY id;
SELECT COUNT(*) FROM ku WHERE id = -1;
SELECT v FROM ku WHERE id > 9223372036854775807 ORDER BY v;
SELECT id FROM ku ORDER BY id;
SELECT v FROM t WHERE id = 18446744073709551615;

# nothing is routed by a value that is not exactly a key
INSERT INTO t(id,v) VALUES (1,1),(2,2),(3,3),(0,0);
SELECT v FROM t WHERE id = '1abc';
SELECT v FROM t WHERE id = 'abc';
SELECT v FROM t WHERE id = 1e0;
SELECT v FROM t WHERE id = '1e0';
SELECT v FROM t WHERE id = ' 2';
SELECT v FROM t WHERE id = 2.0;
SELECT v FROM t WHERE id = 2.5;
SELECT v FROM t WHERE id > 1.5 ORDER BY v;
SELECT v FROM t WHERE id = TRUE;
SELECT v FROM t WHERE id = 1 + 1;
SELECT v FROM t WHERE id + 0 = 3;
SELECT v FROM t WHERE id = v AND v = 3;
SELECT v FROM t WHERE id = NULL;
SELECT v FROM t WHERE id IN (1, NULL, 3) ORDER BY v;
SELECT v FROM t WHERE id = (3);
SELECT v FROM t WHERE 2 = id;
SELECT v FROM t WHERE 2 <= id ORDER BY id;
SELECT v FROM t WHERE id IN ('1', 2, 3.0) ORDER BY v;
SELECT v FROM t WHERE id = CAST('3' AS SIGNED);
SELECT v FROM ks WHERE k = 0;

# dates, times and decimals as keys
INSERT INTO kd VALUES ('2024-01-01',1),('2024-02-29',2),('2023-06-15',3);
SELECT v FROM kd WHERE k = '2024-01-01';
SELECT v FROM kd WHERE k = '2024-1-1';
SELECT v FROM kd WHERE k = 20240229;
SELECT v FROM kd WHERE k = DATE '2024-02-29';
SELECT v FROM kd WHERE k = '2024-02-29 00:00:00';
SELECT v FROM kd WHERE k >= '2024-01-01' ORDER BY k;
SELECT v FROM kd WHERE k BETWEEN '2023-01-01' AND '2023-12-31';
SELECT k FROM kd ORDER BY k;
INSERT INTO kc VALUES (1.50,1),(-2.25,2),(10,3);
SELECT v FROM kc WHERE k = 1.5;
SELECT v FROM kc WHERE k = '1.50';
SELECT v FROM kc WHERE k = 1.500;
SELECT v FROM kc WHERE k = -2.25;
SELECT v FROM kc WHERE k = 10;
SELECT v FROM kc WHERE k < 2 ORDER BY k;
SELECT k FROM kc ORDER BY k DESC;

# instants as keys, in the servers' own time zone and in others
INSERT INTO kt VALUES ('2024-01-01 00:00:00', 1), ('2024-06-01 12:30:00', 2), ('2023-12-31 23:59:59', 3);
SELECT v FROM kt WHERE k = '2024-06-01 12:30:00';
SELECT k, v FROM kt WHERE k >= '2024-01-01' ORDER BY k;
SET time_zone = '+05:30';
INSERT INTO kt VALUES ('2024-03-01 00:00:00', 4);
SELECT v FROM kt WHERE k = '2024-06-01 18:00:00';
SELECT k, v FROM kt ORDER BY k;
SET time_zone = 'UTC';
SELECT v FROM kt WHERE k = '2024-02-29 18:30:00';

# dates stored from every written form are found again
-- refused 1235
INSERT INTO kd VALUES ('2024-3-5', 1), ('2024-02-30', 7);
INSERT INTO kd VALUES ('2024-3-5', 1), (20240306, 2), ('20240307', 3), ('2024-03-08T10:11:12', 4), (20230101112233, 5), ('2023-7-1', 6), ('2024-1-1 1:2:3', 7);
SELECT v FROM kd WHERE k = '2024-03-05';
SELECT v FROM kd WHERE k = '2024-03-06';
SELECT v FROM kd WHERE k = '2024-03-07';
SELECT v FROM kd WHERE k = '2024-03-08';
SELECT v FROM kd WHERE k = '2023-01-01';
SELECT v FROM kd WHERE k = '2023-07-01';
SELECT v FROM kd WHERE k = '2024-01-01';
SELECT k, v FROM kd ORDER BY k;
INSERT INTO kt VALUES ('2024-3-5 7:8:9', 1), (20240306, 2), (20240307101112, 3), ('2024-1-1T0:0:0', 4);
SELECT v FROM kt WHERE k = '2024-03-05 07:08:09';
SELECT v FROM kt WHERE k = '2024-03-06 00:00:00';
SELECT v FROM kt WHERE k = '2024-03-07 10:11:12';
SELECT v FROM kt WHERE k = '2024-01-01 00:00:00';
