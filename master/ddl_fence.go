package master

import (
	"errors"

	"ballast/master/core"
	"ballast/master/nodeadmin"
)

// changeFenced changes a table while nobody can use it anywhere: the table is locked on every node, in the order of the nodes, and the locks are
// held until the new version is committed and the routers have it. So no statement ever meets two forms of the table. A lock that is not to be had
// soon is given up together with the others, so that a transaction that holds one node and wants another can end.
func (t *term) changeFenced(o *openJob) (err error) {
	sessions := map[int]*nodeadmin.Session{}
	defer func() {
		for _, s := range sessions {
			err = errors.Join(err, s.Close())
		}
	}()
	job := o.copy()
	for tries := 1; ; tries++ {
		index, err := t.lockEverywhere(&job, sessions)
		if err == nil {
			break
		}
		for k, s := range sessions {
			if closing := s.Close(); closing != nil {
				t.log.DebugContext(t.ctx, "session not closed", logError, closing)
			}
			delete(sessions, k)
		}
		switch {
		case nodeadmin.IsServerError(err, 1205, 1213):
			if tries >= lockTries && len(job.Done) == 0 {
				return t.judge(o, index, &refusal{err})
			}
		case nodeadmin.IsServerError(err) && !nodeadmin.IsServerError(err, 1053, 1317, 1927):
			return t.judge(o, index, &refusal{err})
		default:
			return errNodeDown.Wrap(err, t.nodeName(index))
		}
		if !sleep(t.ctx, retryPause) {
			return t.ctx.Err()
		}
	}
	for _, index := range job.Left() {
		if err := t.changeNode(o, index, sessions[index]); err != nil {
			return t.judge(o, index, err)
		}
	}
	if err := t.publishJob(o); err != nil {
		return err
	}
	t.waitAcks(t.ctx, t.pub.position(), false)
	return nil
}

// lockEverywhere takes the table on every node; the index names the node that an error is about.
func (t *term) lockEverywhere(job *core.Job, sessions map[int]*nodeadmin.Session) (int, error) {
	for _, index := range job.Nodes {
		n := t.nodes.get(index)
		if n == nil {
			continue
		}
		s, err := n.admin.Session(t.ctx, t.sessionFor(n, &job.Request, job.ID))
		if err != nil {
			return index, err
		}
		sessions[index] = s
		if _, _, err := s.Exec(t.ctx, "LOCK TABLES "+nodeadmin.QuoteName(job.Request.Tables[0])+" WRITE"); err != nil {
			return index, err
		}
	}
	return 0, nil
}
