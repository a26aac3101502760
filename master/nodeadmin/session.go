package nodeadmin

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/rules/catalog"
)

// Session is one connection that carries out definitions for a job.
type Session struct {
	node *Node
	conn *sql.Conn
	// Flavor is the server's.
	Flavor catalog.Flavor
}

// SessionOptions say for whom and how a session works.
type SessionOptions struct {
	// Job and Epoch are whom it acts for. Job 0 is no job: such a session takes no lock.
	Job, Epoch uint64
	Flavor     catalog.Flavor
	// Schema becomes the current one, if it is set and exists.
	Schema string
	// Settings are session variables, name → SQL literal; those that don't matter to definitions are left out.
	Settings map[string]string
}

// definitionSettings are the session variables that change what a definition means.
var definitionSettings = []string{
	"sql_mode", "collation_connection", "character_set_connection", "foreign_key_checks", "unique_checks", "default_storage_engine",
	"explicit_defaults_for_timestamp", "time_zone", "innodb_strict_mode", "sql_require_primary_key", "default_collation_for_utf8mb4",
}

// plainLiteral is what a setting's value may look like.
var plainLiteral = regexp.MustCompile(`^('[A-Za-z0-9_,+:./ -]*'|[0-9]+|[A-Za-z][A-Za-z0-9_]*)$`)

// Session opens a session, takes the job's lock and proves that this leader is still the node's (ErrDeposed).
func (n *Node) Session(ctx context.Context, o SessionOptions) (_ *Session, err error) {
	conn, err := n.db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("reach node %s: %w", n.Name, err)
	}
	s := &Session{node: n, conn: conn, Flavor: o.Flavor}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if o.Job != 0 {
		if err := s.lockJob(ctx, o.Job); err != nil {
			return nil, err
		}
	}
	res, err := conn.ExecContext(ctx, "UPDATE ballast_sys.leader SET n = n + 1 WHERE id = 1 AND epoch = ?", o.Epoch)
	if err != nil {
		return nil, fmt.Errorf("write the leader row of node %s: %w", n.Name, err)
	}
	if rows, err := res.RowsAffected(); err != nil || rows != 1 {
		return nil, errors.Join(fmt.Errorf("node %s: %w", n.Name, ErrDeposed), err)
	}
	if o.Settings != nil {
		// A client's session begins with its character set's default collation, not with the driver's.
		if _, err := conn.ExecContext(ctx, "SET NAMES utf8mb4"); err != nil {
			return nil, fmt.Errorf("set the character set on node %s: %w", n.Name, err)
		}
	}
	for _, name := range definitionSettings {
		value, ok := o.Settings[name]
		if !ok || !plainLiteral.MatchString(value) {
			continue
		}
		if _, err := conn.ExecContext(ctx, "SET SESSION "+name+" = "+value); err != nil && !IsServerError(err, 1193, 1238, 1227) {
			return nil, fmt.Errorf("set %s on node %s: %w", name, n.Name, err)
		}
	}
	if o.Schema != "" {
		if _, err := conn.ExecContext(ctx, "USE "+Quote(o.Schema)); err != nil && !IsServerError(err, 1049) {
			return nil, fmt.Errorf("use %s on node %s: %w", o.Schema, n.Name, err)
		}
	}
	return s, nil
}

func (s *Session) lockJob(ctx context.Context, job uint64) error {
	var locked int
	if err := s.conn.QueryRowContext(ctx, "SELECT COALESCE(GET_LOCK(?, 5), 0)", jobLock(job)).Scan(&locked); err != nil {
		return fmt.Errorf("lock job %d on node %s: %w", job, s.node.Name, err)
	}
	if locked != 1 {
		return fmt.Errorf("lock job %d on node %s: an earlier attempt is still running", job, s.node.Name)
	}
	return nil
}

func jobLock(job uint64) string { return "ballast.ddl." + strconv.FormatUint(job, 10) }

// Close gives the connection up for good: its settings, locks and temporary tables go with it.
func (s *Session) Close() error {
	err := s.conn.Raw(func(any) error { return driver.ErrBadConn })
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) {
		return nil
	}
	return err
}

// BreakJob ends whatever session still works for a job under an older leader.
func (n *Node) BreakJob(ctx context.Context, job uint64) error {
	var holder sql.NullInt64
	if err := n.db.QueryRowContext(ctx, "SELECT IS_USED_LOCK(?)", jobLock(job)).Scan(&holder); err != nil {
		return fmt.Errorf("look for an older session of job %d on node %s: %w", job, n.Name, err)
	}
	if !holder.Valid {
		return nil
	}
	if _, err := n.db.ExecContext(ctx, "KILL "+strconv.FormatInt(holder.Int64, 10)); err != nil && !IsServerError(err, 1094) {
		return fmt.Errorf("end an older session of job %d on node %s: %w", job, n.Name, err)
	}
	return nil
}

// Exec runs one statement and gives the affected rows and the statement's warnings.
func (s *Session) Exec(ctx context.Context, statement string) (uint64, []api.Note, error) {
	res, err := s.conn.ExecContext(ctx, statement)
	if err != nil {
		return 0, nil, err
	}
	affected, err := res.RowsAffected()
	if err != nil {
		return 0, nil, err
	}
	rows, err := s.conn.QueryContext(ctx, "SHOW WARNINGS")
	if err != nil {
		return 0, nil, err
	}
	var notes []api.Note
	err = each(rows, func() error {
		var note api.Note
		if err := rows.Scan(&note.Level, &note.Number, &note.Message); err != nil {
			return err
		}
		notes = append(notes, note)
		return nil
	})
	return uint64(max(affected, 0)), notes, err
}

// Shape reads a table through the session.
func (s *Session) Shape(ctx context.Context, name catalog.Name) (*core.Shape, error) {
	shape, err := readShape(ctx, s.conn, s.Flavor, name)
	if err != nil {
		return nil, fmt.Errorf("read the definition of %s on node %s: %w", name, s.node.Name, err)
	}
	return shape, nil
}

// Definition gives a table's normalized definition, "" if there is no such table.
func (s *Session) Definition(ctx context.Context, name catalog.Name) (string, error) {
	text, err := s.CreateText(ctx, name)
	if err != nil || text == "" {
		return "", err
	}
	return core.NormalizeDefinition(text, name.Schema), nil
}

// CreateText is what SHOW CREATE TABLE says, "" if there is no such table.
func (s *Session) CreateText(ctx context.Context, name catalog.Name) (text string, err error) {
	rows, err := s.conn.QueryContext(ctx, "SHOW CREATE TABLE "+QuoteName(name))
	if IsServerError(err, 1146, 1049) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the definition of %s on node %s: %w", name, s.node.Name, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return "", err
	}
	values := make([]sql.NullString, len(columns))
	targets := make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	if err := each(rows, func() error { return rows.Scan(targets...) }); err != nil {
		return "", fmt.Errorf("read the definition of %s on node %s: %w", name, s.node.Name, err)
	}
	at := slices.IndexFunc(columns, func(c string) bool { return strings.HasPrefix(c, "Create ") })
	if at < 0 {
		return "", fmt.Errorf("node %s describes %s in an unknown way", s.node.Name, name)
	}
	return values[at].String, nil
}

// Schema reads a database's character set and collation; ok is false if there is none.
func (s *Session) Schema(ctx context.Context, name string) (charset, collation string, ok bool, err error) {
	err = s.conn.QueryRowContext(ctx, "SELECT DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?", name).
		Scan(&charset, &collation)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", false, nil
	}
	if err != nil {
		return "", "", false, fmt.Errorf("read database %s on node %s: %w", name, s.node.Name, err)
	}
	return charset, collation, true, nil
}
