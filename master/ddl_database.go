package master

import (
	"context"
	"errors"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/nodeadmin"
	"ballast/rules/catalog"
)

func (t *term) prepareDatabase(ctx context.Context, q *api.DDLRequest) (prepared, error) {
	name := q.Tables[0].Schema
	_, exists := t.pub.current().Schemas[name]
	if q.Kind == api.AlterDatabase {
		if !exists {
			return prepared{}, errUnknownDatabase.New(name)
		}
		job := t.newJob(q)
		job.Affected = 1
		return prepared{job: job}, nil
	}
	if exists {
		if q.IfNotExists {
			affected := uint64(1)
			if t.facts.Load().Flavor == catalog.MariaDB {
				affected = 0
			}
			return prepared{reply: &api.DDLReply{Affected: affected, Notes: []api.Note{note(errDatabaseExists.New(name))}}}, nil
		}
		return prepared{}, errDatabaseExists.New(name)
	}
	for _, n := range t.nodes.list() {
		s, err := n.admin.Session(ctx, t.sessionFor(n, q, 0))
		if err != nil {
			return prepared{}, err
		}
		_, _, there, err := s.Schema(ctx, name)
		if err := errors.Join(err, s.Close()); err != nil {
			return prepared{}, err
		}
		if there {
			return prepared{}, errStray.New("database "+name, n.name)
		}
	}
	job := t.newJob(q)
	job.Affected = 1
	job.Schema = &catalog.Schema{Name: name}
	return prepared{job: job}, nil
}

func (t *term) prepareDropDatabase(q *api.DDLRequest) (prepared, error) {
	name := q.Tables[0].Schema
	snap := t.pub.current()
	if _, exists := snap.Schemas[name]; !exists {
		if q.IfExists {
			return prepared{reply: &api.DDLReply{Notes: []api.Note{note(errNoSuchDatabase.New(name))}}}, nil
		}
		return prepared{}, errNoSuchDatabase.New(name)
	}
	job := t.newJob(q)
	var tables []catalog.Name
	for _, table := range snap.Tables {
		if table.Name.Schema != name {
			continue
		}
		tables = append(tables, table.Name)
		if table.Sequence != "" {
			job.DropSequences = append(job.DropSequences, table.Sequence)
		}
	}
	job.Affected = uint64(len(tables))
	return prepared{job: job, hides: func(d *core.Draft) {
		for _, n := range tables {
			d.DropTable(n)
		}
		d.PutSchema(name, nil)
	}}, nil
}

// databaseOnNode makes, changes or drops a database on one node; each is repeatable.
func (t *term) databaseOnNode(ctx context.Context, n *node, s *nodeadmin.Session, o *openJob) error {
	job := o.copy()
	name := job.Request.Tables[0].Schema
	if job.Request.Kind == api.DropDatabase {
		t.grants.set(name, false)
		_, _, err := s.Exec(ctx, "DROP DATABASE IF EXISTS "+nodeadmin.Quote(name))
		if err != nil {
			return err
		}
		n.accounts.Lock()
		defer n.accounts.Unlock()
		return n.admin.Revoke(ctx, name, keys(n.accountSet())...)
	}
	_, _, there, err := s.Schema(ctx, name)
	if err != nil {
		return err
	}
	if job.Request.Kind == api.AlterDatabase || !there {
		_, notes, err := s.Exec(ctx, job.Request.SQL)
		if err != nil {
			return err
		}
		if len(job.Done) == 0 {
			o.change(func(j *core.Job) { j.Notes = append(j.Notes, notes...) })
		}
	}
	charset, collation, _, err := s.Schema(ctx, name)
	if err != nil {
		return err
	}
	o.change(func(j *core.Job) {
		j.Schema = &catalog.Schema{Name: name, Charset: charset, Collation: collation}
		if old := t.pub.current().Schemas[name]; old != nil {
			j.Schema.Default = old.Default
		}
	})
	t.grants.set(name, true)
	n.accounts.Lock()
	defer n.accounts.Unlock()
	return n.admin.Grant(ctx, name, keys(n.accountSet())...)
}

func keys(m map[uint64]bool) []uint64 {
	out := make([]uint64, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	return out
}

// note is what MySQL says instead of an error under IF EXISTS and IF NOT EXISTS.
func note(err interface {
	error
	MySQL() (uint16, string)
},
) api.Note {
	number, _ := err.MySQL()
	return api.Note{Level: "Note", Number: number, Message: err.Error()}
}
