package rules

// ClauseKind says which of the three clauses it is.
type ClauseKind uint8

// The clauses behind a table definition.
const (
	// Balanced is BALANCE BY (…) …: the rows are spread by Strategy.
	Balanced ClauseKind = iota + 1
	// Everywhere is GLOBAL: a full copy on every node.
	Everywhere
	// OneNode is SINGLE ON (node): the whole table on one node.
	OneNode
)

// Clause says where a table's rows live, as written behind CREATE TABLE or ALTER TABLE or in a rules file.
type Clause struct {
	Kind ClauseKind
	// Strategy is set for Balanced. With Group set it may have no steps: the group's strategy is meant, over these fields.
	Strategy Strategy
	// Group is the balance group that the table joins, "" for one of its own.
	Group string
	// Single is the node of OneNode; "" leaves the choice to the master.
	Single string
	// PerNode lists unique keys without the balancing fields that are accepted as unique per node only.
	PerNode []string
	// Wait makes the statement answer only once the job that it starts is done.
	Wait bool
}
