package master

import (
	"errors"
	"slices"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/nodeadmin"
)

// undoable says whether what a job has done on some nodes can be taken back there: something new that nobody has seen yet, or nothing at all.
func undoable(job *core.Job) bool {
	return len(job.Done) == 0 || job.Request.Kind == api.CreateTable || job.Request.Kind == api.CreateDatabase || job.Request.Kind == api.CreateIndex
}

// undoNodes takes back what it can; the error that the client reads says what is left.
func (t *term) undoNodes(o *openJob) error {
	job := o.copy()
	if undoable(&job) {
		for _, index := range job.Done {
			if err := t.undoNode(&job, index); err != nil {
				return err
			}
		}
	}
	if job.Request.Kind == api.CreateDatabase {
		t.grants.set(job.Request.Tables[0].Schema, false)
	}
	return t.advance(o, core.Undone)
}

func (t *term) undoNode(job *core.Job, index int) (err error) {
	n := t.nodes.get(index)
	if n == nil {
		return nil
	}
	s, err := n.admin.Session(t.ctx, t.sessionFor(n, &job.Request, job.ID))
	if err != nil {
		return errNodeDown.Wrap(err, n.name)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	name := job.Request.Tables[0]
	switch job.Request.Kind {
	case api.CreateDatabase:
		if _, _, err = s.Exec(t.ctx, "DROP DATABASE IF EXISTS "+nodeadmin.Quote(name.Schema)); err != nil {
			return err
		}
		return n.admin.Revoke(t.ctx, name.Schema, keys(n.accountSet())...)
	case api.CreateTable:
		_, _, err = s.Exec(t.ctx, "DROP TABLE IF EXISTS "+nodeadmin.QuoteName(name))
		return err
	case api.CreateIndex:
		return t.dropAddedKeys(s, job, n)
	case api.AlterDatabase, api.DropDatabase, api.AlterTable, api.DropTable, api.TruncateTable, api.RenameTable, api.DropIndex:
	}
	return nil
}

// dropAddedKeys drops the keys that the table has on the node and had not before.
func (t *term) dropAddedKeys(s *nodeadmin.Session, job *core.Job, n *node) error {
	name := job.Request.Tables[0]
	shape, err := s.Shape(t.ctx, name)
	if err != nil {
		return err
	}
	old := t.table(name)
	if old == nil {
		return nil
	}
	had := make([]string, 0, len(old.Keys))
	for _, k := range old.Keys {
		had = append(had, k.Name)
	}
	for _, k := range shape.Keys {
		if slices.Contains(had, k.Name) {
			continue
		}
		if _, _, err := s.Exec(t.ctx, "ALTER TABLE "+nodeadmin.QuoteName(name)+" DROP KEY "+nodeadmin.Quote(k.Name)); err != nil {
			return err
		}
		t.log.InfoContext(t.ctx, "index taken back", logNode, n.name, logObject, name.String())
	}
	return nil
}
