package core

import (
	"slices"

	"ballast/master/api"
	"ballast/rules"
	"ballast/rules/catalog"
)

// Draft collects the changes that make the next version of the catalog.
type Draft struct {
	base  *catalog.Snapshot
	delta api.Delta
}

// NewDraft begins the version after base's, under the epoch.
func NewDraft(base *catalog.Snapshot, epoch uint64) *Draft {
	return &Draft{base: base, delta: api.Delta{Version: catalog.Version{Epoch: epoch, N: base.Version.N + 1}}}
}

// Delta is what has been collected.
func (d *Draft) Delta() *api.Delta { return &d.delta }

// Base is the version that the draft changes.
func (d *Draft) Base() *catalog.Snapshot { return d.base }

// PutNode adds a node behind the last one, or replaces the one of the index.
func (d *Draft) PutNode(index int, n catalog.Node) {
	if d.delta.Nodes == nil {
		d.delta.Nodes = slices.Clone(d.base.Nodes)
	}
	if index == len(d.delta.Nodes) {
		d.delta.Nodes = append(d.delta.Nodes, n)
		return
	}
	d.delta.Nodes[index] = n
}

// PutSchema adds or replaces a schema; nil drops it.
func (d *Draft) PutSchema(name string, s *catalog.Schema) {
	if d.delta.Schemas == nil {
		d.delta.Schemas = map[string]*catalog.Schema{}
	}
	d.delta.Schemas[name] = s
}

// PutUser adds or replaces a user; nil drops it.
func (d *Draft) PutUser(name string, u *catalog.User) {
	if d.delta.Users == nil {
		d.delta.Users = map[string]*catalog.User{}
	}
	d.delta.Users[name] = u
}

// PutTable adds or replaces a table.
func (d *Draft) PutTable(t *catalog.Table) { d.delta.Tables = append(d.delta.Tables, t) }

// DropTable takes a table away.
func (d *Draft) DropTable(n catalog.Name) { d.delta.Dropped = append(d.delta.Dropped, n) }

// SetLowerCaseNames records how the nodes compare names; the first node says so.
func (d *Draft) SetLowerCaseNames(v int) { d.delta.LowerCaseNames = &v }

// Holds names the tables that a node may have rows of, by their rules.
func Holds(s *catalog.Snapshot, node string) []string {
	var out []string
	for _, t := range s.Tables {
		switch {
		case t.Kind == catalog.Single && t.SingleOn == node:
			out = append(out, t.Name.String())
		case t.Kind == catalog.Sharded && (slices.Contains(t.Strategy.On, node) || slices.ContainsFunc(t.Strategy.Except, func(e rules.Exception) bool { return e.On == node })):
			out = append(out, t.Name.String())
		}
	}
	return out
}
