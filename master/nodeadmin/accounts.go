package nodeadmin

import (
	"context"
	"crypto/sha1"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ballast/rules/catalog"
	"ballast/rules/failure"
)

var errStillThere = failure.Define("BL6012", 1105, "HY000", "sessions of account %s on node %s can't be ended", "look for statements that ignore KILL on that node; the master tries again")

// accountPrefix begins the name of every router account; the incarnation's number follows.
const accountPrefix = "ballast_r"

// AccountName is the account of an incarnation.
func AccountName(incarnation uint64) string {
	return accountPrefix + strconv.FormatUint(incarnation, 10)
}

// rights of a router's account, per schema. Definitions are the master's.
const routerRights = "SELECT, INSERT, UPDATE, DELETE, CREATE TEMPORARY TABLES, LOCK TABLES, EXECUTE, SHOW VIEW, REFERENCES"

// Accounts lists the incarnations that have an account on the node.
func (n *Node) Accounts(ctx context.Context) (map[uint64]bool, error) {
	names, err := n.strings(ctx, `SELECT User FROM mysql.user WHERE User LIKE 'ballast\_r%' AND Host = '%'`)
	if err != nil {
		return nil, fmt.Errorf("list the accounts of node %s: %w", n.Name, err)
	}
	out := map[uint64]bool{}
	for _, name := range names {
		if id, err := strconv.ParseUint(strings.TrimPrefix(name, accountPrefix), 10, 64); err == nil {
			out[id] = true
		}
	}
	return out, nil
}

// CreateAccount makes an incarnation's account, without any right. On MySQL it is a caching_sha2_password account, on MariaDB a
// mysql_native_password one (10.11 knows no other that both sides speak).
func (n *Node) CreateAccount(ctx context.Context, flavor catalog.Flavor, incarnation uint64, password string) error {
	identified := "IDENTIFIED WITH caching_sha2_password BY " + quoteString(password)
	if flavor == catalog.MariaDB {
		a := sha1.Sum([]byte(password))
		a = sha1.Sum(a[:])
		identified = fmt.Sprintf("IDENTIFIED VIA mysql_native_password USING '*%X'", a)
	}
	if _, err := n.db.ExecContext(ctx, "CREATE USER IF NOT EXISTS '"+AccountName(incarnation)+"'@'%' "+identified); err != nil {
		return fmt.Errorf("make account %s on node %s: %w", AccountName(incarnation), n.Name, err)
	}
	return nil
}

// Grant gives accounts the routers' rights on a schema. Wildcards in the schema's name stand for themselves.
func (n *Node) Grant(ctx context.Context, schema string, incarnations ...uint64) error {
	for _, id := range incarnations {
		if _, err := n.db.ExecContext(ctx, "GRANT "+routerRights+" ON "+grantSchema(schema)+".* TO '"+AccountName(id)+"'@'%'"); err != nil {
			return fmt.Errorf("grant %s to %s on node %s: %w", schema, AccountName(id), n.Name, err)
		}
	}
	return nil
}

// Revoke takes them back; an account that has none is no error.
func (n *Node) Revoke(ctx context.Context, schema string, incarnations ...uint64) error {
	for _, id := range incarnations {
		_, err := n.db.ExecContext(ctx, "REVOKE ALL PRIVILEGES ON "+grantSchema(schema)+".* FROM '"+AccountName(id)+"'@'%'")
		if err != nil && !IsServerError(err, 1141, 1269, 3523) {
			return fmt.Errorf("revoke %s from %s on node %s: %w", schema, AccountName(id), n.Name, err)
		}
	}
	return nil
}

// Sessions counts the sessions of an incarnation's account on the node.
func (n *Node) Sessions(ctx context.Context, incarnation uint64) (int, error) {
	ids, err := n.strings(ctx, "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = ?", AccountName(incarnation))
	if err != nil {
		return 0, fmt.Errorf("list sessions on node %s: %w", n.Name, err)
	}
	return len(ids), nil
}

// Evict takes an account away and ends its sessions. The account goes first: then no new login can succeed, and one listing, made after
// that, names every session that there can be, with the logins still under way ("unauthenticated user"). Exactly those are killed, and seen gone.
func (n *Node) Evict(ctx context.Context, incarnation uint64) error {
	account := AccountName(incarnation)
	if _, err := n.db.ExecContext(ctx, "DROP USER IF EXISTS '"+account+"'@'%'"); err != nil {
		return fmt.Errorf("drop account %s on node %s: %w", account, n.Name, err)
	}
	ids, err := n.strings(ctx, "SELECT ID FROM information_schema.PROCESSLIST WHERE USER IN (?, 'unauthenticated user')", account)
	if err != nil {
		return fmt.Errorf("list sessions on node %s: %w", n.Name, err)
	}
	if len(ids) == 0 {
		return nil
	}
	list := strings.Join(ids, ",")
	for try := 0; try < 100; try++ {
		left, err := n.strings(ctx, "SELECT ID FROM information_schema.PROCESSLIST WHERE ID IN ("+list+") AND USER IN (?, 'unauthenticated user')", account)
		if err != nil {
			return fmt.Errorf("list sessions on node %s: %w", n.Name, err)
		}
		if len(left) == 0 {
			return nil
		}
		if try%20 == 0 {
			for _, id := range left {
				if _, err := n.db.ExecContext(ctx, "KILL "+id); err != nil && !IsServerError(err, 1094) {
					return fmt.Errorf("end a session of %s on node %s: %w", account, n.Name, err)
				}
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return errStillThere.New(account, n.Name)
}

func grantSchema(schema string) string {
	return Quote(strings.NewReplacer(`\`, `\\`, "_", `\_`, "%", `\%`).Replace(schema))
}

func quoteString(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
}
