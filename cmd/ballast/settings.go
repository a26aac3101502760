package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// A role's settings are one struct with YAML names and comments. From it come the YAML file, the environment variables
// (BALLAST_CLIENTS_MAX_CONNECTIONS), the flags (--clients.max-connections) and the commented example that --print-config prints. Flags win
// over the environment, that over the file, that over the defaults.

// setting is one leaf of the struct.
type setting struct {
	path  []string
	doc   string
	value reflect.Value
	depth int
	group bool
}

// settingsOf lists the fields of a struct, groups before their members.
func settingsOf(v reflect.Value, path []string) []setting {
	var out []setting
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		name, how, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if how == "inline" {
			out = append(out, settingsOf(v.Field(i), path)...)
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		at := append(append([]string(nil), path...), name)
		s := setting{path: at, doc: docOf(t, f.Name), value: v.Field(i), depth: len(path), group: f.Type.Kind() == reflect.Struct}
		out = append(out, s)
		if s.group {
			out = append(out, settingsOf(v.Field(i), at)...)
		}
	}
	return out
}

func (s setting) flag() string { return strings.ReplaceAll(strings.Join(s.path, "."), "_", "-") }

func (s setting) variable() string { return "BALLAST_" + strings.ToUpper(strings.Join(s.path, "_")) }

// set reads a text into the field.
func (s setting) set(text string) error {
	switch p := s.value.Addr().Interface().(type) {
	case *string:
		*p = text
	case *[]string:
		*p = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	default:
		if err := yaml.Unmarshal([]byte(text), p); err != nil {
			return fmt.Errorf("%q is no %s", text, kindName(s.value))
		}
	}
	return nil
}

func kindName(v reflect.Value) string {
	switch v.Interface().(type) {
	case time.Duration:
		return "duration such as 500ms or 2s"
	case bool:
		return "true or false"
	default:
		return "number"
	}
}

// flagValue makes a setting a command-line flag.
type flagValue struct {
	setting
	given *map[string]string
}

func (f flagValue) String() string {
	if !f.value.IsValid() {
		return ""
	}
	return text(f.value)
}

func (f flagValue) Set(v string) error { (*f.given)[f.flag()] = v; return nil }

func (f flagValue) Type() string {
	switch f.value.Interface().(type) {
	case bool:
		return "bool"
	case time.Duration:
		return "duration"
	case string:
		return "string"
	case []string:
		return "list"
	default:
		return "number"
	}
}

// loader reads a role's settings from where they may stand.
type loader struct {
	config any // pointer to the struct with its defaults
	file   string
	given  map[string]string
	show   bool
}

// addFlags gives a command the flags of a role's settings.
func addFlags(cmd *cobra.Command, config any) *loader {
	l := &loader{config: config, given: map[string]string{}}
	cmd.Flags().StringVar(&l.file, "config", os.Getenv("BALLAST_CONFIG"), "YAML `FILE` with the settings")
	cmd.Flags().BoolVar(&l.show, "print-config", false, "print the settings with their meaning, and end")
	for _, s := range settingsOf(reflect.ValueOf(config).Elem(), nil) {
		if s.group {
			continue
		}
		v := flagValue{s, &l.given}
		f := &pflag.Flag{Name: s.flag(), Usage: s.doc, Value: v, DefValue: v.String()}
		if v.Type() == "bool" {
			f.NoOptDefVal = "true"
		}
		cmd.Flags().AddFlag(f)
	}
	return l
}

// load reads file, environment and flags into the struct.
func (l *loader) load() error {
	if l.file != "" {
		data, err := os.ReadFile(l.file)
		if err != nil {
			return misuse{fmt.Errorf("read the configuration: %w", err)}
		}
		d := yaml.NewDecoder(bytes.NewReader(data))
		d.KnownFields(true)
		if err := d.Decode(l.config); err != nil && !errors.Is(err, io.EOF) {
			return misuse{fmt.Errorf("configuration %s: %w", l.file, err)}
		}
	}
	var faults []error
	for _, s := range settingsOf(reflect.ValueOf(l.config).Elem(), nil) {
		if s.group {
			continue
		}
		if v, ok := os.LookupEnv(s.variable()); ok {
			if err := s.set(v); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", s.variable(), err))
			}
		}
		if v, ok := l.given[s.flag()]; ok {
			if err := s.set(v); err != nil {
				faults = append(faults, fmt.Errorf("--%s: %w", s.flag(), err))
			}
		}
	}
	if len(faults) > 0 {
		return misuse{errors.Join(faults...)}
	}
	return nil
}

// printSettings writes the struct as a commented YAML file.
func printSettings(w io.Writer, config any) error {
	var b strings.Builder
	for _, s := range settingsOf(reflect.ValueOf(config).Elem(), nil) {
		indent := strings.Repeat("  ", s.depth)
		for _, line := range wrap(s.doc, 100) {
			b.WriteString(indent + "# " + line + "\n")
		}
		b.WriteString(indent + s.path[len(s.path)-1] + ":")
		if !s.group {
			b.WriteString(" " + text(s.value))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text is a value in YAML on one line.
func text(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case []string:
		return "[" + strings.Join(x, ", ") + "]"
	case time.Duration:
		return x.String()
	}
	out, err := yaml.Marshal(v.Interface())
	if err != nil {
		return fmt.Sprint(v.Interface())
	}
	return strings.TrimSpace(string(out))
}

// again reads everything anew into another struct of the same type, for a reload.
func (l *loader) again(config any) error {
	next := loader{config: config, file: l.file, given: l.given}
	return next.load()
}

func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
