# The common work of the client suite with PyMySQL.
import datetime
import decimal
import sys

import pymysql

host, port, user, password = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]


def connect(**more):
    return pymysql.connect(host=host, port=port, user=user, password=password, database="clients", charset="utf8mb4", **more)


db = connect()
cur = db.cursor()
print("autocommit", db.get_autocommit())
db.autocommit(True)  # rows of many nodes: not part of a transaction
cur.execute("DELETE FROM people")
db.autocommit(False)

n = cur.execute("INSERT INTO people (id, name, born, money, note) VALUES (%s, %s, %s, %s, %s)",
                (1, "Zoë 😀", datetime.date(1990, 2, 28), decimal.Decimal("-12.50"), None))
print("inserted", n)
db.commit()
for i in range(2, 9):  # one node each: a transaction of its own
    cur.execute("INSERT INTO people (id, name, born, money, note) VALUES (%s, %s, %s, %s, %s)",
                (i, "it's n°%d" % i, None, decimal.Decimal(i) / 4, "x" * i))
    db.commit()
db.autocommit(True)
n = cur.executemany("INSERT INTO people (id, name, money) VALUES (%s, %s, %s)", [(i, "many", i) for i in range(10, 20)])
print("many", n)

cur.execute("SELECT * FROM people ORDER BY id")
print([d[:2] for d in cur.description])
for row in cur.fetchall():
    print(row)
cur.execute("SELECT name, COUNT(*), SUM(money), AVG(money), MIN(born) FROM people GROUP BY name ORDER BY name")
print(cur.fetchall())
print("updated", cur.execute("UPDATE people SET money = money + 1 WHERE id IN (1, 2, 3)"))
print("unchanged", cur.execute("UPDATE people SET name = name"))
try:
    cur.execute("INSERT INTO people (id, name) VALUES (1, 'again')")
except pymysql.err.IntegrityError as e:
    print("error", e.args[0])
try:
    cur.execute("SELECT nope FROM people")
except pymysql.err.OperationalError as e:
    print("error", e.args[0])

db.begin()
cur.execute("UPDATE people SET note = 'gone' WHERE id = 5")
db.rollback()
db.begin()
cur.execute("UPDATE people SET note = 'kept' WHERE id = 6")
db.commit()
cur.execute("SELECT id, note FROM people WHERE id IN (5, 6) ORDER BY id")
print(cur.fetchall())

cur.execute("INSERT INTO logs (what) VALUES ('a')")
first = cur.lastrowid
cur.execute("SELECT what FROM logs WHERE id = %s", (first,))
print("by generated id", cur.fetchall(), first > 0)
big = "é" * 1500000
cur.execute("UPDATE people SET note = %s WHERE id = 7", (big,))
cur.execute("SELECT CHAR_LENGTH(note), note = %s FROM people WHERE id = 7", (big,))
print("big", cur.fetchall())
db.ping(reconnect=False)
db.select_db("clients")
cur.execute("SELECT DATABASE()")
print(cur.fetchall())

sscur = connect(cursorclass=pymysql.cursors.SSCursor).cursor()
sscur.execute("SELECT id FROM people ORDER BY id DESC")
print("unbuffered", sscur.fetchone(), sscur.fetchmany(3), len(sscur.fetchall()))
found = connect(client_flag=pymysql.constants.CLIENT.FOUND_ROWS, autocommit=True).cursor()
print("found rows", found.execute("UPDATE people SET name = name"))
multi = connect(client_flag=pymysql.constants.CLIENT.MULTI_STATEMENTS, autocommit=True).cursor()
multi.execute("SELECT id FROM people WHERE id = 2; SELECT COUNT(*) FROM people; DELETE FROM people WHERE id = 19")
out = [multi.fetchall()]
while multi.nextset():
    out.append(multi.fetchall() if multi.description else multi.rowcount)
print("multi", out)
