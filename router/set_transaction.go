package router

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules/catalog"
)

// setTransaction handles the forms of SET that are about transactions. Those for the next transaction only are kept and said to each node
// that joins it.
func (s *Session) setTransaction(ctx context.Context, n *ast.SetStmt, st *statement) (done bool, err error) {
	words := strings.Fields(strings.ToUpper(st.plan.Norm))
	once := len(words) > 1 && words[1] == "TRANSACTION"
	session := len(words) > 2 && words[2] == "TRANSACTION"
	if !once && !session {
		// SET @@transaction_isolation, without a scope, is for the next transaction as well.
		for _, v := range [...]string{"@@TRANSACTION_ISOLATION", "@@TX_ISOLATION", "@@TRANSACTION_READ_ONLY", "@@TX_READ_ONLY"} {
			once = once || len(n.Variables) == 1 && len(words) > 1 && strings.HasPrefix(words[1], v)
		}
	}
	switch {
	case once && s.inTransaction():
		return true, errTransactionOpen.New()
	case once:
		s.txn.once = append(s.txn.once, string(st.text))
		return true, nil
	case session && words[1] == "GLOBAL":
		return true, errSetGlobal.New("GLOBAL TRANSACTION")
	case session:
		return true, s.setOnNode(ctx, st, st.text, s.transactionAssignments(n))
	default:
		return false, nil
	}
}

// transactionAssignments names the variables that SET SESSION TRANSACTION sets; the flavors call them differently.
func (s *Session) transactionAssignments(n *ast.SetStmt) []assignment {
	prefix := "transaction_"
	if s.flavor() == catalog.MariaDB {
		prefix = "tx_"
	}
	var as []assignment
	for _, v := range n.Variables {
		if strings.Contains(strings.ToLower(v.Name), "isolation") {
			as = append(as, assignment{prefix + "isolation", v.Value})
		} else {
			as = append(as, assignment{prefix + "read_only", v.Value})
		}
	}
	return as
}

// flavor is the nodes' flavor: one cluster has one.
func (s *Session) flavor() catalog.Flavor {
	for i := range s.env.Snapshot.Nodes {
		if !s.env.Snapshot.Nodes[i].Removed {
			return s.env.Snapshot.Nodes[i].Flavor
		}
	}
	return catalog.MySQL
}
