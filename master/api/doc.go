// Package api is what is spoken with the master: JSON over HTTP, one struct per request and reply.
//
// Everything but one call is a plain request with a JSON body and a JSON reply; failures come as Failure with a MySQL number, an SQLSTATE
// and a hint. The exception is a router's stream (GET on PathStream): one response that never ends, a Frame per line. The first frame
// carries a whole snapshot, later ones a Delta or nothing (a heartbeat, once a second). Frames carry (epoch, sequence, incarnation); a
// router takes the highest epoch and never goes back. What the router says (acks, traffic) goes by POST to PathAck.
//
// The domain types (package rules, rules/catalog) travel as they are; nothing here is generated.
package api

// ProtocolMajor and ProtocolMinor number this protocol. Minors only add fields and calls: peers of any minor understand each other, so
// masters and routers can be upgraded one at a time. A peer of another major is refused when it registers.
const (
	ProtocolMajor = 1
	ProtocolMinor = 0
)

// Protocol is the version a peer speaks.
type Protocol struct {
	Major int `json:"major"`
	Minor int `json:"minor"`
}

// Current is the version this build speaks.
func Current() Protocol { return Protocol{Major: ProtocolMajor, Minor: ProtocolMinor} }

// Compatible says whether a peer that speaks p can be talked to.
func (p Protocol) Compatible() bool { return p.Major == ProtocolMajor }

// The paths. PathStream and PathAck stand under PathRouters/{incarnation}.
const (
	PathHealth      = "/healthz"
	PathStatus      = "/v1/status"
	PathSnapshot    = "/v1/snapshot"
	PathRouters     = "/v1/routers"
	PathStream      = "/stream"
	PathAck         = "/ack"
	PathDDL         = "/v1/ddl"
	PathSequences   = "/v1/sequences"
	PathBlock       = "/v1/sequences/block"
	PathRaise       = "/v1/sequences/raise"
	PathNodes       = "/v1/nodes"
	PathUsers       = "/v1/users"
	PathApply       = "/v1/apply"
	PathStrategy    = "/v1/strategy"
	PathCheck       = "/v1/check"
	PathAudit       = "/v1/audit"
	HeaderActor     = "Ballast-Actor"
	HeaderWhy       = "Ballast-Why"
	HeaderLeader    = "Ballast-Leader"
	ContentTypeJSON = "application/json"
)

// Failure is the body of every answer that is not 2xx. A master that does not lead answers 421 with Leader set, if it knows who does.
type Failure struct {
	// ID is Ballast's own id, empty for an error that a db node answered.
	ID      string `json:"id,omitempty"`
	Number  uint16 `json:"number"`
	State   string `json:"state"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Leader is the address of the leading master.
	Leader string `json:"leader,omitempty"`
}
