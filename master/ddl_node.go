package master

import (
	"context"
	"errors"
	"slices"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/meta"
	"ballast/master/nodeadmin"
)

// refusal is a node's own error, which time does not heal.
type refusal struct{ err error }

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// changeNode runs the statement on one node, or sees that it has been run, and journals that. With s nil it opens a session of its own.
func (t *term) changeNode(o *openJob, index int, s *nodeadmin.Session) (err error) {
	job := o.copy()
	n := t.nodes.get(index)
	if n == nil {
		return t.nodeDone(o, index) // removed since
	}
	if s == nil {
		s, err = n.admin.Session(t.ctx, t.sessionFor(n, &job.Request, job.ID))
		if err != nil {
			return errNodeDown.Wrap(err, n.name)
		}
		defer func() { err = errors.Join(err, s.Close()) }()
	}
	tries := 0
	for {
		err = t.runOn(o, n, s)
		if err == nil || !nodeadmin.IsServerError(err, 1205, 1213, 3572) {
			break
		}
		if tries++; tries >= lockTries && len(job.Done) == 0 && !job.HidesFirst() {
			break
		}
		if !sleep(t.ctx, retryPause) {
			return t.ctx.Err()
		}
	}
	if err != nil {
		if nodeadmin.IsServerError(err) && !nodeadmin.IsServerError(err, 1053, 1317, 1927) || isRefusal(err) {
			return &refusal{err}
		}
		return errNodeDown.Wrap(err, n.name)
	}
	return t.nodeDone(o, index)
}

func isRefusal(err error) bool {
	f := toFailure(err)
	return f.ID != ""
}

// runOn compares the node with the journal and runs the statement if it has not been run.
func (t *term) runOn(o *openJob, n *node, s *nodeadmin.Session) error {
	job := o.copy()
	q := &job.Request
	switch q.Kind {
	case api.CreateDatabase, api.AlterDatabase, api.DropDatabase:
		return t.databaseOnNode(t.ctx, n, s, o)
	case api.DropTable:
		if _, _, err := s.Exec(t.ctx, "SET SESSION foreign_key_checks = 0"); err != nil {
			return err
		}
		for _, name := range q.Tables {
			if _, _, err := s.Exec(t.ctx, "DROP TABLE IF EXISTS "+nodeadmin.QuoteName(name)); err != nil {
				return err
			}
		}
		return nil
	case api.RenameTable:
		state, err := t.renameState(t.ctx, n, q)
		if err != nil || state != job.Before[n.index] {
			return err // another state than before can only be the one after: names are locked
		}
	case api.CreateTable, api.AlterTable, api.CreateIndex, api.DropIndex:
		current, err := s.Definition(t.ctx, q.Tables[0])
		if err != nil {
			return err
		}
		switch core.NodeStep(current, job.Before[n.index], job.After) {
		case core.Skip:
			if job.Before[n.index] != job.After {
				return nil
			}
		case core.Refuse:
			return errForeignHand.New(q.Tables[0], n.name)
		case core.Run:
		}
	case api.TruncateTable:
	}
	affected, notes, err := s.Exec(t.ctx, q.SQL)
	if err != nil {
		return err
	}
	if job.After != "" {
		// The catalog will say what the trial said: a node that made something else of the same text must not pass.
		current, err := s.Definition(t.ctx, q.Tables[0])
		if err != nil {
			return err
		}
		if current != job.After {
			return errForeignHand.New(q.Tables[0], n.name)
		}
	}
	o.change(func(j *core.Job) {
		j.Affected += affected
		if len(j.Done) == 0 && q.Kind != api.CreateTable { // a CREATE's notes are from its trial
			j.Notes = append(j.Notes, notes...)
		}
	})
	return nil
}

func (t *term) nodeDone(o *openJob, index int) error {
	job := o.change(func(j *core.Job) {
		if !slices.Contains(j.Done, index) {
			j.Done = append(j.Done, index)
		}
		j.Error = nil
	})
	return t.transact(t.ctx, func(ctx context.Context, tx *meta.Tx) error { return tx.SaveJob(ctx, &job) })
}
