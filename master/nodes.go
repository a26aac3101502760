package master

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/meta"
	"ballast/master/nodeadmin"
	"ballast/rules/catalog"
)

// addNode checks a server, prepares it, brings all definitions and accounts to it, and makes it a node. No definition job runs meanwhile.
func (t *term) addNode(ctx context.Context, q api.AddNodeRequest, by why) (*api.NodeStatus, error) {
	if err := t.checkNewNode(q); err != nil {
		return nil, err
	}
	unlock, err := t.jobs.lockAll(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	admin, err := nodeadmin.Open(nodeadmin.Config{Name: q.Name, Addr: q.Addr, User: q.User, Password: q.Password, TLS: t.m.nodeTLS})
	if err != nil {
		return nil, err
	}
	n, facts, err := t.joinNode(ctx, admin, q, by)
	if err != nil {
		return nil, errors.Join(err, admin.Close())
	}
	t.facts.Store(&facts)
	t.nodes.put(n.index, n)
	t.watchNode(n) //nolint:contextcheck // it lives as long as the term, not as this call
	return &api.NodeStatus{Node: t.pub.current().Nodes[n.index], Index: n.index, Up: true, Ready: true, NonDurable: n.nonDurable}, nil
}

func (t *term) checkNewNode(q api.AddNodeRequest) error {
	if !validName(q.Name) {
		return errBadName.New(q.Name, "node")
	}
	if _, _, err := net.SplitHostPort(q.Addr); err != nil {
		return errBadCall.New("the address of a node is host:port")
	}
	for _, n := range t.pub.current().Nodes {
		switch {
		case n.Removed:
		case n.Name == q.Name:
			return errNodeExists.New(q.Name)
		case n.Addr == q.Addr:
			return errNodeTwice.New(q.Addr, n.Name)
		}
	}
	return nil
}

func (t *term) joinNode(ctx context.Context, admin *nodeadmin.Node, q api.AddNodeRequest, by why) (*node, core.Facts, error) {
	snap, known := t.pub.current(), *t.facts.Load()
	report, weak, err := t.inspect(ctx, admin, q)
	if err != nil {
		return nil, known, err
	}
	if _, owner, err := admin.Identity(ctx); err != nil {
		return nil, known, err
	} else if owner != "" && owner != snap.ClusterUUID {
		return nil, known, errNodeRefused.New(q.Name, "it belongs to another cluster ("+owner+")")
	}
	uuid, err := admin.Prepare(ctx, snap.ClusterUUID, report.Facts.Flavor)
	if err != nil {
		return nil, known, err
	}
	for _, n := range snap.Nodes {
		if n.UUID == uuid && !n.Removed {
			return nil, known, errNodeTwice.New(q.Addr, n.Name)
		}
	}
	if err := admin.RaiseEpoch(ctx, t.epoch); err != nil {
		return nil, known, err
	}
	if err := t.bringDefinitions(ctx, admin, report.Facts.Flavor); err != nil {
		return nil, known, err
	}
	weight := q.Weight
	if weight == 0 {
		weight = 100
	}
	entry := catalog.Node{
		Name: q.Name, Addr: q.Addr, UUID: uuid, Promotion: 1, Flavor: report.Facts.Flavor, ServerVersion: report.Version, Zone: q.Zone, Weight: weight,
	}
	index := len(snap.Nodes)
	account := meta.Admin{User: q.User, Password: q.Password, NonDurable: weak}
	n, err := t.openNode(index, entry, account)
	if err != nil {
		return nil, known, err
	}
	if err := n.admin.Close(); err != nil {
		return nil, known, err
	}
	n.admin = admin
	if err := t.bring(ctx, n, true); err != nil {
		return nil, known, err
	}
	n.setState(true, true, "")
	facts := known
	if !facts.Known() {
		facts = report.Facts
	}
	_, _, err = t.commit(ctx, change{
		what: fmt.Sprintf("node %s added at %s", q.Name, q.Addr), by: by,
		draft: func(d *core.Draft) error {
			d.PutNode(index, entry)
			d.SetLowerCaseNames(facts.LowerCaseNames)
			return nil
		},
		store: func(ctx context.Context, tx *meta.Tx) error {
			if err := tx.AddNode(ctx, index, entry, account); err != nil {
				return err
			}
			return tx.SetFacts(ctx, facts)
		},
	})
	return n, facts, err
}

// inspect checks the server and refuses it with everything that is wrong at once.
func (t *term) inspect(ctx context.Context, admin *nodeadmin.Node, q api.AddNodeRequest) (*nodeadmin.Report, bool, error) {
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	report, err := admin.Check(short)
	if err != nil {
		return nil, false, errNodeAccount.Wrap(err, q.Name, rootOf(err))
	}
	problems := report.Problems
	if known := t.facts.Load(); known.Known() {
		problems = append(problems, known.Differences(report.Facts)...)
	}
	if len(problems) > 0 {
		return nil, false, errNodeRefused.New(q.Name, strings.Join(problems, "; "))
	}
	if len(report.Weak) > 0 && !q.AcceptNonDurable {
		return nil, false, errNodeWeak.New(q.Name, strings.Join(report.Weak, "; "))
	}
	return report, len(report.Weak) > 0, nil
}

// rootOf is the innermost message of an error.
func rootOf(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// bringDefinitions makes every database and table of the cluster on a new node, empty.
func (t *term) bringDefinitions(ctx context.Context, admin *nodeadmin.Node, flavor catalog.Flavor) error {
	snap := t.pub.current()
	if len(snap.Schemas) == 0 {
		return nil
	}
	var from *node
	for _, n := range t.nodes.list() {
		if up, _, _ := n.state(); up {
			from = n
			break
		}
	}
	if from == nil {
		return errNodeDown.New("that the definitions are copied from")
	}
	for _, table := range snap.Tables {
		if table.Kind != catalog.Global {
			continue
		}
		if empty, err := from.admin.Empty(ctx, table.Name); err != nil {
			return err
		} else if !empty {
			return errGlobalRows.New(table.Name)
		}
	}
	names := make([]catalog.Name, 0, len(snap.Tables))
	for _, table := range snap.Tables {
		names = append(names, table.Name)
	}
	schemas := make([]*catalog.Schema, 0, len(snap.Schemas))
	for _, s := range snap.Schemas {
		schemas = append(schemas, s)
	}
	slices.SortFunc(schemas, func(a, b *catalog.Schema) int { return strings.Compare(a.Name, b.Name) })
	full, err := admin.CopyDefinitions(ctx, from.admin, nodeadmin.SessionOptions{Epoch: t.epoch, Flavor: flavor}, schemas, names)
	if err != nil {
		return err
	}
	if full != "" {
		return errNodeFull.New(admin.Name, full)
	}
	return nil
}

// removeNode takes a node out of service that holds nothing.
func (t *term) removeNode(ctx context.Context, name string, by why) error {
	unlock, err := t.jobs.lockAll(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	snap := t.pub.current()
	index := slices.IndexFunc(snap.Nodes, func(n catalog.Node) bool { return n.Name == name && !n.Removed })
	if index < 0 {
		return errNodeUnknown.New(name)
	}
	if len(core.LiveNodes(snap)) == 1 && len(snap.Tables) > 0 {
		return errNodeLast.New(name)
	}
	if holds := core.Holds(snap, name); len(holds) > 0 {
		return errNodeHolds.New(name, strings.Join(holds, ", "))
	}
	_, position, err := t.commit(ctx, change{what: "node " + name + " removed", by: by, draft: func(d *core.Draft) error {
		gone := d.Base().Nodes[index]
		gone.Removed = true
		d.PutNode(index, gone)
		return nil
	}})
	if err != nil {
		return err
	}
	t.waitAcks(ctx, position, false)
	n := t.nodes.get(index)
	t.nodes.put(index, nil)
	if n == nil {
		return nil
	}
	n.retire()
	n.accounts.Lock()
	defer n.accounts.Unlock()
	for id := range n.accountSet() {
		if err := n.admin.Evict(ctx, id); err != nil {
			t.log.WarnContext(ctx, "account left on a removed node", logNode, name, logIncarnation, id, logError, err)
		}
	}
	if err := n.admin.Forget(ctx); err != nil {
		t.log.WarnContext(ctx, "removed node not cleaned up", logNode, name, logError, err)
	}
	return nil
}
