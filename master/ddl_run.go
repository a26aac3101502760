package master

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/meta"
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
