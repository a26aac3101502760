package core

import (
	"ballast/rules"
	"ballast/rules/catalog"
)

// Compile compiles a table's strategy against the nodes of a snapshot.
func Compile(s *catalog.Snapshot, t *catalog.Table) (*rules.Placement, error) {
	return rules.Compile(*t.Strategy, fieldTypes(t.Strategy.By, &Shape{Columns: t.Columns}), NodeRefs(s))
}

// Windows says in one sentence each what a change of strategy would move.
func Windows(s *catalog.Snapshot, old, fresh *catalog.Table) ([]string, error) {
	a, err := Compile(s, old)
	if err != nil {
		return nil, err
	}
	b, err := Compile(s, fresh)
	if err != nil {
		return nil, err
	}
	windows, err := rules.Diff(a, b)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(windows))
	for _, w := range windows {
		out = append(out, w.String())
	}
	return out, nil
}
