package core

import (
	"slices"
	"strings"

	"ballast/rules"
	"ballast/rules/catalog"
)

// Refit gives the table after its definition changed, under the rule it has. The balancing fields must stay what they are, since rows don't move.
func Refit(old *catalog.Table, in FitInput) (*catalog.Table, error) {
	in.PerNode = append(slices.Clone(in.PerNode), old.PerNodeUnique...)
	f := fitter{in}
	var t *catalog.Table
	var err error
	switch old.Kind {
	case catalog.Global:
		t, err = f.global()
	case catalog.Single:
		t, err = f.single(old.SingleOn)
	case catalog.Sharded:
		t, err = f.keep(old)
	}
	if err != nil {
		return nil, err
	}
	if old.Kind != catalog.Single {
		auto := in.Shape.AutoIncrement()
		before := Shape{Columns: old.Columns}
		if _, there := before.Column(auto); auto != "" && !there {
			return nil, errNewAutoColumn.New(auto)
		}
		t.Sequence = ""
		if auto != "" {
			t.Sequence = in.Sequence
			if old.Sequence != "" {
				t.Sequence = old.Sequence
			}
		}
	}
	t.Shape = TableShape(t)
	return t, nil
}

// keep checks that a changed definition leaves the rule as it is.
func (f fitter) keep(old *catalog.Table) (*catalog.Table, error) {
	if !strings.EqualFold(f.in.Shape.Engine, "InnoDB") {
		return nil, errEngine.New(f.in.Shape.Engine)
	}
	before := Shape{Columns: old.Columns}
	for i, was := range fieldTypes(old.Strategy.By, &before) {
		name := old.Strategy.By[i]
		c, ok := f.in.Shape.Column(name)
		if !ok {
			return nil, errFieldDropped.New(name)
		}
		if !samePlace(was, c.Field) {
			b, _ := before.Column(name)
			return nil, errFieldChanged.New(name, b.Type, c.Type)
		}
	}
	if _, err := rules.Compile(*old.Strategy, fieldTypes(old.Strategy.By, f.in.Shape), NodeRefs(f.in.Snapshot)); err != nil {
		return nil, err
	}
	t := f.table(catalog.Sharded)
	t.Group, t.Strategy = old.Group, old.Strategy
	if err := f.uniqueKeys(t); err != nil {
		return nil, err
	}
	return t, f.foreignKeys(t)
}

// samePlace says whether equal values of the two types are surely placed alike.
func samePlace(a, b rules.FieldType) bool {
	return a.Kind == b.Kind && a.Collation == b.Collation && a.Scale == b.Scale && a.Fixed == b.Fixed &&
		(a.Length == b.Length || !a.Fixed || a.Kind == rules.FieldString)
}
