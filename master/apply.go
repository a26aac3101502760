package master

import (
	"context"
	"fmt"
	"slices"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/meta"
	"ballast/rules"
	"ballast/rules/catalog"
)

// storeRules makes the sequences that tables need under their new rules, and notes their names.
func (t *term) storeRules(tables []*catalog.Table, made *[]string) func(context.Context, *meta.Tx) error {
	return func(ctx context.Context, tx *meta.Tx) error {
		for _, table := range tables {
			old := t.table(table.Name)
			if old != nil && old.Sequence != "" && old.Sequence != table.Sequence {
				if err := tx.DropSequence(ctx, old.Sequence); err != nil {
					return err
				}
			}
			if table.Sequence != "" && (old == nil || old.Sequence != table.Sequence) {
				if err := tx.NewSequence(ctx, table.Sequence, 1); err != nil {
					return err
				}
				*made = append(*made, table.Sequence)
			}
		}
		return nil
	}
}

// apply brings the cluster to what a rules file says: new rules for empty tables at once, rules for tables to come are kept for their CREATE TABLE.
func (t *term) apply(ctx context.Context, q api.ApplyRequest, by why) (*api.ApplyReply, error) {
	file, err := rules.ParseFile([]byte(q.YAML))
	if err != nil {
		return nil, err
	}
	snap := t.pub.current()
	schema := snap.Schemas[file.Schema]
	if schema == nil {
		return nil, errUnknownDatabase.New(file.Schema)
	}
	unlock := func() {}
	if !q.DryRun {
		names := []catalog.Name{{Schema: file.Schema}}
		for _, rule := range file.Tables {
			if rule.Clause.Group != "" {
				names = append(names, catalog.Name{Schema: groupLock, Table: rule.Clause.Group})
			}
		}
		if unlock, err = t.jobs.lock(ctx, names); err != nil {
			return nil, err
		}
	}
	defer unlock()
	if err := t.allUp(ctx); err != nil {
		return nil, err
	}
	var known []namedClause
	var planned []api.Change
	for _, rule := range file.Tables {
		name := catalog.Name{Schema: file.Schema, Table: rule.Table}
		if t.table(name) != nil {
			known = append(known, namedClause{name, rule.Clause})
			continue
		}
		planned = append(planned, api.Change{Table: name, New: rule.Clause.SQL(), Planned: true})
	}
	changed, err := t.fitAll(ctx, known)
	if err != nil {
		return nil, err
	}
	reply := &api.ApplyReply{Version: snap.Version}
	for _, fresh := range changed {
		reply.Changes = append(reply.Changes, t.describe(t.table(fresh.Name), fresh))
	}
	reply.Changes = append(reply.Changes, t.plannedAnew(planned)...)
	if q.DryRun {
		return reply, nil
	}
	if _, err := t.switchRules(ctx, changed, by); err != nil {
		return nil, err
	}
	reply.Version, err = t.keepPlans(ctx, file, schema, planned, by)
	return reply, err
}

// plannedAnew leaves out what is planned so already.
func (t *term) plannedAnew(planned []api.Change) []api.Change {
	t.commits.Lock()
	defer t.commits.Unlock()
	return slices.DeleteFunc(slices.Clone(planned), func(c api.Change) bool { return t.planned[c.Table] == c.New })
}

// keepPlans stores the schema's default and the rules of tables to come.
func (t *term) keepPlans(ctx context.Context, file rules.File, schema *catalog.Schema, planned []api.Change, by why) (catalog.Version, error) {
	planned = t.plannedAnew(planned)
	newDefault := file.Default != nil && (schema.Default == nil || !core.SameStrategy(schema.Default, file.Default))
	if len(planned) == 0 && !newDefault {
		return t.pub.current().Version, nil
	}
	version, _, err := t.commit(ctx, change{
		what: fmt.Sprintf("rules of %s: default and %d tables to come", file.Schema, len(planned)), by: by,
		draft: func(d *core.Draft) error {
			if newDefault {
				s := *schema
				s.Default = file.Default
				d.PutSchema(s.Name, &s)
			}
			return nil
		},
		store: func(ctx context.Context, tx *meta.Tx) error {
			for _, c := range planned {
				if err := tx.Plan(ctx, c.Table, c.New); err != nil {
					return err
				}
			}
			return nil
		},
		after: func() {
			for _, c := range planned {
				t.planned[c.Table] = c.New
			}
		},
	})
	return version, err
}

// describe says what a change of rule would move.
func (t *term) describe(old, fresh *catalog.Table) api.Change {
	c := api.Change{Table: fresh.Name, Old: core.ClauseOf(old).SQL(), New: core.ClauseOf(fresh).SQL()}
	if old.Kind != catalog.Sharded || fresh.Kind != catalog.Sharded {
		c.Windows = []string{fmt.Sprintf("the whole table: %s → %s", old.Kind, fresh.Kind)}
		return c
	}
	snap := t.pub.current()
	windows, err := core.Windows(snap, old, fresh)
	if err != nil {
		c.Windows = []string{"not known: " + err.Error()}
		return c
	}
	c.Windows = windows
	return c
}
