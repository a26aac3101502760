package meta

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"ballast/rules/failure"
)

//go:embed migrations/*.sql
var migrations embed.FS

var errNewerSchema = failure.Define("BL6002", 1105, "HY000", "the metadata schema is at migration %d, this build knows only %d",
	"start a master of the newer build; older ones may not write a schema they do not know")

type migration struct {
	number int
	name   string
	sql    string
}

// readMigrations gives the embedded migrations in order: 1, 2, … without gaps.
func readMigrations(dir fs.FS) ([]migration, error) {
	files, err := fs.Glob(dir, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var out []migration
	for i, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "migrations/"), ".sql")
		number, err := strconv.Atoi(name[:strings.IndexByte(name+"_", '_')])
		if err != nil || number != i+1 {
			return nil, fmt.Errorf("migration %s is out of order: want number %d", name, i+1)
		}
		text, err := fs.ReadFile(dir, file)
		if err != nil {
			return nil, err
		}
		out = append(out, migration{number, name, string(text)})
	}
	return out, nil
}

// statements splits a migration: each statement ends with ";" at the end of a line; lines beginning with "--" are comments.
func (m migration) statements() []string {
	var out []string
	var one strings.Builder
	for line := range strings.Lines(m.sql) {
		if strings.HasPrefix(strings.TrimSpace(line), "--") {
			continue
		}
		one.WriteString(line)
		if strings.HasSuffix(strings.TrimSpace(line), ";") {
			out = append(out, strings.TrimSuffix(strings.TrimSpace(one.String()), ";"))
			one.Reset()
		}
	}
	return out
}

// migrate applies what is missing. Masters that start at the same time wait for one another. Definitions do not roll back, so a migration
// that broke half-way is made again with "already exists" (1050) taken for done.
func (s *Store) migrate(ctx context.Context) (err error) {
	all, err := readMigrations(migrations)
	if err != nil {
		return err
	}
	conn, err := s.db.Connx(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var locked int
	if err := conn.GetContext(ctx, &locked, "SELECT COALESCE(GET_LOCK(CONCAT('ballast.migrate.', DATABASE()), 8), 0)"); err != nil {
		return err
	}
	if locked != 1 {
		return errors.New("another master is migrating the schema")
	}
	defer func() {
		if _, unlockErr := conn.ExecContext(ctx, "DO RELEASE_LOCK(CONCAT('ballast.migrate.', DATABASE()))"); unlockErr != nil {
			err = errors.Join(err, unlockErr)
		}
	}()
	if _, err := conn.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS migrations (
		number INT UNSIGNED NOT NULL PRIMARY KEY, name VARCHAR(128) NOT NULL, applied_at DATETIME(6) NOT NULL
	) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`); err != nil {
		return err
	}
	var have int
	if err := conn.GetContext(ctx, &have, "SELECT COALESCE(MAX(number), 0) FROM migrations"); err != nil {
		return err
	}
	if have > len(all) {
		return errNewerSchema.New(have, len(all))
	}
	for _, m := range all[have:] {
		if err := applyMigration(ctx, conn, m); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return nil
}

func applyMigration(ctx context.Context, conn *sqlx.Conn, m migration) error {
	for _, statement := range m.statements() {
		// Rows put in by an earlier, broken run are kept.
		statement = strings.Replace(statement, "INSERT INTO", "INSERT IGNORE INTO", 1)
		if _, err := conn.ExecContext(ctx, statement); err != nil && !isServerError(err, 1050, 1060, 1061) {
			return err
		}
	}
	_, err := conn.ExecContext(ctx, "INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, UTC_TIMESTAMP(6))", m.number, m.name)
	return err
}
