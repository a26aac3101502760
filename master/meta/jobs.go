package meta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ballast/master/api"
	"ballast/master/core"
)

func (s *Store) selectJobs(ctx context.Context, query string, args ...any) ([]core.Job, error) {
	var rows []struct {
		ID      uint64    `db:"id"`
		State   string    `db:"state"`
		Doc     []byte    `db:"doc"`
		Created time.Time `db:"created_at"`
		Updated time.Time `db:"updated_at"`
	}
	if err := s.db.SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, err
	}
	out := make([]core.Job, 0, len(rows))
	for _, r := range rows {
		var j core.Job
		if err := json.Unmarshal(r.Doc, &j); err != nil {
			return nil, fmt.Errorf("definition job %d: %w", r.ID, err)
		}
		j.ID, j.State, j.Created, j.Updated = r.ID, core.JobState(r.State), r.Created, r.Updated
		out = append(out, j)
	}
	return out, nil
}

// Jobs lists the last limit definition jobs, the newest first.
func (s *Store) Jobs(ctx context.Context, limit int) ([]core.Job, error) {
	jobs, err := s.selectJobs(ctx, "SELECT id, state, doc, created_at, updated_at FROM ddl_jobs ORDER BY id DESC LIMIT ?", limit)
	if err != nil {
		return nil, fmt.Errorf("list definition jobs: %w", err)
	}
	return jobs, nil
}

// NewJob puts a job into the journal and sets its id.
func (t *Tx) NewJob(ctx context.Context, j *core.Job) error {
	doc, err := json.Marshal(j)
	if err != nil {
		return err
	}
	res, err := t.tx.ExecContext(ctx, "INSERT INTO ddl_jobs (state, doc, created_at, updated_at) VALUES (?, ?, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))", string(j.State), doc)
	if err != nil {
		return fmt.Errorf("journal a definition job: %w", err)
	}
	id, err := res.LastInsertId()
	j.ID = uint64(id)
	return err
}

// SaveJob writes a job's progress.
func (t *Tx) SaveJob(ctx context.Context, j *core.Job) error {
	doc, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return t.exec(ctx, "journal a definition job", "UPDATE ddl_jobs SET state = ?, doc = ?, updated_at = UTC_TIMESTAMP(6) WHERE id = ?", string(j.State), doc, j.ID)
}

// AuditLog lists the last limit entries, the newest first.
func (s *Store) AuditLog(ctx context.Context, limit int) (out []api.AuditEntry, err error) {
	rows, err := s.db.QueryxContext(ctx, "SELECT id, at, who, what, why, version_epoch, version_n FROM audit ORDER BY id DESC LIMIT ?", limit)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e api.AuditEntry
		if err := rows.Scan(&e.ID, &e.At, &e.Who, &e.What, &e.Why, &e.Version.Epoch, &e.Version.N); err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		out = append(out, e)
	}
	return out, rows.Err()
}
