package api

import (
	"time"

	"ballast/rules/catalog"
)

// RegisterRequest begins a router incarnation.
type RegisterRequest struct {
	// Name tells routers apart and stays the same over restarts: a new registration of a name ends the incarnation before it.
	Name string `json:"name"`
	// Addr is where clients reach the router, for people to read.
	Addr     string   `json:"addr"`
	Version  string   `json:"version"`
	Protocol Protocol `json:"protocol"`
}

// RegisterReply is an incarnation with its own account on the nodes. The snapshot comes as the stream's first frame.
type RegisterReply struct {
	Incarnation uint64 `json:"incarnation"`
	// Router is a small number, stable for Name, that goes into the high bits of connection ids (1 to 4095).
	Router   int      `json:"router"`
	Account  string   `json:"account"`
	Password string   `json:"password"`
	Protocol Protocol `json:"protocol"`
}

// Frame is one line of a router's stream.
type Frame struct {
	Epoch       uint64 `json:"epoch"`
	Sequence    uint64 `json:"sequence"`
	Incarnation uint64 `json:"incarnation"`
	// At most one of these is set; none makes a heartbeat.
	Snapshot *catalog.Snapshot `json:"snapshot,omitempty"`
	Delta    *Delta            `json:"delta,omitempty"`
	// GiveUp asks the router to drop what it holds of a sequence block, and to ack when it has.
	GiveUp *GiveUp `json:"give_up,omitempty"`
}

// Position is a place in what the leaders publish.
type Position struct{ Epoch, Sequence uint64 }

// Before says whether p comes before o.
func (p Position) Before(o Position) bool {
	return p.Epoch < o.Epoch || p.Epoch == o.Epoch && p.Sequence < o.Sequence
}

// GiveUp names a sequence whose handed-out ids an explicit insert is about to use: the router drops all its blocks of the sequence.
type GiveUp struct {
	Sequence string `json:"sequence"`
}

// Ack says that a router has taken over everything up to (Epoch, Sequence).
type Ack struct {
	Epoch    uint64          `json:"epoch"`
	Sequence uint64          `json:"sequence"`
	Version  catalog.Version `json:"version"`
	// Statements counts the router's statements since its start.
	Statements uint64 `json:"statements,omitempty"`
}

// Incarnation is a row of the registry.
type Incarnation struct {
	ID     uint64 `json:"id"`
	Name   string `json:"name"`
	Router int    `json:"router"`
	Addr   string `json:"addr"`
	// State is active, ending (its account is being taken away) or ended.
	State      string          `json:"state"`
	Version    string          `json:"version"`
	Registered time.Time       `json:"registered"`
	Connected  bool            `json:"connected"`
	Acked      catalog.Version `json:"acked"`
	Statements uint64          `json:"statements"`
}

// Status is the state of the cluster in short.
type Status struct {
	Leader      string          `json:"leader"`
	Epoch       uint64          `json:"epoch"`
	ClusterUUID string          `json:"cluster_uuid"`
	Version     catalog.Version `json:"version"`
	Nodes       []NodeStatus    `json:"nodes"`
	Routers     []Incarnation   `json:"routers"`
	Tables      int             `json:"tables"`
	OpenDDL     int             `json:"open_ddl"`
	// Warnings are what a person should know: a node without durable settings, a node that is down.
	Warnings []string `json:"warnings,omitempty"`
}
