package nodeadmin

import (
	"context"
	"errors"
	"fmt"

	"ballast/master/core"
	"ballast/rules/catalog"
)

// Empty says whether a table has no row on the node.
func (n *Node) Empty(ctx context.Context, name catalog.Name) (bool, error) {
	rows, err := n.strings(ctx, "SELECT 1 FROM "+QuoteName(name)+" LIMIT 1")
	if err != nil {
		return false, fmt.Errorf("look into %s on node %s: %w", name, n.Name, err)
	}
	return len(rows) == 0, nil
}

// CopyDefinitions makes the databases and tables that from has, without rows. It stops at a table that is there already and is not the same
// and empty, and names it.
func (n *Node) CopyDefinitions(ctx context.Context, from *Node, o SessionOptions, schemas []*catalog.Schema, tables []catalog.Name) (full string, err error) {
	source, err := from.Session(ctx, o)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := n.Session(ctx, o)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if _, _, err := target.Exec(ctx, "SET SESSION foreign_key_checks = 0"); err != nil {
		return "", err
	}
	for _, s := range schemas {
		if _, _, err := target.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+Quote(s.Name)+" CHARACTER SET "+s.Charset+" COLLATE "+s.Collation); err != nil {
			return "", fmt.Errorf("make database %s on node %s: %w", s.Name, n.Name, err)
		}
	}
	for _, name := range tables {
		text, err := source.CreateText(ctx, name)
		if err != nil {
			return "", err
		}
		there, err := target.Definition(ctx, name)
		if err != nil {
			return "", err
		}
		if there != "" {
			empty, err := n.Empty(ctx, name)
			if err != nil {
				return "", err
			}
			if !empty || there != core.NormalizeDefinition(text, name.Schema) {
				return "table " + name.String(), nil
			}
			continue
		}
		if _, _, err := target.Exec(ctx, "USE "+Quote(name.Schema)); err != nil {
			return "", err
		}
		if _, _, err := target.Exec(ctx, text); err != nil {
			return "", fmt.Errorf("make table %s on node %s: %w", name, n.Name, err)
		}
	}
	return "", nil
}

// Empty says whether a table has no row, as the session sees it.
func (s *Session) Empty(ctx context.Context, name catalog.Name) (bool, error) {
	rows, err := s.conn.QueryContext(ctx, "SELECT 1 FROM "+QuoteName(name)+" LIMIT 1")
	if err != nil {
		return false, fmt.Errorf("look into %s on node %s: %w", name, s.node.Name, err)
	}
	empty := true
	err = each(rows, func() error { empty = false; return nil })
	return empty, err
}

// CountMisplaced counts a table's rows on the node, and those for which the condition is not true.
func (n *Node) CountMisplaced(ctx context.Context, name catalog.Name, here string) (rows, misplaced uint64, err error) {
	err = n.db.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(SUM(CASE WHEN "+here+" THEN 0 ELSE 1 END), 0) FROM "+QuoteName(name)).Scan(&rows, &misplaced)
	if err != nil {
		err = fmt.Errorf("count %s on node %s: %w", name, n.Name, err)
	}
	return rows, misplaced, err
}

// Checksum is the server's own checksum over all rows.
func (n *Node) Checksum(ctx context.Context, name catalog.Name) (string, error) {
	var table string
	var sum *string
	if err := n.db.QueryRowContext(ctx, "CHECKSUM TABLE "+QuoteName(name)+" EXTENDED").Scan(&table, &sum); err != nil {
		return "", fmt.Errorf("checksum %s on node %s: %w", name, n.Name, err)
	}
	if sum == nil {
		return "", fmt.Errorf("checksum %s on node %s: there is none", name, n.Name)
	}
	return *sum, nil
}
