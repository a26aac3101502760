package master

import (
	"context"
	"errors"
	"fmt"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/rules"
	"ballast/rules/catalog"
)

func (t *term) prepareCreate(ctx context.Context, q *api.DDLRequest) (prepared, error) {
	name := q.Tables[0]
	if t.pub.current().Schemas[name.Schema] == nil {
		return prepared{}, errUnknownDatabase.New(name.Schema)
	}
	if t.table(name) != nil {
		if q.IfNotExists {
			return prepared{reply: &api.DDLReply{Notes: []api.Note{note(errTableExists.New(name.Table))}}}, nil
		}
		return prepared{}, errTableExists.New(name.Table)
	}
	if core.SelectsRows(q.SQL, ansiQuotes(q)) {
		return prepared{}, errSelectsRows.New()
	}
	clause, err := t.clauseFor(q)
	if err != nil {
		return prepared{}, err
	}
	if err := t.noStray(ctx, q, name); err != nil {
		return prepared{}, err
	}
	tried, err := t.try(ctx, q, "")
	if err != nil {
		return prepared{}, err
	}
	in, err := t.fitInput(ctx, name, tried.shape)
	if err != nil {
		return prepared{}, err
	}
	in.Rule = core.RuleOf(clause)
	if clause != nil {
		in.PerNode = clause.PerNode
	}
	table, notes, err := core.Fit(in)
	if err != nil {
		return prepared{}, err
	}
	job := t.newJob(q)
	job.Table, job.After = table, tried.definition
	job.Sequence, job.FirstID = table.Sequence, tried.firstID()
	job.Notes = append(tried.notes, notes...)
	for _, n := range job.Nodes {
		job.Before[n] = ""
	}
	return prepared{job: job}, nil
}

// clauseFor is the statement's own clause, or that of the table it is LIKE, or one that a rules file planned.
func (t *term) clauseFor(q *api.DDLRequest) (*rules.Clause, error) {
	if q.Clause != nil {
		return q.Clause, nil
	}
	if q.Like != nil {
		source := t.table(*q.Like)
		if source == nil {
			return nil, errUnknownTable.New(q.Like.String())
		}
		c := core.ClauseOf(source)
		if source.Group == source.Name.String() {
			return nil, nil // it has the default, and so will its copy
		}
		return &c, nil
	}
	t.commits.Lock()
	text := t.planned[q.Tables[0]]
	t.commits.Unlock()
	if text == "" {
		return nil, nil
	}
	c, err := rules.ParseClause(text)
	if err != nil {
		return nil, fmt.Errorf("read the planned rule of %s: %w", q.Tables[0], err)
	}
	return &c, nil
}

// noStray makes sure that no node has a table that the catalog does not know.
func (t *term) noStray(ctx context.Context, q *api.DDLRequest, name catalog.Name) error {
	for _, n := range t.nodes.list() {
		s, err := n.admin.Session(ctx, t.sessionFor(n, q, 0))
		if err != nil {
			return err
		}
		definition, err := s.Definition(ctx, name)
		if err := errors.Join(err, s.Close()); err != nil {
			return err
		}
		if definition != "" {
			return errStray.New("table "+name.String(), n.name)
		}
	}
	return nil
}

func (t *term) prepareDrop(ctx context.Context, q *api.DDLRequest) (prepared, error) {
	job := t.newJob(q)
	var drop []catalog.Name
	for _, name := range q.Tables {
		table := t.table(name)
		if table == nil {
			if !q.IfExists {
				return prepared{}, errUnknownDrop.New(name.String())
			}
			job.Notes = append(job.Notes, note(errUnknownDrop.New(name.String())))
			continue
		}
		drop = append(drop, name)
		if table.Sequence != "" {
			job.DropSequences = append(job.DropSequences, table.Sequence)
		}
	}
	if len(drop) == 0 {
		return prepared{reply: &api.DDLReply{Notes: job.Notes}}, nil
	}
	if q.Session["foreign_key_checks"] != "0" {
		if err := t.unreferenced(ctx, drop); err != nil {
			return prepared{}, err
		}
	}
	job.Request.Tables = drop
	return prepared{job: job, hides: func(d *core.Draft) {
		for _, n := range drop {
			d.DropTable(n)
		}
	}}, nil
}

// unreferenced refuses a DROP of tables that tables outside the statement refer to.
func (t *term) unreferenced(ctx context.Context, drop []catalog.Name) error {
	gone := map[catalog.Name]bool{}
	for _, n := range drop {
		gone[n] = true
	}
	for _, n := range drop {
		incoming, err := t.nodes.list()[0].admin.Incoming(ctx, n)
		if err != nil {
			return err
		}
		for _, fk := range incoming {
			if !gone[fk.To] {
				if t.facts.Load().Flavor == catalog.MariaDB {
					return errReferencedMaria.New()
				}
				return errReferencedDrop.New(n.Table, fk.Name, fk.To.Table)
			}
		}
	}
	return nil
}

func (t *term) prepareTruncate(q *api.DDLRequest) (prepared, error) {
	table := t.table(q.Tables[0])
	if table == nil {
		return prepared{}, errUnknownTable.New(q.Tables[0].String())
	}
	job := t.newJob(q)
	fresh := *table
	if fresh.Sequence != "" {
		// Ids begin again; routers drop the blocks that they hold with the old name.
		job.DropSequences = []string{table.Sequence}
		fresh.Sequence = fmt.Sprintf("%s#%d.%d", table.Name, t.epoch, t.pub.current().Version.N+1)
		job.Sequence, job.FirstID = fresh.Sequence, 1
	}
	fresh.Shape = core.TableShape(&fresh)
	job.Table = &fresh
	return prepared{job: job}, nil
}
