package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"ballast/router/engine"
	"ballast/rules/failure"
)

// fakeSession answers the session's functions and hands out sequence numbers from 1001 on.
type fakeSession struct {
	next   uint64
	raised []string
}

func (f *fakeSession) SessionValue(fn SessionFunc) Literal {
	switch fn {
	case FuncUser, FuncCurrentUser, FuncVersion:
		return Literal{Kind: LitString, Bare: true, Raw: []byte("root@localhost")}
	}
	return Literal{Kind: LitInt, Bare: true, Raw: []byte("77")}
}

func (f *fakeSession) UserVar(name string) Literal {
	if name == "five" {
		return Literal{Kind: LitInt, Raw: []byte("5")}
	}
	return Literal{Kind: LitNull, Raw: []byte("NULL")}
}

func (f *fakeSession) Next(_ context.Context, name string, n int) (uint64, error) {
	if f.next == 0 {
		f.next = 1001
	}
	first := f.next
	f.next += uint64(n)
	return first, nil
}

func (f *fakeSession) Raise(_ context.Context, name string, above uint64) error {
	f.raised = append(f.raised, fmt.Sprintf("%s to %d", name, above))
	return nil
}

// testEnv makes an environment from a test's arguments.
func testEnv(t *testing.T, d *datadriven.TestData) *Env {
	env := &Env{Snapshot: fixture(t), DB: "app", Flags: Strict, Charset: "utf8mb4", Collation: "utf8mb4_general_ci", TimeZone: "+00:00"}
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "db":
			env.DB = strings.Join(a.Vals, "")
		case "lax":
			env.Flags &^= Strict
		case "safe":
			env.Flags |= SafeUpdates
		case "ansi":
			env.Flags |= ANSIQuotes
		case "zero":
			env.Flags |= NoAutoValueOnZero
		case "full":
			env.Flags |= OnlyFullGroupBy
		case "mariadb":
			for i := range env.Snapshot.Nodes {
				env.Snapshot.Nodes[i].Flavor, env.Snapshot.Nodes[i].ServerVersion = "mariadb", "10.11.6-MariaDB"
			}
		case "latin1":
			env.Charset, env.Collation = "latin1", "latin1_swedish_ci"
		}
	}
	return env
}

// describe writes what a statement came to.
func describe(env *Env, p *Plan, b *Bound, f *fakeSession) string {
	var out strings.Builder
	switch {
	case b.Single != nil && b.Single.Verbatim:
		fmt.Fprintf(&out, "node %d verbatim", b.Single.Node)
	case b.Single != nil:
		fmt.Fprintf(&out, "node %d %s", b.Single.Node, b.Single.SQL)
	case b.Root != nil:
		out.WriteString(strings.TrimSuffix(TreeText(b.Root), "\n"))
	case b.Writes != nil:
		for i, q := range b.Writes.Parts {
			if i > 0 {
				out.WriteByte('\n')
			}
			fmt.Fprintf(&out, "node %d %s", q.Node, q.SQL)
		}
	default:
		out.WriteString(describeCommand(p))
	}
	if b.Single != nil && b.Single.AnyNode {
		out.WriteString(" (any node)")
	}
	if id := insertID(b); id != 0 {
		fmt.Fprintf(&out, "\ninsert id %d", id)
	}
	for _, r := range f.raised {
		fmt.Fprintf(&out, "\nraise %s", r)
	}
	return out.String()
}

// describeCommand writes what the session gets for a statement that it carries out itself.
func describeCommand(p *Plan) string {
	verbs := [...]string{"", "select", "insert", "replace", "update", "delete", "set", "use", "begin", "commit", "rollback", "savepoint", "rollback to", "release",
		"show", "explain", "ddl", "prepare", "execute", "deallocate", "kill", "do", "lock tables", "unlock tables", "show ballast", "admin", "call", "load data", "other"}
	out := verbs[p.Verb]
	switch c := p.Command.(type) {
	case *DDLCommand:
		out += fmt.Sprintf(" %T %v", c.Stmt, c.Tables)
		if c.Schema != "" {
			out += " database " + c.Schema
		}
		if c.Clause != nil {
			out += " " + c.Clause.SQL()
		}
		if c.Lenient {
			out += " lenient"
		}
	case *ShowBallastCommand:
		out += fmt.Sprintf(" %q %q", c.What, c.Argument)
	}
	return out
}

// describeNodes writes the nodes alone.
func describeNodes(_ *Env, _ *Plan, b *Bound, _ *fakeSession) string {
	var set nodeBits
	switch {
	case b.Single != nil && b.Single.AnyNode:
		return "any node"
	case b.Single != nil:
		set.add(b.Single.Node)
	case b.Root != nil:
		addNodes(&set, b.Root)
	case b.Writes != nil:
		for _, q := range b.Writes.Parts {
			set.add(q.Node)
		}
	}
	return strings.Trim(fmt.Sprint(set.appendTo(nil)), "[]")
}

func addNodes(set *nodeBits, n engine.Node) {
	for _, at := range n.Describe().Nodes {
		set.add(at)
	}
	for _, in := range n.Inputs() {
		addNodes(set, in)
	}
}

func insertID(b *Bound) uint64 {
	switch {
	case b.Single != nil:
		return b.Single.InsertID
	case b.Writes != nil:
		return b.Writes.InsertID
	}
	return 0
}

func describeError(err error) string {
	var f *failure.Error
	if errors.As(err, &f) {
		return fmt.Sprintf("%d (%s) %s", f.Kind.Number, f.Kind.State, f.Message)
	}
	return "error: " + err.Error()
}

func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			show := describe
			switch d.Cmd {
			case "plan":
			case "nodes":
				show = describeNodes
			default:
				t.Fatalf("unknown command %s", d.Cmd)
			}
			p := New(Config{})
			env := testEnv(t, d)
			var out []string
			sql := []byte(d.Input)
			for from := 0; from < len(sql); {
				f := &fakeSession{}
				env.Funcs = f
				var a Args
				var b Bound
				pl, err := p.Plan(context.Background(), env, sql, from, &a)
				if err == nil {
					err = pl.Bind(context.Background(), env, &a, f, &b)
				}
				if err != nil {
					out = append(out, describeError(err))
				} else {
					out = append(out, show(env, pl, &b, f))
				}
				if a.Next <= from {
					break
				}
				from = a.Next
			}
			return strings.Join(out, "\n") + "\n"
		})
	})
}
