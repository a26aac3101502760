package core

import (
	"reflect"
	"slices"
	"strings"

	"ballast/rules"
	"ballast/rules/catalog"
)

// Rule is what a statement or a rules file wants for a table. The zero Rule wants the schema's default.
type Rule struct {
	Kind catalog.Kind
	// Group and Strategy are for sharded tables; a Strategy without steps takes the group's, over its own fields.
	Group    string
	Strategy *rules.Strategy
	// SingleOn is for single tables; "" leaves the choice to the master.
	SingleOn string
}

// RuleOf is what a clause wants; nil wants the default.
func RuleOf(c *rules.Clause) Rule {
	if c == nil {
		return Rule{}
	}
	switch c.Kind {
	case rules.Everywhere:
		return Rule{Kind: catalog.Global}
	case rules.OneNode:
		return Rule{Kind: catalog.Single, SingleOn: c.Single}
	case rules.Balanced:
		s := c.Strategy
		return Rule{Kind: catalog.Sharded, Group: c.Group, Strategy: &s}
	}
	return Rule{}
}

// ClauseOf is the clause that a table has.
func ClauseOf(t *catalog.Table) rules.Clause {
	switch t.Kind {
	case catalog.Global:
		return rules.Clause{Kind: rules.Everywhere}
	case catalog.Single:
		return rules.Clause{Kind: rules.OneNode, Single: t.SingleOn}
	case catalog.Sharded:
		return rules.Clause{Kind: rules.Balanced, Strategy: *t.Strategy, Group: t.Group, PerNode: t.PerNodeUnique}
	}
	return rules.Clause{}
}

// PrimaryKeyField stands for the columns of the primary key in a strategy's By.
const PrimaryKeyField = "PRIMARY KEY"

// DefaultStrategy is what tables get that name no rule, in schemas that set no default: BALANCE BY (PRIMARY KEY) HASH MOD 64.
func DefaultStrategy() *rules.Strategy {
	return &rules.Strategy{By: []string{PrimaryKeyField}, Steps: []rules.Step{{Kind: rules.StepHash}, {Kind: rules.StepMod, Mod: 64}}}
}

// resolveBy puts the primary key's columns in the place of PRIMARY KEY, and spells fields as the table does.
func resolveBy(by []string, s *Shape) ([]string, error) {
	if len(by) == 1 && strings.EqualFold(by[0], PrimaryKeyField) {
		pk := s.PrimaryKey()
		if pk == nil {
			return nil, errNoPrimaryKey.New()
		}
		return slices.Clone(pk), nil
	}
	out := make([]string, len(by))
	for i, name := range by {
		c, ok := s.Column(name)
		if !ok {
			return nil, errNoField.New(name)
		}
		if c.Generated {
			return nil, errGeneratedField.New(name)
		}
		out[i] = c.Name
	}
	return out, nil
}

// NodeRefs are the nodes of a snapshot as rules want them.
func NodeRefs(s *catalog.Snapshot) []rules.NodeRef {
	out := make([]rules.NodeRef, len(s.Nodes))
	for i, n := range s.Nodes {
		out[i] = rules.NodeRef{Name: n.Name, Weight: n.Weight, Removed: n.Removed}
	}
	return out
}

// LiveNodes names the nodes in service, in the order of their registration.
func LiveNodes(s *catalog.Snapshot) []string {
	var out []string
	for _, n := range s.Nodes {
		if !n.Removed {
			out = append(out, n.Name)
		}
	}
	return out
}

// fixNodes compiles a strategy and writes the nodes that it means into On, so that a node added later changes no place.
func fixNodes(s *rules.Strategy, fields []rules.FieldType, snap *catalog.Snapshot) (*rules.Strategy, error) {
	p, err := rules.Compile(*s, fields, NodeRefs(snap))
	if err != nil || len(s.On) > 0 {
		return s, err
	}
	used := map[string]bool{}
	for _, n := range p.Nodes() {
		used[snap.Nodes[n].Name] = true
	}
	live := LiveNodes(snap)
	for len(live) > 1 && !used[live[len(live)-1]] {
		live = live[:len(live)-1] // outcomes take nodes from the front: the last ones hold nothing
	}
	fixed := *s
	fixed.On = live
	_, err = rules.Compile(fixed, fields, NodeRefs(snap))
	return &fixed, err
}

// fieldTypes gives the types of the balancing fields.
func fieldTypes(by []string, s *Shape) []rules.FieldType {
	out := make([]rules.FieldType, len(by))
	for i, name := range by {
		c, _ := s.Column(name)
		out[i] = c.Field
	}
	return out
}

// SameStrategy says whether two strategies are written alike.
func SameStrategy(a, b *rules.Strategy) bool { return a == b || reflect.DeepEqual(*a, *b) }
