package core

import "ballast/rules/failure"

// What a rule and a table may have against each other. Where the table named no rule of its own, the message becomes the Note that says why
// it is a single table.
var (
	errNoPrimaryKey   = failure.Define("BL6020", 1173, "42000", "the table has no primary key", "add one, or name the balancing fields")
	errNoField        = failure.Define("BL6021", 1072, "42000", "the balancing field %s is not a column of the table", "name columns of the table in BALANCE BY")
	errGeneratedField = failure.Define("BL6022", 1235, "42000", "the balancing field %s is a generated column", "balance by the columns it is made from")
	errUniqueKey      = failure.Define("BL6023", 1503, "HY000", "unique key %s does not contain the balancing fields (%s)",
		"unique keys hold on each node alone: add the fields to the key, or accept it: BALANCE BY … UNIQUE PER NODE (key)")
	errEngine     = failure.Define("BL6024", 1235, "42000", "engine %s can't hold a table that is spread over nodes", "use InnoDB, or SINGLE")
	errForeignKey = failure.Define("BL6025", 1235, "42000", "foreign key %s refers to %s, whose rows may be on other nodes",
		"put both tables in one balance group with the balancing fields in the foreign key, or make the referenced table GLOBAL")
	errReferenced = failure.Define("BL6026", 1235, "42000", "foreign key %s of %s refers to this table, and its rows would be on other nodes",
		"put both tables in one balance group with the balancing fields in the foreign key")
	errSetsNull      = failure.Define("BL6036", 1235, "42000", "foreign key %s would set a balancing field to NULL, which moves the row to another place", "use ON DELETE CASCADE or RESTRICT")
	errUnknownGroup  = failure.Define("BL6027", 1105, "HY000", "balance group %s does not exist yet", "give the steps with the first table of a group")
	errGroupDiffers  = failure.Define("BL6028", 1105, "HY000", "the rule differs from that of balance group %s", "leave the steps out, or use another group")
	errGroupTypes    = failure.Define("BL6029", 1105, "HY000", "field %s has another type or collation than the fields of balance group %s", "tables of a group are placed by equal values: give the columns the same type")
	errSingleNode    = failure.Define("BL6030", 1105, "HY000", "node %s of SINGLE ON is not known or not in service", "see SHOW BALLAST NODES for the names")
	errNoNode        = failure.Define("BL6031", 1105, "HY000", "there is no db node yet", "add one: rulectl node add NAME ADDRESS")
	errGlobalKey     = failure.Define("BL6032", 1173, "42000", "a global table needs a primary key", "add one: copies are kept equal by it")
	errFieldChanged  = failure.Define("BL6033", 1235, "42000", "the balancing field %s can't be changed from %s to %s", "its rows would belong on other nodes; make a new table and copy the rows")
	errFieldDropped  = failure.Define("BL6034", 1235, "42000", "the balancing field %s can't be dropped or renamed", "change the table's rule first")
	errNewAutoColumn = failure.Define("BL6035", 1235, "42000", "AUTO_INCREMENT column %s can't be added to a table that is spread over nodes", "each node would number its own rows: add the column without AUTO_INCREMENT, fill it, then MODIFY it")
)

// NoNode is the failure of a cluster that has no db node yet.
func NoNode() error { return errNoNode.New() }
