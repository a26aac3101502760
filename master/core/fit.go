package core

import (
	"errors"
	"slices"
	"strings"

	"ballast/master/api"
	"ballast/rules"
	"ballast/rules/catalog"
	"ballast/rules/failure"
)

// FitInput is what decides a table's kind and placement.
type FitInput struct {
	Name  catalog.Name
	Shape *Shape
	Rule  Rule
	// Snapshot and Groups are the cluster as it is.
	Snapshot *catalog.Snapshot
	Groups   map[string]*rules.Strategy
	// PerNode names unique keys without the balancing fields that are accepted; PRIMARY is the primary key.
	PerNode []string
	// Incoming are foreign keys of other tables that refer to this one; their To is the table they belong to.
	Incoming []ForeignKey
	// Sequence is the name that a sequence of this table gets, if it needs one.
	Sequence string
}

// Fit gives the table that the shape and the rule make. A rule that was asked for and does not fit is an error; a default that does not fit
// makes a single table and a Note that says why.
func Fit(in FitInput) (*catalog.Table, []api.Note, error) {
	if len(LiveNodes(in.Snapshot)) == 0 {
		return nil, nil, errNoNode.New()
	}
	f := fitter{in}
	switch in.Rule.Kind {
	case catalog.Global:
		t, err := f.global()
		return t, nil, err
	case catalog.Single:
		t, err := f.single(in.Rule.SingleOn)
		return t, nil, err
	case catalog.Sharded:
		t, err := f.sharded(in.Rule)
		return t, nil, err
	}
	t, why := f.byDefault()
	if why == nil {
		return t, nil, nil
	}
	t, err := f.single("")
	if err != nil {
		return nil, nil, err
	}
	note := api.Note{Level: "Note", Number: 1105, Message: in.Name.String() + " is a single table on " + t.SingleOn + ": " + plain(why)}
	return t, []api.Note{note}, nil
}

// byDefault gives the table the schema's default rule, in a group of the table's own name. A table with a foreign key to such a table joins
// that one's group, so that parents and children live together.
func (f fitter) byDefault() (*catalog.Table, error) {
	rule := Rule{Kind: catalog.Sharded, Group: f.in.Name.String(), Strategy: DefaultStrategy()}
	if s := f.in.Snapshot.Schemas[f.in.Name.Schema]; s != nil && s.Default != nil {
		rule.Strategy = s.Default
	}
	if _, taken := f.in.Groups[rule.Group]; taken {
		rule.Group = ""
	}
	t, why := f.sharded(rule)
	if why == nil {
		return t, nil
	}
	for _, fk := range f.in.Shape.Foreign {
		to := f.find(fk.To)
		if to == nil || to.Kind != catalog.Sharded || to.Group == "" {
			continue
		}
		by := follow(to.Strategy.By, fk)
		if by == nil {
			continue
		}
		if t, err := f.sharded(Rule{Kind: catalog.Sharded, Group: to.Group, Strategy: &rules.Strategy{By: by}}); err == nil {
			return t, nil
		}
	}
	return nil, why
}

// follow gives the columns by which a foreign key carries the parent's balancing fields; nil if it does not.
func follow(parent []string, fk ForeignKey) []string {
	out := make([]string, len(parent))
	for i, field := range parent {
		at := slices.IndexFunc(fk.Referenced, func(c string) bool { return strings.EqualFold(c, field) })
		if at < 0 {
			return nil
		}
		out[i] = fk.Columns[at]
	}
	return out
}

// plain is an error's own message without its hint, the first if there are several.
func plain(err error) string {
	var f *failure.Error
	if errors.As(err, &f) {
		return f.Message
	}
	return err.Error()
}

type fitter struct{ in FitInput }

func (f fitter) table(kind catalog.Kind) *catalog.Table {
	return &catalog.Table{Name: f.in.Name, Kind: kind, Columns: f.in.Shape.Columns, Keys: f.in.Shape.Keys}
}

func (f fitter) finish(t *catalog.Table) *catalog.Table {
	if t.Kind != catalog.Single && f.in.Shape.AutoIncrement() != "" {
		t.Sequence = f.in.Sequence
	}
	t.Shape = TableShape(t)
	return t
}

func (f fitter) global() (*catalog.Table, error) {
	if !strings.EqualFold(f.in.Shape.Engine, "InnoDB") {
		return nil, errEngine.New(f.in.Shape.Engine)
	}
	if f.in.Shape.PrimaryKey() == nil {
		return nil, errGlobalKey.New()
	}
	for _, fk := range f.in.Shape.Foreign {
		if to := f.find(fk.To); fk.To != f.in.Name && to != nil && to.Kind != catalog.Global {
			return nil, errForeignKey.New(fk.Name, fk.To)
		}
	}
	return f.finish(f.table(catalog.Global)), nil
}

func (f fitter) find(n catalog.Name) *catalog.Table {
	return Find(f.in.Snapshot, n)
}

// Find finds a table in a snapshot that need not be compiled.
func Find(s *catalog.Snapshot, n catalog.Name) *catalog.Table {
	for _, t := range s.Tables {
		if t.Name == n {
			return t
		}
	}
	return nil
}

// single chooses the node: the one asked for, that of the tables it is bound to by foreign keys, or the one with the fewest single tables.
func (f fitter) single(on string) (*catalog.Table, error) {
	live := LiveNodes(f.in.Snapshot)
	if on != "" && !slices.Contains(live, on) {
		return nil, errSingleNode.New(on)
	}
	for _, fk := range f.in.Shape.Foreign {
		to := f.find(fk.To)
		switch {
		case fk.To == f.in.Name || to == nil || to.Kind == catalog.Global:
		case to.Kind == catalog.Sharded, on != "" && on != to.SingleOn:
			return nil, errForeignKey.New(fk.Name, fk.To)
		default:
			on = to.SingleOn
		}
	}
	for _, fk := range f.in.Incoming {
		from := f.find(fk.To)
		switch {
		case fk.To == f.in.Name || from == nil:
		case from.Kind != catalog.Single, on != "" && on != from.SingleOn:
			return nil, errReferenced.New(fk.Name, fk.To)
		default:
			on = from.SingleOn
		}
	}
	if on == "" {
		counts := map[string]int{}
		for _, t := range f.in.Snapshot.Tables {
			if t.Kind == catalog.Single {
				counts[t.SingleOn]++
			}
		}
		on = slices.MinFunc(live, func(a, b string) int { return counts[a] - counts[b] })
	}
	t := f.table(catalog.Single)
	t.SingleOn = on
	return f.finish(t), nil
}
