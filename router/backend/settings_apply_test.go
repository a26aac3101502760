package backend

import "strings"

type fataler interface{ Fatalf(string, ...any) }

// applySet does what a server would with a SET statement of plain assignments.
func applySet(t fataler, vars map[string]string, sql string) {
	if sql == "" {
		return
	}
	body, ok := strings.CutPrefix(sql, "SET ")
	if !ok {
		t.Fatalf("not a SET: %s", sql)
	}
	for _, a := range strings.Split(body, ",") {
		name, lit, ok := strings.Cut(a, "=")
		if !ok {
			t.Fatalf("not an assignment: %s", a)
		}
		if lit == "DEFAULT" {
			delete(vars, name)
			continue
		}
		vars[name] = lit
	}
}
