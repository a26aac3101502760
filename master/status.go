package master

import (
	"context"
	"fmt"

	"ballast/master/api"
	"ballast/master/core"
)

func (t *term) nodeStatus() []api.NodeStatus {
	var out []api.NodeStatus
	for i, n := range t.pub.current().Nodes {
		s := api.NodeStatus{Node: n, Index: i}
		if live := t.nodes.get(i); live != nil {
			s.Up, s.Ready, s.Error = live.state()
			s.NonDurable = live.nonDurable
		}
		out = append(out, s)
	}
	return out
}

func (t *term) status() *api.Status {
	snap := t.pub.current()
	s := &api.Status{
		Leader: t.m.self, Epoch: t.epoch, ClusterUUID: snap.ClusterUUID, Version: snap.Version, Nodes: t.nodeStatus(), Tables: len(snap.Tables),
		OpenDDL: len(t.jobs.list()),
	}
	for _, r := range t.registry.list(core.Active, core.Ending) {
		s.Routers = append(s.Routers, api.Incarnation{
			ID: r.ID, Name: r.Name, Router: r.Router, Addr: r.Addr, State: string(r.State), Version: r.Build, Registered: r.Registered,
			Connected: r.Streams > 0, Acked: r.Version, Statements: r.Statements,
		})
	}
	for _, n := range s.Nodes {
		switch {
		case n.Removed:
		case !n.Up:
			s.Warnings = append(s.Warnings, fmt.Sprintf("node %s is down: %s", n.Name, n.Error))
		case !n.Ready:
			s.Warnings = append(s.Warnings, fmt.Sprintf("node %s is not ready: %s", n.Name, n.Error))
		}
		if n.NonDurable && !n.Removed {
			s.Warnings = append(s.Warnings, fmt.Sprintf("node %s may lose committed transactions when its host crashes (accepted when it was added)", n.Name))
		}
	}
	for _, j := range t.jobs.list() {
		if job := j.copy(); job.Error != nil {
			s.Warnings = append(s.Warnings, fmt.Sprintf("definition job %d waits: %s", job.ID, job.Error.Message))
		}
	}
	return s
}

// listJobs lists the last definition jobs.
func (t *term) listJobs(ctx context.Context) ([]api.DDLJob, error) {
	jobs, err := t.store.Jobs(ctx, 100)
	if err != nil {
		return nil, err
	}
	out := make([]api.DDLJob, 0, len(jobs))
	for i := range jobs {
		job := &jobs[i]
		if open := t.jobs.find(job.ID); open != nil {
			c := open.copy()
			job = &c
		}
		one := api.DDLJob{ID: job.ID, Kind: job.Request.Kind, State: string(job.State), User: job.Request.User, Created: job.Created, Updated: job.Updated}
		if len(job.Request.Tables) > 0 {
			one.Table = job.Request.Tables[0].String()
			if job.Request.Tables[0].Table == "" {
				one.Table = job.Request.Tables[0].Schema
			}
		}
		for _, index := range job.Done {
			if n := t.nodes.get(index); n != nil {
				one.Done = append(one.Done, n.name)
			}
		}
		if job.Error != nil {
			one.Error = job.Error.Message
		}
		out = append(out, one)
	}
	return out, nil
}
