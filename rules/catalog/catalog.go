// Package catalog is what the master knows and every router keeps in memory: nodes, schemas, tables with their placement, users.
//
// A Snapshot is immutable: a new version is a new Snapshot that shares what did not change. A statement takes one Snapshot and is bound
// and executed under it (I6). Nothing here does I/O.
package catalog

import (
	"fmt"

	"ballast/rules"
)

// Version numbers the rule set: (epoch of the leading master, counter). It only grows and no number is used twice.
type Version struct {
	Epoch, N uint64
}

// Less orders versions.
func (v Version) Less(o Version) bool { return v.Epoch < o.Epoch || v.Epoch == o.Epoch && v.N < o.N }

// String gives "epoch.n".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Epoch, v.N) }

// Flavor tells the two servers apart where they differ.
type Flavor string

// The supported servers.
const (
	MySQL   Flavor = "mysql"
	MariaDB Flavor = "mariadb"
)

// Node is one db node. Its place in Snapshot.Nodes is its index everywhere; places are never reused.
type Node struct {
	Name string `json:"name"`
	// Addr is host:port.
	Addr string `json:"addr"`
	// UUID is the server's own identity (server_uuid, or one stored in ballast_sys on MariaDB); Promotion counts changes of the primary.
	UUID      string `json:"uuid"`
	Promotion uint64 `json:"promotion"`
	Flavor    Flavor `json:"flavor"`
	// ServerVersion is @@version as the node reports it.
	ServerVersion string `json:"server_version"`
	Zone          string `json:"zone,omitempty"`
	// Weight is the share of a node in a ring and in plans; 100 is ordinary.
	Weight int `json:"weight"`
	// Removed marks a node that left; its index stays taken.
	Removed bool `json:"removed,omitempty"`
}

// Kind says how a table's rows are spread.
type Kind string

// The kinds of tables.
const (
	Sharded Kind = "sharded"
	Global  Kind = "global"
	Single  Kind = "single"
)

// Name is a schema-qualified table name, as written at creation. Lookup is by exact spelling unless the cluster's lower_case_table_names says otherwise.
type Name struct {
	Schema string `json:"schema"`
	Table  string `json:"table"`
}

// String gives "schema.table".
func (n Name) String() string { return n.Schema + "." + n.Table }

// Column is one column as information_schema describes it on the nodes.
type Column struct {
	Name string `json:"name"`
	// Type is COLUMN_TYPE, for instance "bigint unsigned"; DataType is the bare word, for instance "bigint".
	Type     string `json:"type"`
	DataType string `json:"data_type"`
	// Charset and Collation are empty for types without.
	Charset   string `json:"charset,omitempty"`
	Collation string `json:"collation,omitempty"`
	Nullable  bool   `json:"nullable"`
	// HasDefault is true when a row may leave the column out (explicit default, nullable without one, auto increment, generated).
	HasDefault bool `json:"has_default"`
	// Default is the default's text; DefaultExpr marks an expression such as CURRENT_TIMESTAMP rather than a literal. Nil with HasDefault means NULL.
	Default       *string `json:"default,omitempty"`
	DefaultExpr   bool    `json:"default_expr,omitempty"`
	AutoIncrement bool    `json:"auto_increment,omitempty"`
	Generated     bool    `json:"generated,omitempty"`
	Invisible     bool    `json:"invisible,omitempty"`
	// Field is the column's type as a balancing field; Kind FieldNone where it can't be one.
	Field rules.FieldType `json:"field"`
}

// Key is one index.
type Key struct {
	Name    string   `json:"name"`
	Unique  bool     `json:"unique"`
	Primary bool     `json:"primary"`
	Columns []string `json:"columns"`
	// Prefix is true when a column is indexed by a prefix only.
	Prefix bool `json:"prefix,omitempty"`
}

// Table is one logical table. Its definition exists on every node under the same name; Kind and Placement say where rows are.
type Table struct {
	Name Name `json:"name"`
	Kind Kind `json:"kind"`
	// Group is the balance group of a sharded table ("" is a group of its own).
	Group    string          `json:"group,omitempty"`
	Strategy *rules.Strategy `json:"strategy,omitempty"`
	// SingleOn is the node name of a single table.
	SingleOn string   `json:"single_on,omitempty"`
	Columns  []Column `json:"columns"`
	Keys     []Key    `json:"keys"`
	// Sequence names the sequence that feeds the AUTO_INCREMENT column of a sharded table; "" if there is none.
	Sequence string `json:"sequence,omitempty"`
	// Shape changes whenever columns, keys, kind or strategy fields change (not when rows move): plan caches key on it.
	Shape uint64 `json:"shape"`
	// PerNodeUnique lists unique keys that the user accepted as unique per node only.
	PerNodeUnique []string `json:"per_node_unique,omitempty"`

	// Placement is Strategy compiled against the snapshot's nodes; made by Snapshot.Compile, not sent.
	Placement *rules.Placement `json:"-"`
	// Fields holds the column indexes of the balancing fields, in order; made by Snapshot.Compile.
	Fields []int `json:"-"`
	// SingleNode is the index of SingleOn; made by Snapshot.Compile.
	SingleNode int `json:"-"`
	byName     map[string]int
}

// Schema is one logical database; it exists on every node.
type Schema struct {
	Name      string `json:"name"`
	Charset   string `json:"charset"`
	Collation string `json:"collation"`
	// Default is the strategy that tables get which name none; nil means BALANCE BY (PRIMARY KEY) HASH MOD 64.
	Default *rules.Strategy `json:"default,omitempty"`
}

// Right is a set of rights.
type Right uint8

// The rights a user may hold per schema ("*" is every schema).
const (
	Read Right = 1 << iota
	Write
	DDL
	Admin
)

// User is a client account. Verifiers only: no clear password is ever kept.
type User struct {
	Name string `json:"name"`
	// Native is SHA1(SHA1(password)) for mysql_native_password, CachingSHA2 the SHA256(SHA256(password)) of the fast path; both empty means no password (loopback development only).
	Native      []byte `json:"native,omitempty"`
	CachingSHA2 []byte `json:"caching_sha2,omitempty"`
	// Rights by schema name; "*" stands for all.
	Rights map[string]Right `json:"rights"`
	// SafeUpdates forces sql_safe_updates for this user.
	SafeUpdates bool `json:"safe_updates,omitempty"`
}

// Can says whether the user holds all of need on schema.
func (u *User) Can(schema string, need Right) bool {
	return (u.Rights["*"]|u.Rights[schema])&need == need
}

// Snapshot is one version of everything. Treat as immutable after Compile.
type Snapshot struct {
	ClusterUUID string             `json:"cluster_uuid"`
	Version     Version            `json:"version"`
	Nodes       []Node             `json:"nodes"`
	Schemas     map[string]*Schema `json:"schemas"`
	// LowerCaseNames is lower_case_table_names of the cluster (0 or 1).
	LowerCaseNames int              `json:"lower_case_table_names"`
	Tables         []*Table         `json:"tables"`
	Users          map[string]*User `json:"users"`

	tables map[Name]*Table
}
