package rules

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

// ParseFile reads a rules file. All faults are reported at once, joined.
func ParseFile(yaml []byte) (File, error) { return File{}, errFileSyntax.New() }

// YAML writes the file so that ParseFile gives it back.
func (f File) YAML() []byte { return nil }
