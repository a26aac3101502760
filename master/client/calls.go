package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"ballast/master/api"
	"ballast/rules/catalog"
)

// patience is how long calls wait for a master to lead. Less than a change of leader may take: whoever calls hears within seconds.
const patience = 2500 * time.Millisecond

// longCall bounds definitions, checks and rule changes.
const longCall = 30 * time.Minute

func get[T any](ctx context.Context, c *Client, path string) (T, error) {
	var out T
	err := c.again(ctx, patience, func() error { return c.call(ctx, c.cfg.Timeout, http.MethodGet, path, nil, &out) })
	return out, err
}

// Status is the cluster in short.
func (c *Client) Status(ctx context.Context) (*api.Status, error) {
	return get[*api.Status](ctx, c, api.PathStatus)
}

// Snapshot reads the catalog once, compiled.
func (c *Client) Snapshot(ctx context.Context) (*catalog.Snapshot, error) {
	s, err := get[*catalog.Snapshot](ctx, c, api.PathSnapshot)
	if err != nil {
		return nil, err
	}
	return s, s.Compile()
}

// Nodes lists the db nodes.
func (c *Client) Nodes(ctx context.Context) ([]api.NodeStatus, error) {
	return get[[]api.NodeStatus](ctx, c, api.PathNodes)
}

// AddNode registers a db node.
func (c *Client) AddNode(ctx context.Context, q api.AddNodeRequest) (*api.NodeStatus, error) {
	out := new(api.NodeStatus)
	return out, c.change(ctx, 2*time.Minute, http.MethodPost, api.PathNodes, q, out)
}

// RemoveNode takes a node that holds nothing out of service.
func (c *Client) RemoveNode(ctx context.Context, name string) error {
	return c.change(ctx, time.Minute, http.MethodDelete, api.PathNodes+"/"+url.PathEscape(name), nil, nil)
}

// ChangeUser adds, changes or drops a client account.
func (c *Client) ChangeUser(ctx context.Context, q api.UserRequest) error {
	return c.change(ctx, c.cfg.Timeout, http.MethodPost, api.PathUsers, q, nil)
}

// DDL carries out a definition statement on all nodes and answers when it is done. An error that a db node gave comes as it was
// (number, SQLSTATE, message). When the connection to the master breaks, the job, if it was begun, goes on without us.
func (c *Client) DDL(ctx context.Context, q api.DDLRequest) (*api.DDLReply, error) {
	out := new(api.DDLReply)
	return out, c.change(ctx, longCall, http.MethodPost, api.PathDDL, q, out)
}

// Jobs lists the last definition jobs, the newest first.
func (c *Client) Jobs(ctx context.Context) ([]api.DDLJob, error) {
	return get[[]api.DDLJob](ctx, c, api.PathDDL)
}

// Apply brings the cluster to what a rules file says, or says what that would change.
func (c *Client) Apply(ctx context.Context, q api.ApplyRequest) (*api.ApplyReply, error) {
	out := new(api.ApplyReply)
	return out, c.change(ctx, longCall, http.MethodPost, api.PathApply, q, out)
}

// Check looks whether every row of a table is where the rule says.
func (c *Client) Check(ctx context.Context, table catalog.Name) (*api.CheckReply, error) {
	out := new(api.CheckReply)
	return out, c.call(ctx, longCall, http.MethodPost, api.PathCheck, api.CheckRequest{Table: table}, out)
}

// Audit lists the last changes, the newest first.
func (c *Client) Audit(ctx context.Context) ([]api.AuditEntry, error) {
	return get[[]api.AuditEntry](ctx, c, api.PathAudit)
}

// Sequences lists the sequences.
func (c *Client) Sequences(ctx context.Context) ([]api.SequenceStatus, error) {
	return get[[]api.SequenceStatus](ctx, c, api.PathSequences)
}

// Block takes ids of a sequence. Routers use Router.NextIDs, which keeps some ahead.
func (c *Client) Block(ctx context.Context, q api.BlockRequest) (*api.BlockReply, error) {
	out := new(api.BlockReply)
	err := c.again(ctx, patience, func() error { return c.call(ctx, 3*time.Second, http.MethodPost, api.PathBlock, q, out) })
	return out, err
}

// Raise makes room above an explicit id. Routers use Router.RaiseID.
func (c *Client) Raise(ctx context.Context, q api.RaiseRequest) (*api.RaiseReply, error) {
	out := new(api.RaiseReply)
	err := c.again(ctx, patience, func() error { return c.call(ctx, 15*time.Second, http.MethodPost, api.PathRaise, q, out) })
	return out, err
}
