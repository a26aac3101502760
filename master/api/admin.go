package api

import (
	"time"

	"ballast/rules/catalog"
)

// AddNodeRequest registers a db node. The credentials are those of an administrator's account; the master keeps them encrypted.
type AddNodeRequest struct {
	Name     string `json:"name"`
	Addr     string `json:"addr"`
	User     string `json:"user"`
	Password string `json:"password"`
	Zone     string `json:"zone,omitempty"`
	// Weight is 100 when left out.
	Weight int `json:"weight,omitempty"`
	// AcceptNonDurable takes a node whose settings may lose committed transactions when its host crashes.
	AcceptNonDurable bool `json:"accept_nondurable,omitempty"`
}

// NodeStatus is a node with what the master sees of it.
type NodeStatus struct {
	catalog.Node
	Index      int    `json:"index"`
	Up         bool   `json:"up"`
	Error      string `json:"error,omitempty"`
	NonDurable bool   `json:"nondurable,omitempty"`
	// Ready is false while accounts or definitions still have to be brought to the node.
	Ready bool `json:"ready"`
}

// UserRequest changes one client account; Op says how.
type UserRequest struct {
	// Op is add, password, grant, revoke or drop.
	Op   string `json:"op"`
	Name string `json:"name"`
	// Native and CachingSHA2 are verifiers (see Verifiers), for add and password; both empty means no password.
	Native      []byte `json:"native,omitempty"`
	CachingSHA2 []byte `json:"caching_sha2,omitempty"`
	// Schema ("*" for all) and Rights, for add (optional), grant and revoke.
	Schema string        `json:"schema,omitempty"`
	Rights catalog.Right `json:"rights,omitempty"`
	// SafeUpdates forces sql_safe_updates, for add.
	SafeUpdates bool `json:"safe_updates,omitempty"`
}

// AuditEntry is one change: who, when, what, why.
type AuditEntry struct {
	ID   uint64    `json:"id"`
	At   time.Time `json:"at"`
	Who  string    `json:"who"`
	What string    `json:"what"`
	Why  string    `json:"why,omitempty"`
	// Version is the catalog's version after the change.
	Version catalog.Version `json:"version"`
}

// BlockRequest asks for Size ids of a sequence; BlockReply holds [First, Last], never fewer than one, durable before it is answered.
type BlockRequest struct {
	Name string `json:"name"`
	Size uint64 `json:"size"`
	// Incarnation is the asking router's.
	Incarnation uint64 `json:"incarnation"`
}

// BlockReply answers BlockRequest.
type BlockReply struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// RaiseRequest says that Value is about to be inserted explicitly: no block handed out later holds it.
type RaiseRequest struct {
	Name        string `json:"name"`
	Value       uint64 `json:"value"`
	Incarnation uint64 `json:"incarnation"`
}

// RaiseReply names the ids [From, Safe] that no block holds, now or later: explicit inserts of them need no further raise.
type RaiseReply struct {
	From uint64 `json:"from"`
	Safe uint64 `json:"safe"`
}

// SequenceStatus is a row of the list of sequences.
type SequenceStatus struct {
	Name string `json:"name"`
	// Next is the first id of the next block.
	Next uint64 `json:"next"`
}

// ApplyRequest brings the cluster to what a rules file says.
type ApplyRequest struct {
	YAML string `json:"yaml"`
	// DryRun only answers what would change.
	DryRun bool `json:"dry_run,omitempty"`
}

// ApplyReply says what changed, or would.
type ApplyReply struct {
	Changes []Change        `json:"changes"`
	Version catalog.Version `json:"version"`
}

// Change is the change of one table's rule.
type Change struct {
	Table catalog.Name `json:"table"`
	// Old and New are clauses in their SQL form.
	Old string `json:"old"`
	New string `json:"new"`
	// Windows describes what would move, one sentence each.
	Windows []string `json:"windows,omitempty"`
	// Planned marks a rule for a table that does not exist yet: CREATE TABLE will take it.
	Planned bool `json:"planned,omitempty"`
}

// CheckRequest asks whether every row of a table is where the rule says, or whether all copies of a global table are equal.
type CheckRequest struct {
	Table catalog.Name `json:"table"`
}

// CheckReply is the outcome, node by node.
type CheckReply struct {
	Table catalog.Name `json:"table"`
	Holds bool         `json:"holds"`
	Nodes []CheckNode  `json:"nodes"`
}

// CheckNode is one node's part of a check.
type CheckNode struct {
	Node string `json:"node"`
	// Rows is what the node holds, Misplaced how many of them belong elsewhere.
	Rows      uint64 `json:"rows"`
	Misplaced uint64 `json:"misplaced"`
	// Checksum is set for global tables.
	Checksum string `json:"checksum,omitempty"`
	Error    string `json:"error,omitempty"`
}
