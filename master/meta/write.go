package meta

import (
	"context"
	"encoding/json"
	"fmt"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/rules"
	"ballast/rules/catalog"
)

// Write stores a new version of the catalog: what the delta names is replaced.
func (t *Tx) Write(ctx context.Context, d *api.Delta) error {
	if err := t.exec(ctx, "store the version", "UPDATE cluster SET version_epoch = ?, version_n = ? WHERE id = 1", d.Version.Epoch, d.Version.N); err != nil {
		return err
	}
	for i, n := range d.Nodes {
		doc, err := json.Marshal(n)
		if err != nil {
			return err
		}
		// New nodes are put in by AddNode, with their credentials.
		if err := t.exec(ctx, "store a node", "UPDATE nodes SET doc = ? WHERE idx = ?", doc, i); err != nil {
			return err
		}
	}
	for name, s := range d.Schemas {
		if err := writeNamed(ctx, t, "db_schemas", name, s); err != nil {
			return err
		}
	}
	for name, u := range d.Users {
		if err := writeNamed(ctx, t, "users", name, u); err != nil {
			return err
		}
	}
	for _, n := range d.Dropped {
		if err := t.exec(ctx, "take a table away", "DELETE FROM db_tables WHERE schema_name = ? AND name = ?", n.Schema, n.Table); err != nil {
			return err
		}
	}
	for _, table := range d.Tables {
		if err := t.writeTable(ctx, d.Version, table); err != nil {
			return err
		}
	}
	return nil
}

func writeNamed[T any](ctx context.Context, t *Tx, table, name string, v *T) error {
	if v == nil {
		return t.exec(ctx, "delete from "+table, "DELETE FROM "+table+" WHERE name = ?", name)
	}
	doc, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return t.exec(ctx, "write "+table, "REPLACE INTO "+table+" (name, doc) VALUES (?, ?)", name, doc)
}

func (t *Tx) writeTable(ctx context.Context, v catalog.Version, table *catalog.Table) error {
	var strategy *uint64
	if table.Strategy != nil {
		id, err := t.strategy(ctx, v, table.Name.String(), table.Strategy)
		if err != nil {
			return err
		}
		strategy = &id
		if table.Group != "" {
			if err := t.exec(ctx, "store a group", "REPLACE INTO balance_groups (name, strategy_id) VALUES (?, ?)", table.Group, id); err != nil {
				return err
			}
		}
	}
	bare := api.Bare(table)
	bare.Strategy = nil
	doc, err := json.Marshal(bare)
	if err != nil {
		return err
	}
	return t.exec(ctx, "store a table", "REPLACE INTO db_tables (schema_name, name, kind, strategy_id, doc) VALUES (?, ?, ?, ?, ?)",
		table.Name.Schema, table.Name.Table, string(table.Kind), strategy, doc)
}

// strategy gives the row of a strategy, adding one if this value is new.
func (t *Tx) strategy(ctx context.Context, v catalog.Version, owner string, s *rules.Strategy) (uint64, error) {
	if id, ok := t.store.ids[s]; ok {
		return id, nil
	}
	for _, f := range t.fresh {
		if f.strategy == s {
			return f.id, nil
		}
	}
	doc, err := json.Marshal(s)
	if err != nil {
		return 0, err
	}
	res, err := t.tx.ExecContext(ctx, "INSERT INTO strategies (version_epoch, version_n, owner, doc) VALUES (?, ?, ?, ?)", v.Epoch, v.N, owner, doc)
	if err != nil {
		return 0, fmt.Errorf("store a strategy: %w", err)
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, fmt.Errorf("store a strategy: %w", err)
	}
	t.fresh = append(t.fresh, freshStrategy{s, uint64(id)})
	return uint64(id), nil
}

// AddNode puts a node in at the index.
func (t *Tx) AddNode(ctx context.Context, index int, n catalog.Node, a Admin) error {
	doc, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return t.exec(ctx, "store a node", "INSERT INTO nodes (idx, name, doc, admin_user, admin_secret, nondurable, added_at) VALUES (?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(6))",
		index, n.Name, doc, a.User, t.store.sealer.seal(a.Password), a.NonDurable)
}

// SetFacts stores what all nodes have in common.
func (t *Tx) SetFacts(ctx context.Context, f core.Facts) error {
	doc, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return t.exec(ctx, "store the cluster's facts", "UPDATE cluster SET facts = ? WHERE id = 1", doc)
}

// Audit adds to the audit log.
func (t *Tx) Audit(ctx context.Context, e api.AuditEntry) error {
	return t.exec(ctx, "write the audit log", "INSERT INTO audit (at, who, what, why, version_epoch, version_n) VALUES (UTC_TIMESTAMP(6), ?, ?, ?, ?, ?)",
		e.Who, e.What, e.Why, e.Version.Epoch, e.Version.N)
}

// Plan keeps a clause for a table that does not exist yet; an empty one forgets it.
func (t *Tx) Plan(ctx context.Context, n catalog.Name, clause string) error {
	if clause == "" {
		return t.exec(ctx, "forget a planned rule", "DELETE FROM planned_rules WHERE schema_name = ? AND name = ?", n.Schema, n.Table)
	}
	return t.exec(ctx, "store a planned rule", "REPLACE INTO planned_rules (schema_name, name, clause) VALUES (?, ?, ?)", n.Schema, n.Table, clause)
}

// DropGroup forgets a balance group that has no tables left.
func (t *Tx) DropGroup(ctx context.Context, name string) error {
	return t.exec(ctx, "forget a group", "DELETE FROM balance_groups WHERE name = ?", name)
}
