package master

import (
	"context"
	"fmt"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/meta"
	"ballast/rules/catalog"
)

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
