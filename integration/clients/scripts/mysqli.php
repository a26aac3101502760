<?php
// The common work of the client suite with PHP's mysqli (mysqlnd) and PDO.
[, $host, $port, $user, $password] = $argv;
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$db = new mysqli($host, $user, $password, 'clients', (int)$port);
$db->set_charset('utf8mb4');
$db->query('DELETE FROM people');
$in = $db->prepare('INSERT INTO people (id, name, born, money, note) VALUES (?, ?, ?, ?, ?)');
foreach (range(1, 6) as $i) {
    $name = "Zoë 😀 $i"; $born = $i % 2 ? '1990-02-28' : null; $money = "$i.25"; $note = null;
    $in->bind_param('issss', $i, $name, $born, $money, $note);
    $in->execute();
    echo 'inserted ', $in->affected_rows, "\n";
}
$in->close();
$out = $db->prepare('SELECT id, name, born, money, note FROM people WHERE id > ? ORDER BY id DESC');
$min = 2; $out->bind_param('i', $min); $out->execute();
$r = $out->get_result();
foreach ($r->fetch_fields() as $f) echo $f->name, ':', $f->type, ' ';
echo "\n";
while ($row = $r->fetch_row()) echo json_encode($row, JSON_UNESCAPED_UNICODE), "\n";
$out->close();
$one = $db->prepare('SELECT name, money FROM people WHERE id = ?');
foreach ([3, 4, 99] as $id) { $one->bind_param('i', $id); $one->execute(); echo json_encode($one->get_result()->fetch_all()), "\n"; }
$one->close();
echo json_encode($db->query('SELECT COUNT(*) c, SUM(money) s, AVG(money) a FROM people')->fetch_all(MYSQLI_ASSOC)), "\n";
try { $db->query("INSERT INTO people (id, name) VALUES (1, 'again')"); } catch (mysqli_sql_exception $e) { echo 'error ', $e->getCode(), ' ', $db->sqlstate, "\n"; }
$db->begin_transaction(); $db->query("UPDATE people SET name = 'gone' WHERE id = 2"); $db->rollback();
$db->begin_transaction(); $db->query("UPDATE people SET name = 'kept' WHERE id = 3"); $db->commit();
echo json_encode($db->query('SELECT name FROM people WHERE id IN (2, 3) ORDER BY id')->fetch_all()), "\n";
$db->query("INSERT INTO logs (what) VALUES ('php')");
echo 'generated ', json_encode($db->query('SELECT what FROM logs WHERE id = ' . $db->insert_id)->fetch_all()), "\n";
$db->query("UPDATE people SET name = 'kept' WHERE id = 3");
echo 'info ', $db->info, "\n";
$db->multi_query('SELECT id FROM people WHERE id = 2; SELECT COUNT(*) FROM people');
do { $m = $db->store_result(); echo json_encode($m->fetch_all()), "\n"; } while ($db->more_results() && $db->next_result());
$u = $db->query('SELECT id FROM people ORDER BY id', MYSQLI_USE_RESULT);
echo json_encode($u->fetch_row()), count($u->fetch_all()), "\n";
$db->close();

foreach ([true, false] as $emulate) {
    $pdo = new PDO("mysql:host=$host;port=$port;dbname=clients;charset=utf8mb4", $user, $password,
        [PDO::ATTR_EMULATE_PREPARES => $emulate, PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
    $st = $pdo->prepare('SELECT id, money FROM people WHERE name = :n OR id = :i ORDER BY id');
    $st->execute(['n' => 'kept', 'i' => 5]);
    echo json_encode($st->fetchAll(PDO::FETCH_NUM)), "\n";
    try { $pdo->exec('SELECT nope FROM people'); } catch (PDOException $e) { echo 'error ', $e->getCode(), ' ', $e->errorInfo[1], "\n"; }
    $pdo->beginTransaction(); $pdo->exec("DELETE FROM people WHERE id = 6"); $pdo->rollBack();
    echo $pdo->query('SELECT COUNT(*) FROM people')->fetchColumn(), "\n";
}
