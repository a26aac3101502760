package catalog

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ballast/rules"
)

// Compile fills what is not sent: the index of tables, the placements, the places of columns and nodes. All faults are joined. A
// snapshot is used by statements only after it compiled.
func (s *Snapshot) Compile() error { return s.CompileFrom(nil) }

// CompileFrom is Compile for a version that follows prev: tables whose strategy, field types and nodes are as before keep their
// placement, so that a small change costs little.
func (s *Snapshot) CompileFrom(prev *Snapshot) error {
	c := compiler{snapshot: s, prev: prev, placements: map[placementKey]*rules.Placement{}}
	c.nodes = make([]rules.NodeRef, len(s.Nodes))
	for i, n := range s.Nodes {
		c.nodes[i] = rules.NodeRef{Name: n.Name, Weight: n.Weight, Removed: n.Removed}
	}
	c.sameNodes = prev != nil && slices.EqualFunc(prev.Nodes, s.Nodes, func(a, b Node) bool {
		return a.Name == b.Name && a.Weight == b.Weight && a.Removed == b.Removed
	})
	s.tables = make(map[Name]*Table, len(s.Tables))
	var faults []error
	for _, t := range s.Tables {
		key := s.key(t.Name)
		if s.tables[key] != nil {
			faults = append(faults, fmt.Errorf("table %s is there twice", t.Name))
			continue
		}
		s.tables[key] = t
		if err := c.table(t); err != nil {
			faults = append(faults, fmt.Errorf("table %s: %w", t.Name, err))
		}
	}
	return errors.Join(faults...)
}

// compiler carries what the tables of one snapshot share.
type compiler struct {
	snapshot, prev *Snapshot
	nodes          []rules.NodeRef
	sameNodes      bool
	// placements holds what was compiled already, by strategy; tables of one group share theirs.
	placements map[placementKey]*rules.Placement
}

// placementKey tells placements apart within a snapshot: the strategy object and the types of its fields.
type placementKey struct {
	strategy *rules.Strategy
	types    string
}

func (c *compiler) table(t *Table) error {
	t.byName = make(map[string]int, 2*len(t.Columns))
	for i := range t.Columns {
		t.byName[t.Columns[i].Name] = i
		if lower := strings.ToLower(t.Columns[i].Name); lower != t.Columns[i].Name {
			if _, taken := t.byName[lower]; !taken {
				t.byName[lower] = i
			}
		}
	}
	t.Placement, t.Fields, t.SingleNode = nil, nil, 0
	switch t.Kind {
	case Global:
		return nil
	case Single:
		node, ok := c.snapshot.Node(t.SingleOn)
		if !ok {
			return fmt.Errorf("node %s is not known", t.SingleOn)
		}
		t.SingleNode = node
		return nil
	case Sharded:
		if t.Strategy == nil {
			return errors.New("a sharded table without a strategy")
		}
		return c.sharded(t)
	}
	return fmt.Errorf("kind %q is not known", string(t.Kind))
}

func (c *compiler) sharded(t *Table) error {
	types := make([]rules.FieldType, len(t.Strategy.By))
	t.Fields = make([]int, len(t.Strategy.By))
	for i, name := range t.Strategy.By {
		col, ok := t.Column(name)
		if !ok {
			return fmt.Errorf("balancing field %s is no column", name)
		}
		t.Fields[i], types[i] = col, t.Columns[col].Field
	}
	if p := c.kept(t, types); p != nil {
		t.Placement = p
		return nil
	}
	key := placementKey{t.Strategy, fmt.Sprint(types)}
	if p := c.placements[key]; p != nil {
		t.Placement = p
		return nil
	}
	p, err := rules.Compile(*t.Strategy, types, c.nodes)
	if err != nil {
		return err
	}
	t.Placement, c.placements[key] = p, p
	return nil
}

// kept gives the placement of the version before where nothing that it depends on changed.
func (c *compiler) kept(t *Table, types []rules.FieldType) *rules.Placement {
	if !c.sameNodes {
		return nil
	}
	old := c.prev.Table(t.Name)
	if old == nil || old.Placement == nil || !slices.Equal(old.Placement.Fields(), types) {
		return nil
	}
	if old.Strategy != t.Strategy && !reflect.DeepEqual(*old.Strategy, *t.Strategy) {
		return nil
	}
	return old.Placement
}

// key gives the name by which a table is found.
func (s *Snapshot) key(n Name) Name {
	if s.LowerCaseNames == 0 {
		return n
	}
	return Name{Schema: strings.ToLower(n.Schema), Table: strings.ToLower(n.Table)}
}

// Table finds a table; nil if there is none.
func (s *Snapshot) Table(n Name) *Table {
	if t, ok := s.tables[n]; ok {
		return t
	}
	if s.LowerCaseNames == 0 {
		return nil
	}
	return s.tables[s.key(n)]
}

// Node finds a node that was not removed, by name.
func (s *Snapshot) Node(name string) (int, bool) {
	for i := range s.Nodes {
		if s.Nodes[i].Name == name && !s.Nodes[i].Removed {
			return i, true
		}
	}
	return 0, false
}

// Column finds a column by name, whatever its case; a name as it was written at creation costs no allocation.
func (t *Table) Column(name string) (int, bool) {
	if i, ok := t.byName[name]; ok {
		return i, true
	}
	i, ok := t.byName[strings.ToLower(name)]
	return i, ok
}
