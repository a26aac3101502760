package master

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/meta"
	"ballast/rules/catalog"
	"ballast/rules/failure"
)

var (
	errDefinitionBusy  = failure.Define("BL6150", 1205, "HY000", "another definition statement is at work on the same table or database", "try again when it has ended; rulectl ddl job list shows it")
	errDefinitionWaits = failure.Define("BL6151", 1105, "HY000", "definition job %d is not done yet: %s", "it goes on by itself; rulectl ddl job list shows it")
	errClosedSchema    = failure.Define("BL6152", 1044, "42000", "database '%s' is closed to clients", "choose another name")
	errUnknownDatabase = failure.Define("BL6153", 1049, "42000", "Unknown database '%s'", "")
	errDatabaseExists  = failure.Define("BL6154", 1007, "HY000", "Can't create database '%s'; database exists", "")
	errNoSuchDatabase  = failure.Define("BL6155", 1008, "HY000", "Can't drop database '%s'; database doesn't exist", "")
	errTableExists     = failure.Define("BL6156", 1050, "42S01", "Table '%s' already exists", "")
	errUnknownDrop     = failure.Define("BL6157", 1051, "42S02", "Unknown table '%s'", "")
	errSelectsRows     = failure.Define("BL6158", 1235, "42000", "CREATE TABLE … SELECT is not supported on several nodes", "create the table first, then INSERT the rows")
	errCantTry         = failure.Define("BL6159", 1235, "42000", "this form of %s is not supported", "write it with the table's name right behind TABLE or ON, one table a statement")
	errStray           = failure.Define("BL6160", 1050, "42S01", "%s exists on node %s, outside the cluster's definitions", "rename or drop it there")
	errReferencedDrop  = failure.Define("BL6161", 3730, "HY000", "Cannot drop table '%s' referenced by a foreign key constraint '%s' on table '%s'.", "")
	errReferencedMaria = failure.Define("BL6167", 1451, "23000", "Cannot delete or update a parent row: a foreign key constraint fails", "")
	errHalfDone        = failure.Define("BL6162", 1105, "HY000", "node %s refused what %s had already done: %s", "the definitions differ now: mend the rows that stand in the way and repeat the statement")
	errForeignHand     = failure.Define("BL6163", 1105, "HY000", "the definition of %s on node %s is neither the one before nor the one after this statement", "someone changed it on the node itself: make it equal to the other nodes")
	errPartForm        = failure.Define("BL6164", 1235, "42000", "ALTER TABLE … %s is not supported on several nodes", "it works on the files of one server; copy the rows by SQL")
	errRenameAndMore   = failure.Define("BL6165", 1235, "42000", "ALTER TABLE … RENAME together with other changes is not supported", "use two statements")
	errClauseAndMore   = failure.Define("BL6166", 1235, "42000", "ALTER TABLE with a rule together with other changes is not supported", "use two statements")
)

// ddlPatience bounds how long a client waits for a job that can't go on.
const ddlPatience = 5 * time.Minute

// closedSchemas can't be made, changed or dropped by clients.
func closedSchema(name string) bool {
	n := strings.ToLower(name)
	return strings.HasPrefix(n, "ballast_") || slices.Contains([]string{"mysql", "information_schema", "performance_schema", "sys"}, n)
}

// prepared is a statement that was tried out: a job to journal, or an answer without one.
type prepared struct {
	job   *core.Job
	reply *api.DDLReply
	// hides is what the job takes from the catalog before the nodes are changed.
	hides func(*core.Draft)
}

// ddl carries out a definition statement: try it out, journal it, run it on all nodes, publish it.
func (t *term) ddl(ctx context.Context, q api.DDLRequest, by why) (*api.DDLReply, error) {
	began := time.Now()
	if t.facts.Load().LowerCaseNames == 1 {
		lowerNames(&q)
	}
	if q.Session = maps.Clone(q.Session); q.Session == nil {
		q.Session = map[string]string{}
	}
	if q.Session["sql_mode"] == "" {
		q.Session["sql_mode"] = "'" + t.facts.Load().SQLMode + "'" // what a session of the client's begins with
	}
	if len(q.Tables) == 0 {
		return nil, errBadCall.New("a definition names what it is about")
	}
	for _, n := range jobNames(&q) {
		if closedSchema(n.Schema) {
			return nil, errClosedSchema.New(n.Schema)
		}
	}
	unlock, err := t.jobs.lock(ctx, t.lockNames(&q))
	if err != nil {
		return nil, err
	}
	o, reply, err := t.beginJob(ctx, q, by, unlock)
	if err != nil || reply != nil {
		unlock()
		return reply, err
	}
	patience := time.NewTimer(ddlPatience)
	defer patience.Stop()
	select {
	case <-o.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.ctx.Done():
		return nil, errDefinitionWaits.New(o.id(), "the leading master has changed")
	case <-patience.C:
		reason := "it takes long"
		if job := o.copy(); job.Error != nil {
			reason = job.Error.Message
		}
		return nil, errDefinitionWaits.New(o.id(), reason)
	}
	t.m.metrics.ddlSeconds.Observe(time.Since(began).Seconds())
	if o.err != nil {
		return nil, o.err
	}
	job := o.copy()
	return &api.DDLReply{Job: job.ID, Version: o.version, Affected: job.Affected, Notes: job.Notes}, nil
}

// beginJob tries the statement out and journals it; from then on it runs by itself.
func (t *term) beginJob(ctx context.Context, q api.DDLRequest, by why, unlock func()) (*openJob, *api.DDLReply, error) {
	if q.Clause != nil && q.Kind == api.AlterTable {
		if !core.BareAlter(q.SQL, ansiQuotes(&q)) {
			return nil, nil, errClauseAndMore.New()
		}
		reply, err := t.changeRule(ctx, q.Tables[0], q.Clause, by)
		return nil, reply, err
	}
	if err := t.allUp(ctx); err != nil {
		return nil, nil, err
	}
	p, err := t.prepare(ctx, &q)
	if err != nil || p.reply != nil {
		return nil, p.reply, err
	}
	job := p.job
	if job.Request.User == "" {
		job.Request.User = by.who
	}
	job.Request.Clause = nil // it has become the table's rule
	event := core.Begin
	if job.HidesFirst() {
		event = core.Hide
	}
	if job.State, err = core.Checked.Next(event); err != nil {
		return nil, nil, err
	}
	o := &openJob{done: make(chan struct{}), unlock: unlock}
	if p.hides != nil {
		o.version, _, err = t.commit(ctx, change{
			what: string(q.Kind) + " " + objectOf(&q), by: why{who: job.Request.User, reason: by.reason},
			draft: func(d *core.Draft) error { p.hides(d); return nil },
			store: func(ctx context.Context, tx *meta.Tx) error {
				for _, name := range job.DropSequences {
					if err := tx.DropSequence(ctx, name); err != nil {
						return err
					}
				}
				return tx.NewJob(ctx, job)
			},
		})
	} else {
		err = t.transact(ctx, func(ctx context.Context, tx *meta.Tx) error { return tx.NewJob(ctx, job) })
	}
	if err != nil {
		return nil, nil, err
	}
	job.Created = time.Now().UTC()
	o.job = *job
	t.jobs.add(o)
	t.spawn(func() { t.runJob(o) })
	return o, nil, nil
}

// resumeJob goes on with a job of an earlier term.
func (t *term) resumeJob(o *openJob) {
	t.spawn(func() { t.runJob(o) })
}

// prepare tries a statement out and makes a job of it.
func (t *term) prepare(ctx context.Context, q *api.DDLRequest) (prepared, error) {
	switch q.Kind {
	case api.CreateDatabase, api.AlterDatabase:
		return t.prepareDatabase(ctx, q)
	case api.DropDatabase:
		return t.prepareDropDatabase(q)
	case api.CreateTable:
		return t.prepareCreate(ctx, q)
	case api.AlterTable, api.CreateIndex, api.DropIndex:
		return t.prepareAlter(ctx, q)
	case api.DropTable:
		return t.prepareDrop(ctx, q)
	case api.TruncateTable:
		return t.prepareTruncate(q)
	case api.RenameTable:
		return t.prepareRename(ctx, q)
	}
	return prepared{}, errBadCall.New("an unknown kind of definition")
}

func (t *term) newJob(q *api.DDLRequest) *core.Job {
	j := &core.Job{State: core.Checked, Request: *q, Before: map[int]string{}}
	for _, n := range t.nodes.list() {
		j.Nodes = append(j.Nodes, n.index)
	}
	return j
}

// allUp asks every node now: a definition that can't be done everywhere is not begun.
func (t *term) allUp(ctx context.Context) error {
	nodes := t.nodes.list()
	if len(nodes) == 0 {
		return core.NoNode()
	}
	short, cancel := context.WithTimeout(ctx, 2500*time.Millisecond)
	defer cancel()
	for _, n := range nodes {
		if err := n.admin.Ping(short); err != nil {
			n.wake()
			return errNodeDown.Wrap(err, n.name)
		}
		if err := n.awaitReady(short); err != nil {
			return err
		}
	}
	return nil
}

func lowerNames(q *api.DDLRequest) {
	lower := func(list []catalog.Name) {
		for i := range list {
			list[i] = catalog.Name{Schema: strings.ToLower(list[i].Schema), Table: strings.ToLower(list[i].Table)}
		}
	}
	lower(q.Tables)
	lower(q.To)
	if q.Like != nil {
		q.Like = &catalog.Name{Schema: strings.ToLower(q.Like.Schema), Table: strings.ToLower(q.Like.Table)}
	}
	q.Schema = strings.ToLower(q.Schema)
}

// groupLock stands in the place of a database's name in locks of balance groups.
const groupLock = "\x00group"

// lockNames are what a statement keeps others from: the names it is about, and the balance groups whose rule it reads or makes.
func (t *term) lockNames(q *api.DDLRequest) []catalog.Name {
	names := jobNames(q)
	group := func(g string) {
		if g != "" {
			names = append(names, catalog.Name{Schema: groupLock, Table: g})
		}
	}
	if q.Clause != nil {
		group(q.Clause.Group)
	}
	if c, err := t.clauseFor(q); err == nil && c != nil {
		group(c.Group)
	}
	for _, n := range q.Tables {
		if table := t.table(n); table != nil {
			group(table.Group)
		}
	}
	return names
}

// objectOf is what a statement is about, for people.
func objectOf(q *api.DDLRequest) string {
	var out []string
	for _, n := range q.Tables {
		if n.Table == "" {
			out = append(out, n.Schema)
		} else {
			out = append(out, n.String())
		}
	}
	return strings.Join(out, ", ")
}

// table finds a table of the catalog.
func (t *term) table(n catalog.Name) *catalog.Table {
	for _, table := range t.pub.current().Tables {
		if table.Name == n {
			return table
		}
	}
	return nil
}
