package meta

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"ballast/master/core"
	"ballast/rules"
	"ballast/rules/catalog"
)

// State is everything a new leader starts from.
type State struct {
	Snapshot *catalog.Snapshot
	Facts    core.Facts
	// Admins holds the administrator's account of each node, by index.
	Admins map[int]Admin
	// Incarnations are the ones that have not ended; Passwords their accounts' passwords, by id.
	Incarnations []core.Incarnation
	Passwords    map[uint64]string
	// Jobs are the definition jobs that have not ended.
	Jobs []core.Job
	// Planned are clauses for tables that do not exist yet.
	Planned map[catalog.Name]string
	// Groups holds the strategy of each balance group.
	Groups map[string]*rules.Strategy
}

// Admin is a node's administrator account, and whether the node was taken without durable settings.
type Admin struct {
	User, Password string
	NonDurable     bool
}

// Load reads everything under one snapshot of the metadata server.
func (s *Store) Load(ctx context.Context) (*State, error) {
	l := loader{s: s, state: &State{
		Snapshot: &catalog.Snapshot{Schemas: map[string]*catalog.Schema{}, Users: map[string]*catalog.User{}},
		Admins:   map[int]Admin{}, Passwords: map[uint64]string{}, Planned: map[catalog.Name]string{}, Groups: map[string]*rules.Strategy{},
	}, strategies: map[uint64]*rules.Strategy{}}
	s.ids = map[*rules.Strategy]uint64{}
	for _, step := range []struct {
		what string
		run  func(context.Context) error
	}{
		{"the cluster", l.cluster},
		{"nodes", l.nodes},
		{"schemas", l.schemas},
		{"groups", l.groups},
		{"tables", l.tables},
		{"users", l.users},
		{"incarnations", l.incarnations},
		{"definition jobs", l.jobs},
		{"planned rules", l.planned},
	} {
		if err := step.run(ctx); err != nil {
			return nil, fmt.Errorf("read %s from the metadata: %w", step.what, err)
		}
	}
	return l.state, nil
}

type loader struct {
	s          *Store
	state      *State
	strategies map[uint64]*rules.Strategy
}

// strategy reads a strategy once, so that tables that share it share the value.
func (l *loader) strategy(ctx context.Context, id uint64) (*rules.Strategy, error) {
	if st, ok := l.strategies[id]; ok {
		return st, nil
	}
	var doc []byte
	if err := l.s.db.GetContext(ctx, &doc, "SELECT doc FROM strategies WHERE id = ?", id); err != nil {
		return nil, err
	}
	st := new(rules.Strategy)
	if err := json.Unmarshal(doc, st); err != nil {
		return nil, fmt.Errorf("strategy %d: %w", id, err)
	}
	l.strategies[id] = st
	l.s.ids[st] = id
	return st, nil
}

func (l *loader) cluster(ctx context.Context) error {
	snap := l.state.Snapshot
	var facts []byte
	err := l.s.db.QueryRowxContext(ctx, "SELECT uuid, version_epoch, version_n, facts FROM cluster WHERE id = 1").
		Scan(&snap.ClusterUUID, &snap.Version.Epoch, &snap.Version.N, &facts)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(facts, &l.state.Facts); err != nil {
		return err
	}
	snap.LowerCaseNames = l.state.Facts.LowerCaseNames
	return nil
}

func (l *loader) nodes(ctx context.Context) error {
	var rows []struct {
		Idx        int    `db:"idx"`
		Doc        []byte `db:"doc"`
		User       string `db:"admin_user"`
		Secret     []byte `db:"admin_secret"`
		NonDurable bool   `db:"nondurable"`
	}
	if err := l.s.db.SelectContext(ctx, &rows, "SELECT idx, doc, admin_user, admin_secret, nondurable FROM nodes ORDER BY idx"); err != nil {
		return err
	}
	for i, r := range rows {
		if r.Idx != i {
			return fmt.Errorf("node %d is missing", i)
		}
		var n catalog.Node
		if err := json.Unmarshal(r.Doc, &n); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		password, err := l.s.sealer.open(r.Secret)
		if err != nil {
			return fmt.Errorf("node %s: %w", n.Name, err)
		}
		l.state.Snapshot.Nodes = append(l.state.Snapshot.Nodes, n)
		l.state.Admins[i] = Admin{r.User, password, r.NonDurable}
	}
	return nil
}

type namedDoc struct {
	Name string `db:"name"`
	Doc  []byte `db:"doc"`
}

func (l *loader) schemas(ctx context.Context) error {
	var rows []namedDoc
	if err := l.s.db.SelectContext(ctx, &rows, "SELECT name, doc FROM db_schemas"); err != nil {
		return err
	}
	for _, r := range rows {
		v := new(catalog.Schema)
		if err := json.Unmarshal(r.Doc, v); err != nil {
			return fmt.Errorf("schema %s: %w", r.Name, err)
		}
		l.state.Snapshot.Schemas[r.Name] = v
	}
	return nil
}

func (l *loader) users(ctx context.Context) error {
	var rows []namedDoc
	if err := l.s.db.SelectContext(ctx, &rows, "SELECT name, doc FROM users"); err != nil {
		return err
	}
	for _, r := range rows {
		v := new(catalog.User)
		if err := json.Unmarshal(r.Doc, v); err != nil {
			return fmt.Errorf("user %s: %w", r.Name, err)
		}
		l.state.Snapshot.Users[r.Name] = v
	}
	return nil
}

func (l *loader) groups(ctx context.Context) error {
	var rows []struct {
		Name string `db:"name"`
		ID   uint64 `db:"strategy_id"`
	}
	if err := l.s.db.SelectContext(ctx, &rows, "SELECT name, strategy_id FROM balance_groups"); err != nil {
		return err
	}
	for _, r := range rows {
		st, err := l.strategy(ctx, r.ID)
		if err != nil {
			return err
		}
		l.state.Groups[r.Name] = st
	}
	return nil
}

func (l *loader) tables(ctx context.Context) error {
	var rows []struct {
		Doc      []byte  `db:"doc"`
		Strategy *uint64 `db:"strategy_id"`
	}
	if err := l.s.db.SelectContext(ctx, &rows, "SELECT doc, strategy_id FROM db_tables ORDER BY schema_name, name"); err != nil {
		return err
	}
	for _, r := range rows {
		t := new(catalog.Table)
		if err := json.Unmarshal(r.Doc, t); err != nil {
			return err
		}
		if r.Strategy != nil {
			st, err := l.strategy(ctx, *r.Strategy)
			if err != nil {
				return err
			}
			t.Strategy = st
		}
		l.state.Snapshot.Tables = append(l.state.Snapshot.Tables, t)
	}
	return nil
}

func (l *loader) incarnations(ctx context.Context) (err error) {
	rows, err := l.s.db.QueryxContext(ctx, "SELECT id, state, secret, name, router, addr, version, registered_at FROM incarnations WHERE state <> 'ended' ORDER BY id")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var in core.Incarnation
		var secret []byte
		var registered sql.NullTime
		if err := rows.Scan(&in.ID, &in.State, &secret, &in.Name, &in.Router, &in.Addr, &in.Build, &registered); err != nil {
			return err
		}
		in.Registered = registered.Time
		password, err := l.s.sealer.open(secret)
		if err != nil {
			return fmt.Errorf("incarnation %d: %w", in.ID, err)
		}
		l.state.Incarnations = append(l.state.Incarnations, in)
		l.state.Passwords[in.ID] = password
	}
	return rows.Err()
}

func (l *loader) jobs(ctx context.Context) error {
	var err error
	l.state.Jobs, err = l.s.selectJobs(ctx, "SELECT id, state, doc, created_at, updated_at FROM ddl_jobs WHERE state NOT IN ('done', 'failed') ORDER BY id")
	return err
}

func (l *loader) planned(ctx context.Context) error {
	var rows []struct {
		Schema string `db:"schema_name"`
		Name   string `db:"name"`
		Clause string `db:"clause"`
	}
	if err := l.s.db.SelectContext(ctx, &rows, "SELECT schema_name, name, clause FROM planned_rules"); err != nil {
		return err
	}
	for _, r := range rows {
		l.state.Planned[catalog.Name{Schema: r.Schema, Table: r.Name}] = r.Clause
	}
	return nil
}
