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

func (t *term) prepareCreate(ctx context.Context, q *api.DDLRequest) (prepared, error) {
	name := q.Tables[0]
	if t.pub.current().Schemas[name.Schema] == nil {
		return prepared{}, errUnknownDatabase.New(name.Schema)
	}
	if t.table(name) != nil {
		if q.IfNotExists {
			return prepared{reply: &api.DDLReply{Notes: []api.Note{note(errTableExists.New(name.Table))}}}, nil
		}
		return prepared{}, errTableExists.New(name.Table)
	}
	if core.SelectsRows(q.SQL, ansiQuotes(q)) {
		return prepared{}, errSelectsRows.New()
	}
	clause, err := t.clauseFor(q)
	if err != nil {
		return prepared{}, err
	}
	if err := t.noStray(ctx, q, name); err != nil {
		return prepared{}, err
	}
	tried, err := t.try(ctx, q, "")
	if err != nil {
		return prepared{}, err
	}
	in, err := t.fitInput(ctx, name, tried.shape)
	if err != nil {
		return prepared{}, err
	}
	in.Rule = core.RuleOf(clause)
	if clause != nil {
		in.PerNode = clause.PerNode
	}
	table, notes, err := core.Fit(in)
	if err != nil {
		return prepared{}, err
	}
	job := t.newJob(q)
	job.Table, job.After = table, tried.definition
	job.Sequence, job.FirstID = table.Sequence, tried.firstID()
	job.Notes = append(tried.notes, notes...)
	for _, n := range job.Nodes {
		job.Before[n] = ""
	}
	return prepared{job: job}, nil
}

// clauseFor is the statement's own clause, or that of the table it is LIKE, or one that a rules file planned.
func (t *term) clauseFor(q *api.DDLRequest) (*rules.Clause, error) {
	if q.Clause != nil {
		return q.Clause, nil
	}
	if q.Like != nil {
		source := t.table(*q.Like)
		if source == nil {
			return nil, errUnknownTable.New(q.Like.String())
		}
		c := core.ClauseOf(source)
		if source.Group == source.Name.String() {
			return nil, nil // it has the default, and so will its copy
		}
		return &c, nil
	}
	t.commits.Lock()
	text := t.planned[q.Tables[0]]
	t.commits.Unlock()
	if text == "" {
		return nil, nil
	}
	c, err := rules.ParseClause(text)
	if err != nil {
		return nil, fmt.Errorf("read the planned rule of %s: %w", q.Tables[0], err)
	}
	return &c, nil
}

// noStray makes sure that no node has a table that the catalog does not know.
func (t *term) noStray(ctx context.Context, q *api.DDLRequest, name catalog.Name) error {
	for _, n := range t.nodes.list() {
		s, err := n.admin.Session(ctx, t.sessionFor(n, q, 0))
		if err != nil {
			return err
		}
		definition, err := s.Definition(ctx, name)
		if err := errors.Join(err, s.Close()); err != nil {
			return err
		}
		if definition != "" {
			return errStray.New("table "+name.String(), n.name)
		}
	}
	return nil
}

func (t *term) prepareDrop(ctx context.Context, q *api.DDLRequest) (prepared, error) {
	job := t.newJob(q)
	var drop []catalog.Name
	for _, name := range q.Tables {
		table := t.table(name)
		if table == nil {
			if !q.IfExists {
				return prepared{}, errUnknownDrop.New(name.String())
			}
			job.Notes = append(job.Notes, note(errUnknownDrop.New(name.String())))
			continue
		}
		drop = append(drop, name)
		if table.Sequence != "" {
			job.DropSequences = append(job.DropSequences, table.Sequence)
		}
	}
	if len(drop) == 0 {
		return prepared{reply: &api.DDLReply{Notes: job.Notes}}, nil
	}
	if q.Session["foreign_key_checks"] != "0" {
		if err := t.unreferenced(ctx, drop); err != nil {
			return prepared{}, err
		}
	}
	job.Request.Tables = drop
	return prepared{job: job, hides: func(d *core.Draft) {
		for _, n := range drop {
			d.DropTable(n)
		}
	}}, nil
}

// unreferenced refuses a DROP of tables that tables outside the statement refer to.
func (t *term) unreferenced(ctx context.Context, drop []catalog.Name) error {
	gone := map[catalog.Name]bool{}
	for _, n := range drop {
		gone[n] = true
	}
	for _, n := range drop {
		incoming, err := t.nodes.list()[0].admin.Incoming(ctx, n)
		if err != nil {
			return err
		}
		for _, fk := range incoming {
			if !gone[fk.To] {
				if t.facts.Load().Flavor == catalog.MariaDB {
					return errReferencedMaria.New()
				}
				return errReferencedDrop.New(n.Table, fk.Name, fk.To.Table)
			}
		}
	}
	return nil
}

func (t *term) prepareTruncate(q *api.DDLRequest) (prepared, error) {
	table := t.table(q.Tables[0])
	if table == nil {
		return prepared{}, errUnknownTable.New(q.Tables[0].String())
	}
	job := t.newJob(q)
	fresh := *table
	if fresh.Sequence != "" {
		// Ids begin again; routers drop the blocks that they hold with the old name.
		job.DropSequences = []string{table.Sequence}
		fresh.Sequence = fmt.Sprintf("%s#%d.%d", table.Name, t.epoch, t.pub.current().Version.N+1)
		job.Sequence, job.FirstID = fresh.Sequence, 1
	}
	fresh.Shape = core.TableShape(&fresh)
	job.Table = &fresh
	return prepared{job: job}, nil
}
