package master

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/nodeadmin"
	"ballast/rules"
	"ballast/rules/catalog"
)

// sessionFor are the options of a session that works for a request.
func (t *term) sessionFor(n *node, q *api.DDLRequest, job uint64) nodeadmin.SessionOptions {
	return nodeadmin.SessionOptions{Job: job, Epoch: t.epoch, Flavor: n.flavor, Schema: q.Schema, Settings: q.Session}
}

func ansiQuotes(q *api.DDLRequest) bool {
	return strings.Contains(strings.ToUpper(q.Session["sql_mode"]), "ANSI")
}

// trial is what a statement makes of a table, found out in the scratch database of one node.
type trial struct {
	shape      *core.Shape
	definition string // normalized
	text       string // as SHOW CREATE TABLE has it
	notes      []api.Note
}

// try runs a CREATE or ALTER of one table in the scratch database. For an ALTER, present is the table's definition.
func (t *term) try(ctx context.Context, q *api.DDLRequest, present string) (_ *trial, err error) {
	n := t.nodes.list()[0]
	name := q.Tables[0]
	t.scratch.Lock()
	defer t.scratch.Unlock()
	s, err := n.admin.Session(ctx, t.sessionFor(n, q, 0))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	target := catalog.Name{Schema: nodeadmin.ScratchSchema, Table: name.Table}
	drop := "DROP TABLE IF EXISTS " + nodeadmin.QuoteName(target)
	// A column that names no character set takes its database's: the scratch database must have the same.
	like := t.pub.current().Schemas[name.Schema]
	if like == nil {
		return nil, errUnknownDatabase.New(name.Schema)
	}
	defaults := "ALTER DATABASE " + nodeadmin.ScratchSchema + " CHARACTER SET " + like.Charset + " COLLATE " + like.Collation
	for _, statement := range []string{"SET SESSION foreign_key_checks = 0", defaults, drop} {
		if _, _, err := s.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	if present != "" {
		text, ok := core.RenameTarget(present, nodeadmin.QuoteName(target), false)
		if !ok {
			return nil, errCantTry.New(string(q.Kind))
		}
		// What is there may be more than the client's sql_mode would let in (zero dates).
		for _, statement := range []string{"SET @ballast_mode = @@SESSION.sql_mode, SESSION sql_mode = 'NO_ENGINE_SUBSTITUTION'", text, "SET SESSION sql_mode = @ballast_mode"} {
			if _, _, err := s.Exec(ctx, statement); err != nil {
				return nil, fmt.Errorf("try the definition of %s out: %w", name, err)
			}
		}
	}
	text, ok := core.RenameTarget(q.SQL, nodeadmin.QuoteName(target), ansiQuotes(q))
	if !ok {
		return nil, errCantTry.New(string(q.Kind))
	}
	out := &trial{}
	if _, out.notes, err = s.Exec(ctx, text); err != nil {
		return nil, inPlace(err, name)
	}
	if out.shape, err = s.Shape(ctx, target); err != nil {
		return nil, err
	}
	for i := range out.shape.Foreign {
		if to := &out.shape.Foreign[i].To; to.Schema == nodeadmin.ScratchSchema {
			to.Schema = name.Schema
		}
	}
	if out.text, err = s.CreateText(ctx, target); err != nil {
		return nil, err
	}
	out.definition = core.NormalizeDefinition(out.text, name.Schema)
	_, _, err = s.Exec(ctx, drop)
	return out, err
}

// inPlace words a server's error as if the statement had run where the client meant it.
func inPlace(err error, name catalog.Name) error {
	var server *mysql.MySQLError
	if !errors.As(err, &server) {
		return err
	}
	c := *server
	c.Message = strings.ReplaceAll(c.Message, nodeadmin.ScratchSchema, name.Schema)
	return &c
}

var autoIncrementOption = regexp.MustCompile(`(?m)^\) ENGINE=\w+ AUTO_INCREMENT=(\d+)`)

// firstID is where a new sequence of the table begins.
func (tr *trial) firstID() uint64 {
	if m := autoIncrementOption.FindStringSubmatch(tr.text); m != nil {
		if n, err := strconv.ParseUint(m[1], 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return 1
}

func (t *term) fitInput(ctx context.Context, name catalog.Name, shape *core.Shape) (core.FitInput, error) {
	snap := t.pub.current()
	in := core.FitInput{Name: name, Shape: shape, Snapshot: snap, Groups: t.groupStrategies(), Sequence: fmt.Sprintf("%s#%d.%d", name, t.epoch, snap.Version.N+1)}
	var err error
	in.Incoming, err = t.nodes.list()[0].admin.Incoming(ctx, name)
	return in, err
}

// groupStrategies is a copy of the groups, for use without the lock.
func (t *term) groupStrategies() map[string]*rules.Strategy {
	t.commits.Lock()
	defer t.commits.Unlock()
	out := make(map[string]*rules.Strategy, len(t.groups))
	for k, v := range t.groups {
		out[k] = v
	}
	return out
}
