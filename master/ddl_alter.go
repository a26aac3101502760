package master

import (
	"context"
	"errors"
	"fmt"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/rules/catalog"
)

func (t *term) prepareAlter(ctx context.Context, q *api.DDLRequest) (prepared, error) {
	name := q.Tables[0]
	old := t.table(name)
	if old == nil {
		if q.IfExists {
			return prepared{reply: &api.DDLReply{Notes: []api.Note{note(errUnknownTable.New(name.String()))}}}, nil
		}
		return prepared{}, errUnknownTable.New(name.String())
	}
	if q.Kind == api.AlterTable {
		if len(q.To) > 0 {
			return t.prepareAlterRename(ctx, q)
		}
		if word := core.NodeBound(q.SQL, ansiQuotes(q)); word != "" {
			return prepared{}, errPartForm.New(word)
		}
	}
	job := t.newJob(q)
	present, err := t.presentDefinitions(ctx, q, job)
	if err != nil {
		return prepared{}, err
	}
	tried, err := t.try(ctx, q, present)
	if err != nil {
		return prepared{}, err
	}
	in, err := t.fitInput(ctx, name, tried.shape)
	if err != nil {
		return prepared{}, err
	}
	if job.Table, err = core.Refit(old, in); err != nil {
		return prepared{}, err
	}
	job.After = tried.definition
	job.Fenced = !core.SameColumns(old.Columns, tried.shape.Columns)
	if job.Table.Sequence != "" && old.Sequence == "" {
		job.Sequence = job.Table.Sequence
		if job.FirstID, err = t.nextID(ctx, name, tried.shape.AutoIncrement()); err != nil {
			return prepared{}, err
		}
	}
	if job.Table.Sequence != old.Sequence && old.Sequence != "" {
		job.DropSequences = []string{old.Sequence}
	}
	if n, ok := core.AutoIncrementOption(q.SQL, ansiQuotes(q)); ok && old.Sequence != "" && n > 0 {
		job.RaiseTo = n - 1
	}
	return prepared{job: job}, nil
}

// presentDefinitions writes every node's present definition into the journal, and gives the first node's as the server prints it.
func (t *term) presentDefinitions(ctx context.Context, q *api.DDLRequest, job *core.Job) (first string, err error) {
	for i, n := range t.nodes.list() {
		s, err := n.admin.Session(ctx, t.sessionFor(n, q, 0))
		if err != nil {
			return "", err
		}
		text, err := s.CreateText(ctx, q.Tables[0])
		if err := errors.Join(err, s.Close()); err != nil {
			return "", err
		}
		if text == "" {
			return "", errForeignHand.New(q.Tables[0], n.name)
		}
		if i == 0 {
			first = text
		}
		job.Before[n.index] = core.NormalizeDefinition(text, q.Tables[0].Schema)
	}
	return first, nil
}

// nextID is the id behind the highest of all nodes, for a column that becomes AUTO_INCREMENT.
func (t *term) nextID(ctx context.Context, name catalog.Name, column string) (uint64, error) {
	next := uint64(1)
	for _, n := range t.nodes.list() {
		top, err := n.admin.MaxID(ctx, name, column)
		if err != nil {
			return 0, err
		}
		next = max(next, top+1)
	}
	return next, nil
}

// prepareAlterRename takes ALTER TABLE a RENAME TO b for the RENAME TABLE that it is.
func (t *term) prepareAlterRename(ctx context.Context, q *api.DDLRequest) (prepared, error) {
	if !core.OnlyRenames(q.SQL, ansiQuotes(q)) {
		return prepared{}, errRenameAndMore.New()
	}
	as := *q
	as.Kind = api.RenameTable
	return t.prepareRename(ctx, &as)
}

func (t *term) prepareRename(ctx context.Context, q *api.DDLRequest) (prepared, error) {
	if len(q.Tables) != len(q.To) {
		return prepared{}, errBadCall.New("a RENAME has as many new names as old ones")
	}
	job := t.newJob(q)
	now := map[catalog.Name]*catalog.Table{}
	for _, table := range t.pub.current().Tables {
		now[table.Name] = table
	}
	schemas := t.pub.current().Schemas
	for i, from := range q.Tables {
		to := q.To[i]
		table := now[from]
		switch {
		case table == nil:
			return prepared{}, errUnknownTable.New(from.String())
		case schemas[to.Schema] == nil:
			return prepared{}, errUnknownDatabase.New(to.Schema)
		case now[to] != nil:
			return prepared{}, errTableExists.New(to.Table)
		}
		moved := *table
		moved.Name = to
		moved.Shape = core.TableShape(&moved)
		delete(now, from)
		now[to] = &moved
		if err := t.noStrayUnless(ctx, q, to); err != nil {
			return prepared{}, err
		}
	}
	for _, table := range now {
		if t.table(table.Name) != table {
			job.Renamed = append(job.Renamed, table)
		}
	}
	for _, n := range t.nodes.list() {
		state, err := t.renameState(ctx, n, q)
		if err != nil {
			return prepared{}, err
		}
		job.Before[n.index] = state
	}
	return prepared{job: job}, nil
}

// noStrayUnless is noStray for names that the catalog does not have now (a chain of renames may use one that it has).
func (t *term) noStrayUnless(ctx context.Context, q *api.DDLRequest, name catalog.Name) error {
	if t.table(name) != nil {
		return nil
	}
	return t.noStray(ctx, q, name)
}

// renameState is what a node has under all the names of a RENAME.
func (t *term) renameState(ctx context.Context, n *node, q *api.DDLRequest) (string, error) {
	s, err := n.admin.Session(ctx, t.sessionFor(n, q, 0))
	if err != nil {
		return "", err
	}
	state := ""
	for _, name := range append(append([]catalog.Name(nil), q.Tables...), q.To...) {
		definition, err := s.Definition(ctx, name)
		if err != nil {
			return "", errors.Join(err, s.Close())
		}
		state += fmt.Sprintf("%s\n%s\n", name, definition)
	}
	return state, s.Close()
}
