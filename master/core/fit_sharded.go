package core

import (
	"reflect"
	"slices"
	"strings"

	"ballast/rules"
	"ballast/rules/catalog"
)

func (f fitter) sharded(rule Rule) (*catalog.Table, error) {
	if !strings.EqualFold(f.in.Shape.Engine, "InnoDB") {
		return nil, errEngine.New(f.in.Shape.Engine)
	}
	strategy, err := f.strategy(rule)
	if err != nil {
		return nil, err
	}
	t := f.table(catalog.Sharded)
	t.Group, t.Strategy = rule.Group, strategy
	if err := f.uniqueKeys(t); err != nil {
		return nil, err
	}
	if err := f.foreignKeys(t); err != nil {
		return nil, err
	}
	return f.finish(t), nil
}

// strategy resolves the rule's fields and nodes, and brings it in line with its group.
func (f fitter) strategy(rule Rule) (*rules.Strategy, error) {
	group := f.in.Groups[rule.Group]
	if rule.Group == "" {
		group = nil
	}
	var want rules.Strategy
	switch {
	case rule.Strategy != nil && len(rule.Strategy.Steps) > 0:
		want = *rule.Strategy
	case group == nil:
		return nil, errUnknownGroup.New(rule.Group)
	default:
		want = *group
		if rule.Strategy != nil && len(rule.Strategy.By) > 0 {
			want.By = rule.Strategy.By
		}
	}
	by, err := resolveBy(want.By, f.in.Shape)
	if err != nil {
		return nil, err
	}
	want.By = by
	types := fieldTypes(by, f.in.Shape)
	fixed, err := fixNodes(&want, types, f.in.Snapshot)
	if err != nil || group == nil {
		return fixed, err
	}
	return fixed, f.sameAsGroup(rule, fixed, group, types)
}

func (f fitter) sameAsGroup(rule Rule, s, group *rules.Strategy, types []rules.FieldType) error {
	a, b := *s, *group
	if len(a.By) != len(b.By) {
		return errGroupDiffers.New(rule.Group)
	}
	a.By, b.By = nil, nil
	if !reflect.DeepEqual(a, b) {
		return errGroupDiffers.New(rule.Group)
	}
	for _, t := range f.in.Snapshot.Tables {
		if t.Group != rule.Group || t.Kind != catalog.Sharded || t.Name == f.in.Name {
			continue
		}
		shape := Shape{Columns: t.Columns}
		for i, other := range fieldTypes(t.Strategy.By, &shape) {
			if family(other.Kind) != family(types[i].Kind) || other.Collation != types[i].Collation || other.Scale != types[i].Scale {
				return errGroupTypes.New(s.By[i], rule.Group)
			}
		}
	}
	return nil
}

// family puts together the kinds whose equal values are placed alike.
func family(k rules.FieldKind) rules.FieldKind {
	if k == rules.FieldUint {
		return rules.FieldInt
	}
	return k
}

// uniqueKeys holds every unique key against the balancing fields. A key with an AUTO_INCREMENT column is unique anyway: the sequence feeds it.
func (f fitter) uniqueKeys(t *catalog.Table) error {
	auto := f.in.Shape.AutoIncrement()
	for _, k := range t.Keys {
		if !k.Unique || auto != "" && containsFold(k.Columns, auto) || !k.Prefix && containsAll(k.Columns, t.Strategy.By) {
			continue
		}
		if !containsFold(f.in.PerNode, k.Name) {
			return errUniqueKey.New(k.Name, strings.Join(t.Strategy.By, ", "))
		}
		t.PerNodeUnique = append(t.PerNodeUnique, k.Name)
	}
	return nil
}

// foreignKeys takes references inside the group that contain the balancing fields in their places, and references to global tables.
func (f fitter) foreignKeys(t *catalog.Table) error {
	for _, fk := range f.in.Shape.Foreign {
		to := f.find(fk.To)
		if fk.To == t.Name {
			to = t
		}
		if to == nil || to.Kind == catalog.Global {
			continue // a table that does not exist yet is looked at when it is made
		}
		if to.Kind != catalog.Sharded || !together(t, to) || !carries(t.Strategy.By, fk.Columns, to.Strategy.By, fk.Referenced) {
			return errForeignKey.New(fk.Name, fk.To)
		}
		if fk.SetsNull {
			return errSetsNull.New(fk.Name)
		}
	}
	for _, fk := range f.in.Incoming {
		from := f.find(fk.To)
		if from == nil || fk.To == t.Name {
			continue
		}
		if from.Kind != catalog.Sharded || !together(t, from) || !carries(from.Strategy.By, fk.Columns, t.Strategy.By, fk.Referenced) {
			return errReferenced.New(fk.Name, fk.To)
		}
	}
	return nil
}

func together(a, b *catalog.Table) bool {
	return a == b || a.Name == b.Name || a.Group != "" && a.Group == b.Group
}

// carries says whether a foreign key pairs each balancing field of the one table with the same field of the other.
func carries(by, columns, toBy, referenced []string) bool {
	if len(by) != len(toBy) {
		return false
	}
	for i := range by {
		at := slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(c, by[i]) })
		if at < 0 || !strings.EqualFold(referenced[at], toBy[i]) {
			return false
		}
	}
	return true
}

func containsFold(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

func containsAll(list, names []string) bool {
	for _, n := range names {
		if !containsFold(list, n) {
			return false
		}
	}
	return true
}
