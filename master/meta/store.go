package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"ballast/rules"
	"ballast/rules/failure"
)

// ErrDeposed says that another master leads now: the transaction changed nothing.
var ErrDeposed = errors.New("another master has taken over the lease")

// ErrUnknown says that the connection broke during COMMIT: the transaction may or may not have happened.
var ErrUnknown = errors.New("the outcome of a metadata transaction is unknown")

var errMultiPrimary = failure.Define("BL6001", 1105, "HY000", "the metadata server %s accepts writes on several primaries (%s)",
	"use one writable primary: Group Replication in single-primary mode, semi-sync replication or a single server")

// DefaultSchema is the schema's name when Config names none.
const DefaultSchema = "ballast_meta"

// Config says where the metadata is.
type Config struct {
	// DSN is go-sql-driver's: user:password@tcp(host:port)/ . A database in it replaces DefaultSchema.
	DSN string
	// Key seals the nodes' and accounts' passwords; 32 bytes (see ReadKey).
	Key []byte
}

// Store is the metadata. Reads may come from anywhere; Do calls must not overlap with Load (the leader serializes them).
type Store struct {
	db     *sqlx.DB
	addr   string
	sealer *sealer
	// ids holds the strategies that are stored, by identity, so that tables of a group share one row.
	ids map[*rules.Strategy]uint64
}

// Open connects, makes the schema if there is none, and migrates it.
func Open(ctx context.Context, c Config) (*Store, error) {
	cfg, err := mysql.ParseDSN(c.DSN)
	if err != nil {
		return nil, errDSN // the driver's own error may hold the password
	}
	s, err := newSealer(c.Key)
	if err != nil {
		return nil, err
	}
	if cfg.DBName == "" {
		cfg.DBName = DefaultSchema
	}
	prepareDSN(cfg)
	if err := makeSchema(ctx, cfg); err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("use the metadata DSN: %w", err)
	}
	db := sqlx.NewDb(sql.OpenDB(connector), "mysql")
	// The server rolls back an idle transaction of a frozen master after wait_timeout; idle connections are closed before that.
	db.SetConnMaxIdleTime(1500 * time.Millisecond)
	db.SetMaxOpenConns(16)
	st := &Store{db: db, addr: cfg.Addr, sealer: s, ids: map[*rules.Strategy]uint64{}}
	if err := st.checkPrimary(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := st.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("migrate the metadata schema on %s: %w", cfg.Addr, err), db.Close())
	}
	return st, nil
}

func prepareDSN(cfg *mysql.Config) {
	cfg.ParseTime = true
	cfg.Loc = time.UTC
	cfg.Logger = &mysql.NopLogger{}
	cfg.InterpolateParams = true
	cfg.Timeout = 2 * time.Second
	cfg.ReadTimeout = 10 * time.Second
	cfg.WriteTimeout = 10 * time.Second
	cfg.MaxAllowedPacket = 0 // as the server says
	cfg.Collation = "utf8mb4_bin"
	if cfg.Params == nil {
		cfg.Params = map[string]string{}
	}
	for k, v := range map[string]string{
		"wait_timeout": "3", "innodb_lock_wait_timeout": "2", "lock_wait_timeout": "10", "time_zone": "'+00:00'",
		"sql_mode": "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
	} {
		cfg.Params[k] = v
	}
}

func makeSchema(ctx context.Context, cfg *mysql.Config) error {
	bare := cfg.Clone()
	bare.DBName = ""
	connector, err := mysql.NewConnector(bare)
	if err != nil {
		return fmt.Errorf("use the metadata DSN: %w", err)
	}
	db := sql.OpenDB(connector)
	_, err = db.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+quote(cfg.DBName)+" CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
	if err != nil {
		err = fmt.Errorf("reach the metadata server %s: %w", cfg.Addr, err)
	}
	return errors.Join(err, db.Close())
}

func (s *Store) checkPrimary(ctx context.Context) error {
	rows, err := s.variables(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_on', 'group_replication_single_primary_mode', 'group_replication_group_name')")
	if err != nil {
		return fmt.Errorf("read the settings of the metadata server: %w", err)
	}
	if rows["wsrep_on"] == "ON" {
		return errMultiPrimary.New(s.addr, "wsrep_on")
	}
	if rows["group_replication_group_name"] != "" && rows["group_replication_single_primary_mode"] == "OFF" {
		return errMultiPrimary.New(s.addr, "group_replication_single_primary_mode = OFF")
	}
	return nil
}

func (s *Store) variables(ctx context.Context, query string) (map[string]string, error) {
	var rows []struct {
		Name  string `db:"Variable_name"`
		Value string `db:"Value"`
	}
	if err := s.db.SelectContext(ctx, &rows, query); err != nil {
		return nil, err
	}
	out := make(map[string]string, len(rows))
	for _, r := range rows {
		out[r.Name] = r.Value
	}
	return out, nil
}

// Close frees the connections.
func (s *Store) Close() error { return s.db.Close() }

// Ping says whether the metadata server answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.PingContext(ctx) }

func quote(name string) string {
	out := make([]byte, 0, len(name)+2)
	out = append(out, '`')
	for i := 0; i < len(name); i++ {
		if name[i] == '`' {
			out = append(out, '`')
		}
		out = append(out, name[i])
	}
	return string(append(out, '`'))
}

// broken says whether err is the connection's rather than the server's answer.
func broken(err error) bool {
	var server *mysql.MySQLError
	return err != nil && !errors.As(err, &server)
}

// isServerError says whether err is one of the numbered errors of the server.
func isServerError(err error, numbers ...uint16) bool {
	var server *mysql.MySQLError
	return errors.As(err, &server) && slices.Contains(numbers, server.Number)
}

// Refused says whether an error of Open needs a person rather than time: a DSN that can't be read, a schema that is newer, a server that
// may not hold metadata, a wrong password.
func Refused(err error) bool {
	var f *failure.Error
	return errors.As(err, &f) || errors.Is(err, errDSN) || isServerError(err, 1044, 1045, 1142, 1227)
}

var errDSN = errors.New("the metadata DSN can't be read: want user:password@tcp(host:port)/")
