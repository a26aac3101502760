package nodeadmin

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"ballast/rules/catalog"
)

// Config says how to reach a node as its administrator.
type Config struct {
	Name, Addr, User, Password string
	// TLS, when set, is used for every connection.
	TLS *tls.Config
}

// Node is a db node as its administrator sees it. Safe for use by several goroutines.
type Node struct {
	Name, Addr string
	db         *sql.DB
}

// Open prepares the connections; nothing is dialled yet.
func Open(c Config) (*Node, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr = c.User, c.Password, "tcp", c.Addr
	cfg.Timeout = 2 * time.Second
	cfg.InterpolateParams = true
	cfg.Collation = "utf8mb4_general_ci"
	cfg.TLS = c.TLS
	cfg.Logger = &mysql.NopLogger{}
	cfg.AllowNativePasswords = true
	cfg.MaxAllowedPacket = 0
	cfg.Params = map[string]string{"lock_wait_timeout": "3", "innodb_lock_wait_timeout": "5", "sql_mode": "'NO_ENGINE_SUBSTITUTION'", "wait_timeout": "3600"}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("use the address of node %s: %w", c.Name, err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(2)
	db.SetConnMaxIdleTime(30 * time.Second)
	return &Node{Name: c.Name, Addr: c.Addr, db: db}, nil
}

// Close ends the connections.
func (n *Node) Close() error { return n.db.Close() }

// Ping says whether the node answers.
func (n *Node) Ping(ctx context.Context) error {
	if err := n.db.PingContext(ctx); err != nil {
		return fmt.Errorf("reach node %s: %w", n.Name, err)
	}
	return nil
}

// Flavor and version of the server behind.
func (n *Node) Flavor(ctx context.Context) (catalog.Flavor, string, error) {
	var version string
	if err := n.db.QueryRowContext(ctx, "SELECT VERSION()").Scan(&version); err != nil {
		return "", "", fmt.Errorf("reach node %s: %w", n.Name, err)
	}
	if strings.Contains(strings.ToLower(version), "mariadb") {
		return catalog.MariaDB, version, nil
	}
	return catalog.MySQL, version, nil
}

func (n *Node) variables(ctx context.Context, names ...string) (out map[string]string, err error) {
	query := "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('" + strings.Join(names, "', '") + "')"
	rows, err := n.db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read the settings of node %s: %w", n.Name, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	out = map[string]string{}
	err = each(rows, func() error {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		out[strings.ToLower(name)] = value
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the settings of node %s: %w", n.Name, err)
	}
	return out, nil
}

func (n *Node) strings(ctx context.Context, query string, args ...any) (out []string, err error) {
	rows, err := n.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	err = each(rows, func() error {
		var s string
		if err := rows.Scan(&s); err != nil {
			return err
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// Quote quotes an identifier.
func Quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// QuoteName quotes a qualified name.
func QuoteName(n catalog.Name) string { return Quote(n.Schema) + "." + Quote(n.Table) }

// IsServerError says whether err is one of the numbered errors of the server; with no numbers, any of them.
func IsServerError(err error, numbers ...uint16) bool {
	var server *mysql.MySQLError
	return errors.As(err, &server) && (len(numbers) == 0 || slices.Contains(numbers, server.Number))
}
