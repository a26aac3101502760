package router

import (
	"context"
	"errors"
	"time"

	"ballast/router/plan"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// Stmt is a statement prepared in the binary protocol. Its plan is looked up anew for every execution, since tables and settings may have
// changed; that costs no parsing.
type Stmt struct {
	s        *Session
	prepared *plan.Prepared
	columns  []wire.Column
}

// Prepare plans a statement. The columns of its result are asked of a node, whose word on types counts.
func (s *Session) Prepare(ctx context.Context, sql []byte) (sqlfront.Prepared, error) {
	if err := s.checkKilled(); err != nil {
		return nil, err
	}
	if most := s.router.limits().MaxStatementBytes; len(sql) > most {
		return nil, errTooLong.New(len(sql), most)
	}
	s.takeSnapshot()
	st, err := s.prepare(ctx, sql)
	if err != nil {
		s.noteError(err)
		return nil, err
	}
	return st, nil
}

func (s *Session) prepare(ctx context.Context, sql []byte) (*Stmt, error) {
	pr, pl, err := s.router.planner.Prepare(ctx, &s.env, sql)
	if err != nil {
		return nil, s.asServerSays(ctx, err, sql)
	}
	if err := preparable(pl); err != nil {
		return nil, err
	}
	if err := s.checkRights(pl.Accesses); err != nil {
		return nil, err
	}
	st := &Stmt{s: s, prepared: pr}
	if rowsVerb(pl.Verb) || pl.Verb == plan.Show {
		if st.columns, err = s.describe(ctx, pr.Text); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// describe has a node prepare a text: it finds the errors that only a server finds, and gives the columns of the result.
func (s *Session) describe(ctx context.Context, sql []byte) ([]wire.Column, error) {
	k, err := s.joinAny(ctx)
	if err != nil {
		return nil, err
	}
	ps, err := k.Prepare(ctx, sql)
	if err != nil {
		return nil, s.done(ctx, k, err)
	}
	return ps.Columns(), s.done(ctx, k, nil)
}

// Params is the number of parameters.
func (t *Stmt) Params() int { return t.prepared.Markers }

// Columns describes the result.
func (t *Stmt) Columns() []wire.Column { return t.columns }

// Execute runs the statement with a client's parameters.
func (t *Stmt) Execute(ctx context.Context, args []wire.Param, r *sqlfront.Reply) error {
	s := t.s
	if err := s.checkKilled(); err != nil {
		return err
	}
	s.takeSnapshot()
	defer s.idle()
	st := &s.current
	*st = statement{args: &s.args, text: t.prepared.Text, params: args, columns: t.columns, format: wire.Binary, began: time.Now()}
	if st.params == nil {
		st.params = noParams
	}
	err := t.prepared.Bind(args, &s.args)
	if err == nil {
		st.plan, err = t.prepared.Plan(ctx, &s.env, &s.args)
	}
	if err != nil {
		s.noteError(err)
		return err
	}
	return s.run(ctx, st, r)
}

// noParams marks the execution of a statement without parameters.
var noParams = []wire.Param{}

// Close has nothing to free: nodes keep prepared statements with their connections.
func (t *Stmt) Close() {}

// FieldList answers COM_FIELD_LIST.
func (s *Session) FieldList(ctx context.Context, table, wildcard string) ([]wire.Column, error) {
	s.takeSnapshot()
	db := s.env.DB
	if db == "" {
		return nil, errNoDBSelected.New()
	}
	if err := s.checkRights([]plan.Access{{Schema: db, Table: table, Need: readRight}}); err != nil {
		return nil, err
	}
	cols, err := s.describe(ctx, []byte("SELECT * FROM "+quoteName(table)))
	if err != nil {
		return nil, err
	}
	if wildcard == "" {
		return cols, nil
	}
	var out []wire.Column
	for _, c := range cols {
		if like(c.Name, wildcard) {
			out = append(out, c)
		}
	}
	return out, nil
}

// asServerSays gives a syntax error in the server's own words: a node is asked to prepare the text that Ballast could not read.
func (s *Session) asServerSays(ctx context.Context, err error, sql []byte) error {
	if !plan.Unread(err) {
		return err
	}
	_, said := s.describe(ctx, sql)
	var se *wire.ServerError
	if errors.As(said, &se) && (se.Number == errNumberSyntax || se.Number == errNumberEmpty) {
		return se
	}
	return err
}

// The numbers of the two errors that only a server's parser words right.
const (
	errNumberSyntax = 1064
	errNumberEmpty  = 1065
)
