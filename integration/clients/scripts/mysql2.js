// The common work of the client suite with mysql2 for Node: text queries, prepared statements, a pool.
const mysql = require('mysql2/promise');
const [, , host, port, user, password] = process.argv;

async function main() {
  const options = { host, port: Number(port), user, password, database: 'clients', charset: 'utf8mb4', dateStrings: true };
  const db = await mysql.createConnection(options);
  await db.query('DELETE FROM people');
  for (let i = 1; i <= 6; i++) {
    const [r] = await db.execute('INSERT INTO people (id, name, born, money, note) VALUES (?, ?, ?, ?, ?)',
      [i, `Zoë 😀 ${i}`, i % 2 ? '1990-02-28' : null, `${i}.25`, null]);
    console.log('inserted', r.affectedRows);
  }
  const [many] = await db.query('INSERT INTO people (id, name, money) VALUES ?', [[[10, 'many', 1], [11, 'many', 2], [12, 'many', 3]]]);
  // Not many.info: the driver reads the length byte into it wherever a server does not track sessions.
  console.log('many', many.affectedRows);
  for (const run of ['query', 'execute']) {
    const [rows, fields] = await db[run]('SELECT id, name, born, money, note FROM people WHERE id > ? ORDER BY id DESC', [2]);
    console.log(run, fields.map((f) => `${f.name}:${f.columnType}`).join(' '));
    for (const row of rows) console.log(JSON.stringify(row));
    for (const id of [3, 4, 99]) console.log(JSON.stringify((await db[run]('SELECT name, money FROM people WHERE id = ?', [id]))[0]));
    console.log(JSON.stringify((await db[run]('SELECT COUNT(*) c, SUM(money) s, AVG(money) a, MAX(born) b FROM people'))[0]));
    try { await db[run]('INSERT INTO people (id, name) VALUES (?, ?)', [1, 'again']); } catch (e) { console.log('error', e.errno, e.sqlState); }
    try { await db[run]('SELECT nope FROM people'); } catch (e) { console.log('error', e.errno, e.sqlState); }
  }
  await db.beginTransaction();
  await db.query("UPDATE people SET name = 'gone' WHERE id = 2");
  await db.rollback();
  await db.beginTransaction();
  await db.query("UPDATE people SET name = 'kept' WHERE id = 3");
  await db.commit();
  console.log(JSON.stringify((await db.query('SELECT name FROM people WHERE id IN (2, 3) ORDER BY id'))[0]));
  const [log] = await db.execute('INSERT INTO logs (what) VALUES (?)', ['node']);
  console.log(JSON.stringify((await db.execute('SELECT what FROM logs WHERE id = ?', [log.insertId]))[0]));
  await db.changeUser({ user, password, database: 'clients' });
  console.log(JSON.stringify((await db.query('SELECT COUNT(*) c FROM people'))[0]));
  await db.end();

  const pool = mysql.createPool({ ...options, connectionLimit: 5, multipleStatements: true });
  const counts = await Promise.all(Array.from({ length: 20 }, (_, i) => pool.execute('SELECT COUNT(*) c FROM people WHERE id <= ?', [i])));
  console.log(JSON.stringify(counts.map(([r]) => r[0].c)));
  console.log(JSON.stringify((await pool.query('SELECT id FROM people WHERE id = 2; SELECT COUNT(*) c FROM people'))[0]));
  await pool.end();
}

main().catch((e) => { console.error(e); process.exit(1); });
