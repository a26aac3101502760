package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"go.yaml.in/yaml/v3"
)

// grid is an answer as a table: a head and rows.
type grid struct {
	head []string
	rows [][]string
	// below is printed under the table.
	below []string
}

func (g *grid) row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	g.rows = append(g.rows, row)
}

// print writes an answer in the form that -o asks for. value is what json and yaml print; shown makes the table.
func (a *app) print(value any, shown func() grid) error {
	switch a.output {
	case "json":
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		return e.Encode(value)
	case "yaml":
		return a.printYAML(value)
	}
	g := shown()
	w := tabwriter.NewWriter(a.stdout, 0, 4, 2, ' ', 0)
	if len(g.rows) > 0 && len(g.head) > 0 {
		if _, err := fmt.Fprintln(w, strings.Join(g.head, "\t")); err != nil {
			return err
		}
	}
	for _, r := range g.rows {
		if _, err := fmt.Fprintln(w, strings.Join(r, "\t")); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, line := range g.below {
		if _, err := fmt.Fprintln(a.stdout, line); err != nil {
			return err
		}
	}
	return nil
}

// printYAML goes through JSON, so that both have the same names.
func (a *app) printYAML(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var plain any
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&plain); err != nil {
		return err
	}
	e := yaml.NewEncoder(a.stdout)
	e.SetIndent(2)
	if err := e.Encode(numbers(plain)); err != nil {
		return err
	}
	return e.Close()
}

// numbers puts YAML numbers in the place of JSON's, whole ones exactly.
func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = numbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = numbers(e)
		}
	case json.Number:
		return plainNumber(v.String())
	}
	return v
}

// say talks to the person, on standard error.
func (a *app) say(format string, args ...any) error {
	_, err := fmt.Fprintf(a.stderr, format+"\n", args...)
	return err
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func plainNumber(text string) *yaml.Node {
	tag := "!!int"
	if strings.ContainsAny(text, ".eE") {
		tag = "!!float"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}
