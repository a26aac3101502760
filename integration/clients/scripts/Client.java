// The common work of the client suite with MariaDB's Connector/J, with client-side and server-side prepared statements.
import java.math.BigDecimal;
import java.sql.*;

public class Client {
    public static void main(String[] a) throws Exception {
        // The fifth argument names the connection options to go through, separated by blanks.
        for (String more : ("x " + a[4]).split(" ")) {
            more = more.equals("x") ? "" : "&" + more;
            String url = "jdbc:mariadb://" + a[0] + ":" + a[1] + "/clients?user=" + a[2] + "&password=" + a[3] + "&allowPublicKeyRetrieval=true" + more;
            System.out.println("options " + more);
            try (Connection c = DriverManager.getConnection(url)) { work(c); }
        }
    }

    static void work(Connection c) throws Exception {
        System.out.println("autocommit " + c.getAutoCommit() + " catalog " + c.getCatalog() + " valid " + c.isValid(2));
        try (Statement s = c.createStatement()) { s.executeUpdate("DELETE FROM people"); }
        try (PreparedStatement p = c.prepareStatement("INSERT INTO people (id, name, born, money, note) VALUES (?, ?, ?, ?, ?)")) {
            for (int i = 1; i <= 6; i++) {
                p.setLong(1, i);
                p.setString(2, "Zoë 😀 " + i);
                p.setDate(3, i % 2 == 0 ? null : Date.valueOf("1990-02-28"));
                p.setBigDecimal(4, new BigDecimal(i + ".25"));
                p.setNull(5, Types.VARCHAR);
                System.out.println("inserted " + p.executeUpdate());
            }
        }
        try (PreparedStatement p = c.prepareStatement("INSERT INTO people (id, name, money) VALUES (?, ?, ?)")) {
            for (int i = 10; i < 20; i++) { p.setInt(1, i); p.setString(2, "batch"); p.setInt(3, i); p.addBatch(); }
            System.out.println("batch " + p.executeBatch().length);
        }
        try (PreparedStatement p = c.prepareStatement("SELECT id, name, born, money, note FROM people WHERE id > ? ORDER BY id DESC LIMIT 8")) {
            p.setInt(1, 2);
            print(p.executeQuery());
        }
        try (Statement s = c.createStatement()) {
            print(s.executeQuery("SELECT name, COUNT(*) n, SUM(money) m, AVG(money) a FROM people GROUP BY name ORDER BY name"));
            System.out.println("updated " + s.executeUpdate("UPDATE people SET money = money + 1 WHERE id IN (1, 2, 3)"));
            s.executeUpdate("INSERT INTO logs (what) VALUES ('java'), ('java2')", Statement.RETURN_GENERATED_KEYS);
            ResultSet k = s.getGeneratedKeys();
            k.next();
            print(s.executeQuery("SELECT what FROM logs WHERE id = " + k.getLong(1)));
            try { s.executeUpdate("INSERT INTO people (id, name) VALUES (1, 'again')"); } catch (SQLException e) { System.out.println("error " + e.getErrorCode() + " " + e.getSQLState()); }
            try { s.executeQuery("SELECT nope FROM people"); } catch (SQLException e) { System.out.println("error " + e.getErrorCode() + " " + e.getSQLState()); }
            c.setAutoCommit(false);
            s.executeUpdate("UPDATE people SET name = 'gone' WHERE id = 2");
            c.rollback();
            s.executeUpdate("UPDATE people SET name = 'kept' WHERE id = 3");
            Savepoint sp = c.setSavepoint("sp");
            s.executeUpdate("UPDATE people SET note = 'lost' WHERE id = 3");
            c.rollback(sp);
            c.commit();
            c.setAutoCommit(true);
            print(s.executeQuery("SELECT id, name, note FROM people WHERE id IN (2, 3) ORDER BY id"));
            s.setFetchSize(2);
            print(s.executeQuery("SELECT id FROM people ORDER BY id"));
        }
        c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        System.out.println("isolation " + c.getTransactionIsolation());
        DatabaseMetaData md = c.getMetaData();
        try (ResultSet r = md.getColumns("clients", null, "people", "%")) {
            while (r.next()) System.out.println("column " + r.getString("COLUMN_NAME") + " " + r.getString("TYPE_NAME"));
        }
        try (ResultSet r = md.getPrimaryKeys("clients", null, "people")) {
            while (r.next()) System.out.println("key " + r.getString("COLUMN_NAME"));
        }
    }

    static void print(ResultSet r) throws Exception {
        ResultSetMetaData m = r.getMetaData();
        StringBuilder head = new StringBuilder();
        for (int i = 1; i <= m.getColumnCount(); i++) head.append(m.getColumnLabel(i)).append(':').append(m.getColumnTypeName(i)).append(' ');
        System.out.println(head);
        while (r.next()) {
            StringBuilder row = new StringBuilder();
            for (int i = 1; i <= m.getColumnCount(); i++) row.append(r.getString(i)).append('|');
            System.out.println(row);
        }
        r.close();
    }
}
