package core

import (
	"slices"
	"time"

	"ballast/master/api"
	"ballast/rules/catalog"
)

// Job is a definition job: one statement to be carried out on all nodes. All of it is in the journal, so any later leader can go on.
type Job struct {
	ID      uint64         `json:"-"`
	State   JobState       `json:"-"`
	Created time.Time      `json:"-"`
	Updated time.Time      `json:"-"`
	Request api.DDLRequest `json:"request"`
	// Table is the table as it will be (create, alter, rename of one); Renamed are the tables of a RENAME under their new names.
	Table   *catalog.Table   `json:"table,omitempty"`
	Renamed []*catalog.Table `json:"renamed,omitempty"`
	// Schema is the database as it will be.
	Schema *catalog.Schema `json:"schema,omitempty"`
	// Sequence is one to make, beginning with FirstID; DropSequences go with the table; RaiseTo is an id that the table's sequence leaves behind.
	Sequence      string   `json:"sequence,omitempty"`
	FirstID       uint64   `json:"first_id,omitempty"`
	RaiseTo       uint64   `json:"raise_to,omitempty"`
	DropSequences []string `json:"drop_sequences,omitempty"`
	// Before and After are the table's definition (normalized) on a node before and after; After is the same everywhere.
	// An absent table has the definition "".
	Before map[int]string `json:"before,omitempty"`
	After  string         `json:"after,omitempty"`
	// Fenced keeps everyone off the table, on all nodes, from the first node's change until routers know the new version.
	Fenced bool `json:"fenced,omitempty"`
	// Nodes are the indexes of the nodes concerned, Done those that have it.
	Nodes []int `json:"nodes"`
	Done  []int `json:"done,omitempty"`
	// Affected and Notes are for the client.
	Affected uint64     `json:"affected,omitempty"`
	Notes    []api.Note `json:"notes,omitempty"`
	// Error is what ended it, or what it waits for.
	Error *api.Failure `json:"error,omitempty"`
}

// Left lists the nodes that are still to be changed, in order.
func (j *Job) Left() []int {
	var out []int
	for _, n := range j.Nodes {
		if !slices.Contains(j.Done, n) {
			out = append(out, n)
		}
	}
	return out
}

// HidesFirst says whether routers stop using what the statement takes away before the nodes do.
func (j *Job) HidesFirst() bool {
	return j.Request.Kind == api.DropTable || j.Request.Kind == api.DropDatabase
}

// Compares says whether a node's progress can be seen by comparing the table's definition. Databases and drops are idempotent by themselves
// (IF EXISTS, IF NOT EXISTS); a rename by which name exists; a TRUNCATE is noted node by node.
func (j *Job) Compares() bool {
	switch j.Request.Kind {
	case api.CreateTable, api.AlterTable, api.CreateIndex, api.DropIndex:
		return true
	case api.CreateDatabase, api.AlterDatabase, api.DropDatabase, api.DropTable, api.TruncateTable, api.RenameTable:
	}
	return false
}

// Step is what to do on one node.
type Step uint8

// The steps.
const (
	Run Step = iota + 1
	Skip
	Refuse
)

// NodeStep compares a node's definition with the journal: before → run it, after → it has been run, anything else is someone else's work.
func NodeStep(current, before, after string) Step {
	switch current {
	case after:
		return Skip
	case before:
		return Run
	}
	return Refuse
}
