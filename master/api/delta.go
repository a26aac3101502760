package api

import (
	"maps"
	"slices"

	"ballast/rules/catalog"
)

// Delta is the difference between two versions of the catalog: what it names is replaced whole.
type Delta struct {
	Version catalog.Version `json:"version"`
	// Nodes is the whole list when any node changed.
	Nodes []catalog.Node `json:"nodes,omitempty"`
	// Schemas and Users by name; nil takes one away.
	Schemas map[string]*catalog.Schema `json:"schemas,omitempty"`
	Users   map[string]*catalog.User   `json:"users,omitempty"`
	// Tables were added or changed, Dropped are gone. A renamed table is in both.
	Tables  []*catalog.Table `json:"tables,omitempty"`
	Dropped []catalog.Name   `json:"dropped,omitempty"`
	// LowerCaseNames comes with the first node.
	LowerCaseNames *int `json:"lower_case_table_names,omitempty"`
}

// Apply gives a new snapshot: s with d on top. Neither is changed; the new one is not compiled yet. A version that is not newer than that
// of s gives s itself.
func (d *Delta) Apply(s *catalog.Snapshot) *catalog.Snapshot {
	if !s.Version.Less(d.Version) {
		return s
	}
	out := &catalog.Snapshot{
		ClusterUUID: s.ClusterUUID, Version: d.Version, Nodes: s.Nodes, Schemas: s.Schemas,
		LowerCaseNames: s.LowerCaseNames, Tables: s.Tables, Users: s.Users,
	}
	if d.Nodes != nil {
		out.Nodes = d.Nodes
	}
	if d.LowerCaseNames != nil {
		out.LowerCaseNames = *d.LowerCaseNames
	}
	out.Schemas = overlay(s.Schemas, d.Schemas)
	out.Users = overlay(s.Users, d.Users)
	// Every table is a copy: compiling the new snapshot writes into its tables, and the older one is in use.
	out.Tables = d.tables(s.Tables)
	return out
}

func (d *Delta) tables(old []*catalog.Table) []*catalog.Table {
	gone := make(map[catalog.Name]bool, len(d.Tables)+len(d.Dropped))
	for _, n := range d.Dropped {
		gone[n] = true
	}
	for _, t := range d.Tables {
		gone[t.Name] = true
	}
	out := make([]*catalog.Table, 0, len(old)+len(d.Tables))
	for _, t := range old {
		if gone[t.Name] {
			continue
		}
		out = append(out, Bare(t))
	}
	for _, t := range d.Tables {
		out = append(out, Bare(t))
	}
	slices.SortFunc(out, func(a, b *catalog.Table) int { return compareNames(a.Name, b.Name) })
	return out
}

// Bare is a copy of a table without what Snapshot.Compile makes.
func Bare(t *catalog.Table) *catalog.Table {
	return &catalog.Table{
		Name: t.Name, Kind: t.Kind, Group: t.Group, Strategy: t.Strategy, SingleOn: t.SingleOn, Columns: t.Columns, Keys: t.Keys,
		Sequence: t.Sequence, Shape: t.Shape, PerNodeUnique: t.PerNodeUnique,
	}
}

func compareNames(a, b catalog.Name) int {
	switch {
	case a.Schema != b.Schema && a.Schema < b.Schema, a.Schema == b.Schema && a.Table < b.Table:
		return -1
	case a == b:
		return 0
	}
	return 1
}

func overlay[T any](old, change map[string]*T) map[string]*T {
	if len(change) == 0 {
		return old
	}
	out := maps.Clone(old)
	if out == nil {
		out = map[string]*T{}
	}
	for k, v := range change {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = v
		}
	}
	return out
}
