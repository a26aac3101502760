package router

import (
	"fmt"
	"strconv"
	"time"

	"ballast/router/plan"
)

// SessionValue implements plan.SessionFuncs: what a function or variable of the session itself gives now.
func (s *Session) SessionValue(f plan.SessionFunc) plan.Literal {
	switch f {
	case plan.FuncLastInsertID:
		return numberOf(s.last.insertID)
	case plan.FuncFoundRows:
		return numberOf(s.last.foundRows)
	case plan.FuncRowCount:
		return plan.Literal{Kind: plan.LitInt, Bare: true, Raw: strconv.AppendInt(nil, s.last.rowCount, 10)}
	case plan.FuncConnectionID:
		return numberOf(uint64(s.client.ID))
	case plan.FuncUser:
		return stringOf(s.user + "@" + s.host())
	case plan.FuncCurrentUser:
		return stringOf(s.user + "@%")
	case plan.FuncVersion:
		return stringOf(s.router.ServerVersion())
	case plan.FuncVersionComment:
		return stringOf("Ballast")
	case plan.FuncHostname:
		return stringOf(s.router.cfg.Hostname)
	case plan.FuncPort:
		return numberOf(uint64(s.router.cfg.Port))
	case plan.FuncWarningCount:
		return numberOf(s.last.warned)
	case plan.FuncErrorCount:
		return numberOf(s.last.errors)
	case plan.FuncServerUUID:
		return stringOf(s.env.Snapshot.ClusterUUID)
	case plan.FuncServerID:
		return numberOf(uint64(s.router.roster.router.Load()))
	case plan.FuncNow:
		now := time.Now()
		return plan.Literal{Kind: plan.LitDecimal, Bare: true, Raw: fmt.Appendf(nil, "%d.%06d", now.Unix(), now.Nanosecond()/1000)}
	default:
		return plan.Literal{Kind: plan.LitNull, Bare: true}
	}
}

// UserVar implements plan.SessionFuncs.
func (s *Session) UserVar(name string) plan.Literal { return s.variableLiteral(name) }

func numberOf(v uint64) plan.Literal {
	return plan.Literal{Kind: plan.LitInt, Bare: true, Raw: strconv.AppendUint(nil, v, 10)}
}

func stringOf(v string) plan.Literal {
	return plan.Literal{Kind: plan.LitString, Bare: true, Raw: []byte(v)}
}
