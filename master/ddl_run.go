package master

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/meta"
	"ballast/master/nodeadmin"
	"ballast/rules/catalog"
)

// retryPause is the pause before a step that a node or the metadata hindered is tried again.
const retryPause = 500 * time.Millisecond

// lockTries bounds how often a node may answer that the table is in use, before a job that has changed nothing yet gives up.
const lockTries = 8

// runJob takes a job through its states until it ends, or the term does. What hinders it for a while is noted and tried again.
func (t *term) runJob(o *openJob) {
	for t.ctx.Err() == nil {
		job := o.copy()
		var err error
		switch job.State {
		case core.Hiding:
			t.waitAcks(t.ctx, t.pub.position(), false)
			err = t.advance(o, core.Hidden)
		case core.Changing:
			err = t.changeNodes(o)
		case core.Undoing:
			err = t.undoNodes(o)
		case core.Publishing:
			t.waitAcks(t.ctx, t.pub.position(), false)
			err = t.advance(o, core.Published)
		case core.Done, core.Failed:
			t.endJob(o, &job)
			return
		case core.Checked:
			err = t.advance(o, core.Begin)
		}
		if err != nil && t.ctx.Err() == nil {
			t.hindered(o, err)
			sleep(t.ctx, retryPause)
		}
	}
}

// hindered notes what a job waits for.
func (t *term) hindered(o *openJob, err error) {
	f := toFailure(err)
	job := o.copy()
	if job.Error == nil || job.Error.Message != f.Message {
		t.log.WarnContext(t.ctx, "definition job waits", logJob, job.ID, logKind, string(job.Request.Kind), logState, string(job.State), logError, err)
	}
	o.change(func(j *core.Job) { j.Error = f })
}

func (t *term) endJob(o *openJob, job *core.Job) {
	t.m.metrics.ddl.WithLabelValues(string(job.Request.Kind), string(job.State)).Inc()
	t.log.InfoContext(t.ctx, "definition job ended", logJob, job.ID, logKind, string(job.Request.Kind), logObject, objectOf(&job.Request), logState, string(job.State))
	o.mu.Lock()
	if job.State == core.Failed {
		o.err = fromFailure(job.Error)
	}
	o.mu.Unlock()
	t.jobs.remove(o)
	o.unlock()
	close(o.done)
}

// advance journals the next state.
func (t *term) advance(o *openJob, e core.JobEvent) error {
	job := o.copy()
	next, err := job.State.Next(e)
	if err != nil {
		return err
	}
	job.State = next
	if next == core.Done || next == core.Changing {
		job.Error = nil
	}
	if err := t.transact(t.ctx, func(ctx context.Context, tx *meta.Tx) error { return tx.SaveJob(ctx, &job) }); err != nil {
		return err
	}
	o.change(func(j *core.Job) { *j = job })
	return nil
}

// changeNodes changes the nodes that are left, then commits the new version.
func (t *term) changeNodes(o *openJob) error {
	job := o.copy()
	if fenced(&job) {
		return t.changeFenced(o)
	}
	for _, index := range job.Left() {
		if err := t.changeNode(o, index, nil); err != nil {
			return t.judge(o, index, err)
		}
	}
	return t.publishJob(o)
}

func fenced(job *core.Job) bool { return job.Fenced || job.Request.Kind == api.TruncateTable }

// judge decides what a node's error means: try again, or undo.
func (t *term) judge(o *openJob, index int, err error) error {
	var refused *refusal
	if !errors.As(err, &refused) {
		return err
	}
	job := o.copy()
	if job.HidesFirst() {
		return refused.err // goes forward only
	}
	f := toFailure(refused.err)
	if len(job.Done) > 0 && !undoable(&job) {
		f = toFailure(errHalfDone.New(t.nodeName(index), t.nodeNames(job.Done), f.Message))
	}
	o.change(func(j *core.Job) { j.Error = f })
	return t.advance(o, core.NodeRefused)
}

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

// publishJob commits what the nodes have as a new version, and the job's next state with it.
func (t *term) publishJob(o *openJob) error {
	job := o.copy()
	next, err := job.State.Next(core.NodesDone)
	if err != nil {
		return err
	}
	job.State = next
	if job.HidesFirst() {
		if err := t.transact(t.ctx, func(ctx context.Context, tx *meta.Tx) error { return tx.SaveJob(ctx, &job) }); err != nil {
			return err
		}
		o.change(func(j *core.Job) { *j = job })
		return nil
	}
	version, _, err := t.commit(t.ctx, change{
		what: fmt.Sprintf("%s %s (job %d)", job.Request.Kind, objectOf(&job.Request), job.ID), by: why{who: job.Request.User},
		draft: func(d *core.Draft) error { draftJob(d, &job); return nil },
		store: func(ctx context.Context, tx *meta.Tx) error { return storeJob(ctx, tx, &job) },
		after: func() {
			if job.Request.Kind == api.CreateTable {
				delete(t.planned, job.Request.Tables[0])
			}
		},
	})
	if err != nil {
		return err
	}
	if job.Sequence != "" {
		t.raises.made(job.Sequence)
	}
	if job.RaiseTo > 0 {
		t.pub.giveUp(api.GiveUp{Sequence: job.Table.Sequence}) // routers go on behind the mark; the job waits for their acks
	}
	o.mu.Lock()
	o.version, o.job = version, job
	o.mu.Unlock()
	return nil
}

// draftJob puts what a job made into the next version.
func draftJob(d *core.Draft, job *core.Job) {
	switch job.Request.Kind {
	case api.CreateDatabase, api.AlterDatabase:
		d.PutSchema(job.Schema.Name, job.Schema)
	case api.RenameTable:
		for _, n := range job.Request.Tables {
			d.DropTable(n)
		}
		for _, table := range job.Renamed {
			d.PutTable(table)
		}
	case api.CreateTable, api.AlterTable, api.CreateIndex, api.DropIndex, api.TruncateTable:
		d.PutTable(sharing(d.Base(), job.Table))
	case api.DropDatabase, api.DropTable:
	}
}

// sharing gives a table that came out of the journal the strategy value that the catalog has already, so that it is stored once.
func sharing(s *catalog.Snapshot, t *catalog.Table) *catalog.Table {
	if t.Strategy == nil {
		return t
	}
	for _, old := range s.Tables {
		if old.Strategy != nil && (old.Name == t.Name || t.Group != "" && old.Group == t.Group) && core.SameStrategy(old.Strategy, t.Strategy) {
			c := *t
			c.Strategy = old.Strategy
			return &c
		}
	}
	return t
}

// storeJob writes what goes with the new version.
func storeJob(ctx context.Context, tx *meta.Tx, job *core.Job) error {
	for _, name := range job.DropSequences {
		if err := tx.DropSequence(ctx, name); err != nil {
			return err
		}
	}
	if job.Sequence != "" {
		if err := tx.NewSequence(ctx, job.Sequence, job.FirstID); err != nil {
			return err
		}
	}
	if job.RaiseTo > 0 && job.Table != nil {
		if _, _, err := tx.Raise(ctx, job.Table.Sequence, job.RaiseTo, 0); err != nil {
			return err
		}
	}
	if job.Request.Kind == api.CreateTable {
		if err := tx.Plan(ctx, job.Request.Tables[0], ""); err != nil {
			return err
		}
	}
	return tx.SaveJob(ctx, job)
}

func (t *term) nodeName(index int) string {
	if n := t.nodes.get(index); n != nil {
		return n.name
	}
	return fmt.Sprint(index)
}

func (t *term) nodeNames(indexes []int) string {
	out := ""
	for i, index := range indexes {
		if i > 0 {
			out += ", "
		}
		out += t.nodeName(index)
	}
	return out
}
