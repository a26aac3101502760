package rules

// Predicate gives an SQL condition that is true for exactly the rows of a node, on MySQL and MariaDB; for others it is false or NULL.
// col gives the SQL of the column of a field.
func (p *Placement) Predicate(node int, col func(field int) string) string {
	return "FALSE"
}
