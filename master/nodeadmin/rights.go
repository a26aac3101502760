package nodeadmin

import (
	"context"
	"strings"

	"ballast/rules/catalog"
)

// need is a right that the administrator's account must have globally; any of the names will do.
type need struct {
	any []string
	why string
}

var commonNeeds = []need{
	{[]string{"CREATE USER"}, "to make the routers' accounts"},
	{[]string{"PROCESS"}, "to see sessions"},
	{[]string{"REPLICATION SLAVE"}, "to follow the binlog"},
	{[]string{"CREATE"}, "to carry out definitions"},
	{[]string{"ALTER"}, "to carry out definitions"},
	{[]string{"DROP"}, "to carry out definitions"},
	{[]string{"INDEX"}, "to carry out definitions"},
	{[]string{"REFERENCES"}, "to carry out definitions"},
	{[]string{"SELECT"}, "to check and move rows"},
	{[]string{"INSERT"}, "to move rows"},
	{[]string{"UPDATE"}, "to move rows"},
	{[]string{"DELETE"}, "to move rows"},
	{[]string{"LOCK TABLES"}, "to fence a table"},
	{[]string{"CREATE TEMPORARY TABLES"}, "to grant it to routers"},
	{[]string{"EXECUTE"}, "to grant it to routers"},
	{[]string{"SHOW VIEW"}, "to grant it to routers"},
	{[]string{"TRIGGER"}, "to see triggers before a move"},
}

var flavorNeeds = map[catalog.Flavor][]need{
	catalog.MySQL: {
		{[]string{"CONNECTION_ADMIN", "SUPER"}, "to kill sessions"},
		{[]string{"XA_RECOVER_ADMIN"}, "to find prepared transactions"},
		{[]string{"REPLICATION CLIENT"}, "to see the binlog's position"},
	},
	catalog.MariaDB: {
		{[]string{"CONNECTION ADMIN", "SUPER"}, "to kill sessions"},
		{[]string{"BINLOG MONITOR", "REPLICATION CLIENT"}, "to see the binlog's position"},
	},
}

// checkRights names each missing right of the account that the master was given.
func (n *Node) checkRights(ctx context.Context, flavor catalog.Flavor, r *Report) error {
	const grantee = "CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1), '''@''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')"
	rows, err := n.strings(ctx, "SELECT CONCAT(IS_GRANTABLE, ':', PRIVILEGE_TYPE) FROM information_schema.USER_PRIVILEGES WHERE GRANTEE = "+grantee)
	if err != nil {
		return err
	}
	have, grantable := map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		can, name, _ := strings.Cut(row, ":")
		have[name] = true
		grantable[name] = can == "YES"
	}
	for _, need := range append(append([]need{}, commonNeeds...), flavorNeeds[flavor]...) {
		found := false
		for _, name := range need.any {
			found = found || have[name]
		}
		if !found {
			r.problem("the account lacks the right %s (%s)", strings.Join(need.any, " or "), need.why)
		}
	}
	if have["SELECT"] && !grantable["SELECT"] {
		r.problem("the account lacks GRANT OPTION (to give routers their rights)")
	}
	return nil
}
