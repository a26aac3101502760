package master

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/nodeadmin"
	"ballast/rules"
	"ballast/rules/catalog"
)

// changeRule is ALTER TABLE … BALANCE BY, GLOBAL or SINGLE: at once on an empty table, refused on one with rows.
func (t *term) changeRule(ctx context.Context, name catalog.Name, c *rules.Clause, by why) (*api.DDLReply, error) {
	if t.table(name) == nil {
		return nil, errUnknownTable.New(name.String())
	}
	if err := t.allUp(ctx); err != nil {
		return nil, err
	}
	changed, err := t.fitAll(ctx, []namedClause{{name, *c}})
	if err != nil {
		return nil, err
	}
	version, err := t.switchRules(ctx, changed, by)
	return &api.DDLReply{Version: version}, err
}

type namedClause struct {
	name   catalog.Name
	clause rules.Clause
}

// fitAll gives the tables that change under the clauses; those that stay as they are are left out. Tables of a group change together.
func (t *term) fitAll(ctx context.Context, list []namedClause) ([]*catalog.Table, error) {
	groups := t.groupStrategies()
	given := map[catalog.Name]bool{}
	for _, c := range list {
		given[c.name] = true
	}
	for _, c := range list {
		if c.clause.Group != "" && len(c.clause.Strategy.Steps) > 0 && !t.groupOthers(c.clause.Group, given) {
			delete(groups, c.clause.Group)
		}
	}
	var out []*catalog.Table
	// Clauses with steps come first: they say what their group is.
	for _, steps := range []bool{true, false} {
		for _, c := range list {
			if (len(c.clause.Strategy.Steps) > 0) != steps {
				continue
			}
			old := t.table(c.name)
			n := t.nodes.list()[0]
			shape, err := n.admin.Shape(ctx, n.flavor, c.name)
			if err != nil {
				return nil, err
			}
			in, err := t.fitInput(ctx, c.name, shape)
			if err != nil {
				return nil, err
			}
			in.Groups, in.Rule, in.PerNode = groups, core.RuleOf(&c.clause), c.clause.PerNode
			if c.clause.Kind == rules.OneNode && c.clause.Single == "" && old.Kind == catalog.Single {
				in.Rule.SingleOn = old.SingleOn
			}
			fresh, _, err := core.Fit(in)
			if err != nil {
				return nil, fmt.Errorf("rule of %s: %w", c.name, err)
			}
			if fresh.Group != "" {
				groups[fresh.Group] = fresh.Strategy
			}
			if fresh.Sequence != "" && old.Sequence != "" {
				fresh.Sequence = old.Sequence
				fresh.Shape = core.TableShape(fresh)
			}
			if !sameRule(old, fresh) {
				out = append(out, fresh)
			}
		}
	}
	return out, nil
}

// groupOthers says whether a group has tables beside the given ones.
func (t *term) groupOthers(group string, given map[catalog.Name]bool) bool {
	return slices.ContainsFunc(t.pub.current().Tables, func(x *catalog.Table) bool { return x.Group == group && !given[x.Name] })
}

func sameRule(a, b *catalog.Table) bool {
	if a.Kind != b.Kind || a.Group != b.Group || a.SingleOn != b.SingleOn || !slices.Equal(a.PerNodeUnique, b.PerNodeUnique) {
		return false
	}
	if a.Strategy == nil || b.Strategy == nil {
		return a.Strategy == b.Strategy
	}
	return reflect.DeepEqual(*a.Strategy, *b.Strategy)
}

// switchRules makes the tables' new rules the cluster's. All of the tables are locked on every node while their emptiness is checked, the new
// version is committed, and every router has it (or is evicted): nobody can put a row where the old rule says in between.
func (t *term) switchRules(ctx context.Context, tables []*catalog.Table, by why) (catalog.Version, error) {
	if len(tables) == 0 {
		return t.pub.current().Version, nil
	}
	// A router that is silent now would be silent then: better to know before.
	if lagging := t.waitAcks(ctx, t.pub.position(), true); len(lagging) > 0 {
		if err := t.evict(ctx, lagging); err != nil {
			return catalog.Version{}, err
		}
	}
	sessions, err := t.lockEmpty(ctx, tables)
	defer func() {
		for _, s := range sessions {
			if err := s.Close(); err != nil {
				t.log.DebugContext(ctx, "session not closed", logError, err)
			}
		}
	}()
	if err != nil {
		return catalog.Version{}, err
	}
	names := make([]string, len(tables))
	for i, table := range tables {
		names[i] = table.Name.String() + " " + clip(core.ClauseOf(table).SQL(), 300)
	}
	var made []string
	version, position, err := t.commit(ctx, change{
		what: "rule: " + clip(strings.Join(names, "; "), 3000), by: by,
		draft: func(d *core.Draft) error {
			for _, table := range tables {
				d.PutTable(table)
			}
			return nil
		},
		store: t.storeRules(tables, &made),
	})
	if err != nil {
		return version, err
	}
	for _, name := range made {
		t.raises.made(name)
	}
	if lagging := t.waitAcks(ctx, position, true); len(lagging) > 0 {
		return version, t.evict(ctx, lagging)
	}
	return version, nil
}

// lockEmpty takes the tables on every node and sees that they are empty there. The sessions hold the locks, also when there is an error.
func (t *term) lockEmpty(ctx context.Context, tables []*catalog.Table) (sessions []*nodeadmin.Session, err error) {
	locks := make([]string, len(tables))
	for i, table := range tables {
		locks[i] = nodeadmin.QuoteName(table.Name) + " WRITE"
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for _, n := range t.nodes.list() {
		s, err := n.admin.Session(ctx, nodeadmin.SessionOptions{Epoch: t.epoch, Flavor: n.flavor})
		if err != nil {
			return sessions, err
		}
		sessions = append(sessions, s)
		if _, _, err := s.Exec(ctx, "LOCK TABLES "+strings.Join(locks, ", ")); err != nil {
			if nodeadmin.IsServerError(err, 1205) {
				return sessions, errBusyTable.Wrap(err, tables[0].Name, n.name)
			}
			return sessions, err
		}
		for _, table := range tables {
			empty, err := s.Empty(ctx, table.Name)
			if err != nil {
				return sessions, err
			}
			if !empty {
				return sessions, errNeedsMove.New(table.Name)
			}
		}
	}
	return sessions, nil
}
