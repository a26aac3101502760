package dbserver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// furnish runs the server once on a new data folder, reachable by its socket only, and loads what every copy needs: the time zone
// tables and the root account for loopback.
func (in *Install) furnish(ctx context.Context, work string) (err error) {
	zones, err := in.zoneStatements(ctx, work)
	if err != nil {
		return err
	}
	s := New(ServerConfig{Install: in, Name: "template", Dir: work})
	flags := append(identityFlags(in, s.dataDir()), "--skip-networking", "--socket="+s.socket, "--skip-log-bin",
		"--innodb-flush-log-at-trx-commit=0", "--lower-case-table-names=0", "--performance-schema=OFF", "--max-allowed-packet=64M")
	if in.Flavour == MySQL {
		flags = append(flags, "--mysqlx=OFF", "--innodb-redo-log-capacity=64M")
	} else {
		flags = append(flags, "--innodb-log-file-size=16M")
	}
	if s.run, err = s.launch(flags); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop(context.WithoutCancel(ctx))) }()
	if err := s.awaitReady(ctx, s.run); err != nil {
		return err
	}
	cfg := s.DriverConfig()
	cfg.Net, cfg.Addr, cfg.DBName, cfg.MultiStatements = "unix", s.socket, "mysql", true
	db, err := openPool(cfg)
	if err != nil {
		return err
	}
	defer closePool(db)
	if err := loadZones(ctx, db, zones); err != nil {
		return err
	}
	for _, statement := range accountStatements(in.Flavour) {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("make the root account: %w", err)
		}
	}
	return nil
}

// accountStatements leave two accounts: root by the socket, and root from loopback by TCP. The servers listen on loopback only.
func accountStatements(f Flavour) []string {
	if f == MariaDB {
		return []string{
			"DELETE FROM mysql.global_priv WHERE user IN ('root', '') AND host <> 'localhost'",
			"FLUSH PRIVILEGES",
			"CREATE USER root@'127.%'",
			"GRANT ALL PRIVILEGES ON *.* TO root@'127.%' WITH GRANT OPTION",
		}
	}
	return []string{
		"CREATE USER root@'127.%' IDENTIFIED BY ''",
		"GRANT ALL PRIVILEGES ON *.* TO root@'127.%' WITH GRANT OPTION",
	}
}

// zoneStatements has the server's own tool turn the compiled time zones into SQL. The variants that count leap seconds are left out.
func (in *Install) zoneStatements(ctx context.Context, work string) (string, error) {
	tool, source := in.Tool("mysql_tzinfo_to_sql", "mariadb-tzinfo-to-sql"), in.zoneinfo()
	if tool == "" || source == "" {
		return "", errors.New("time zones need the program mysql_tzinfo_to_sql and the files of the package tzdata")
	}
	entries, err := os.ReadDir(source)
	if err != nil {
		return "", fmt.Errorf("list the time zones: %w", err)
	}
	picked := filepath.Join(work, "zones")
	if err := os.Mkdir(picked, 0o755); err != nil {
		return "", fmt.Errorf("pick the time zones: %w", err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if name == "right" || name == "posix" || name == "localtime" || strings.Contains(name, ".") || strings.HasPrefix(name, "leap") {
			continue
		}
		if err := os.Symlink(filepath.Join(source, name), filepath.Join(picked, name)); err != nil {
			return "", fmt.Errorf("pick the time zones: %w", err)
		}
	}
	out, err := in.CommandContext(ctx, tool, picked).Output()
	if err != nil {
		return "", fmt.Errorf("read the time zones: %s: %w", commandError(err), err)
	}
	return string(out), nil
}

// loadZones runs the tool's script in pieces that fit a packet; a piece ends where a statement ends a line.
func loadZones(ctx context.Context, db *sql.DB, script string) (err error) {
	conn, err := db.Conn(ctx) // the script keeps ids in user variables
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	const piece = 1 << 20
	for script != "" {
		end := len(script)
		if end > piece {
			if cut := strings.LastIndex(script[:piece], ";\n"); cut > 0 {
				end = cut + 2
			}
		}
		if _, err := conn.ExecContext(ctx, script[:end]); err != nil {
			return fmt.Errorf("load the time zones: %w", err)
		}
		script = script[end:]
	}
	return nil
}
