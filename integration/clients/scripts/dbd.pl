# The common work of the client suite with Perl's DBI; the driver is named by the fifth argument: mysql or MariaDB.
use strict;
use warnings;
use utf8;
use DBI;
binmode STDOUT, ':utf8';

my ($host, $port, $user, $password, $driver) = @ARGV;
my $utf8 = $driver eq 'mysql' ? ';mysql_enable_utf8mb4=1' : '';
for my $server_prepare (0, 1) {
    my $key = $driver eq 'mysql' ? 'mysql_server_prepare' : 'mariadb_server_prepare';
    my $db = DBI->connect("DBI:$driver:database=clients;host=$host;port=$port$utf8", $user, $password,
        { RaiseError => 1, PrintError => 0, AutoCommit => 1, $key => $server_prepare });
    print "server prepare $server_prepare\n";
    $db->do("DELETE FROM people");
    my $in = $db->prepare("INSERT INTO people (id, name, born, money, note) VALUES (?, ?, ?, ?, ?)");
    print "inserted ", $in->execute($_, "Zoë $_", $_ % 2 ? '1990-02-28' : undef, "$_.25", undef), "\n" for 1 .. 6;
    my $out = $db->prepare("SELECT id, name, born, money, note FROM people WHERE id > ? ORDER BY id DESC LIMIT 4");
    $out->execute(1);
    print join(",", @{ $out->{NAME} }), "\n";
    while (my @row = $out->fetchrow_array) { print join("|", map { defined $_ ? $_ : 'NULL' } @row), "\n" }
    my $one = $db->prepare("SELECT name FROM people WHERE id = ?");
    for my $id (3, 4, 99) { $one->execute($id); my ($n) = $one->fetchrow_array; print "one ", defined $n ? $n : 'none', "\n" }
    print "sum ", join("|", $db->selectrow_array("SELECT COUNT(*), SUM(money), AVG(money) FROM people")), "\n";
    eval { $in->execute(1, 'again', undef, 0, undef) };
    print "error ", $db->err, " ", $db->state, "\n";
    $db->begin_work;
    $db->do("UPDATE people SET name = 'gone' WHERE id = 2");
    $db->rollback;
    $db->begin_work;
    $db->do("UPDATE people SET name = 'kept' WHERE id = 3");
    $db->commit;
    print join("|", map { @$_ } @{ $db->selectall_arrayref("SELECT name FROM people WHERE id IN (2, 3) ORDER BY id") }), "\n";
    $db->do("INSERT INTO logs (what) VALUES ('perl')");
    my $id = $db->last_insert_id(undef, undef, 'logs', 'id');
    print "generated ", $db->selectrow_array("SELECT what FROM logs WHERE id = ?", undef, $id), "\n";
    print "tables ", join(",", map { @$_ } @{ $db->selectall_arrayref("SHOW TABLES") }), "\n";
    my $info = $db->column_info(undef, 'clients', 'people', '%');
    print "columns ", join(",", map { "$_->{COLUMN_NAME}:$_->{TYPE_NAME}" } @{ $info->fetchall_arrayref({}) }), "\n";
    $db->disconnect;
}
