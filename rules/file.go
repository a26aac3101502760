package rules

import (
	"bytes"
	"errors"

	"go.yaml.in/yaml/v3"
)

// File is a rules file: the tables of one schema and where their rows live.
type File struct {
	// Schema is the schema that all tables belong to.
	Schema string
	// Default is the strategy of tables that name none; nil leaves the schema's own.
	Default *Strategy
	// Tables are in the order of the file.
	Tables []TableRule
}

// TableRule is the clause of one table.
type TableRule struct {
	Table  string
	Clause Clause
}

// ParseFile reads a rules file (JSON is YAML, too). All faults are reported at once, joined; each is a *failure.Error.
func ParseFile(text []byte) (File, error) {
	tree, err := readYAML(text)
	if err != nil {
		return File{}, errFileSyntax.Wrap(err, err)
	}
	var f File
	r := &reader{}
	for _, m := range r.object(tree, "file") {
		switch m.key {
		case "schema":
			f.Schema = r.text(m.value, "schema")
		case "default":
			c := r.clause(m.value, "default")
			if c.Kind != Balanced || c.Group != "" || len(c.Strategy.Steps) == 0 {
				r.fault("default", "must be a strategy (by, steps)")
			}
			f.Default = &c.Strategy
		case "tables":
			for _, t := range r.object(m.value, "tables") {
				f.Tables = append(f.Tables, TableRule{t.key, r.clause(t.value, "tables."+t.key)})
			}
		default:
			r.fault(m.key, "is not known here (schema, default, tables)")
		}
	}
	if f.Schema == "" && len(r.faults) == 0 {
		r.fault("schema", "is missing")
	}
	return f, errors.Join(r.faults...)
}

// clause reads what is said of one table.
func (r *reader) clause(v any, path string) Clause {
	c := Clause{Kind: Balanced}
	o := r.object(v, path)
	for _, m := range o {
		at := path + "." + m.key
		switch m.key {
		case "global":
			r.truth(m.value, at)
			c.Kind = Everywhere
		case "single":
			c.Kind = OneNode
			if m.value != true {
				c.Single = r.text(m.value, at)
			}
		case "group":
			c.Group = r.text(m.value, at)
		case "unique_per_node":
			c.PerNode = r.names(m.value, at)
		default:
			if !r.strategyMember(&c.Strategy, o, m, path) {
				r.fault(at, "is not known here")
			}
		}
	}
	switch {
	case c.Kind != Balanced:
		if len(o) > 1 {
			r.fault(path, "is global or single, so nothing else may be said of it")
		}
	case len(c.Strategy.By) == 0:
		r.fault(path, "needs fields (by), or global, or single")
	case len(c.Strategy.Steps) == 0 && c.Group == "":
		r.fault(path, "needs steps, or a group to take them from")
	}
	return c
}

// YAML writes the file so that ParseFile gives it back.
func (f File) YAML() []byte {
	o := object{{"schema", f.Schema}}
	if f.Default != nil {
		o = append(o, member{"default", strategyTree(f.Default)})
	}
	tables := object{}
	for _, t := range f.Tables {
		tables = append(tables, member{t.Table, clauseTree(t.Clause)})
	}
	o = append(o, member{"tables", tables})
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(toYAML(o, 3)); err != nil {
		return nil // a tree of maps, lists and scalars always encodes
	}
	if err := e.Close(); err != nil {
		return nil
	}
	return out.Bytes()
}

func clauseTree(c Clause) object {
	switch c.Kind {
	case Everywhere:
		return object{{"global", true}}
	case OneNode:
		if c.Single == "" {
			return object{{"single", true}}
		}
		return object{{"single", c.Single}}
	default:
	}
	var o object
	if c.Group != "" {
		o = append(o, member{"group", c.Group})
	}
	o = append(o, strategyTree(&c.Strategy)...)
	if len(c.PerNode) > 0 {
		o = append(o, member{"unique_per_node", names(c.PerNode)})
	}
	return o
}
