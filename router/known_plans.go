package router

import (
	"maps"
	"sync/atomic"

	"ballast/router/plan"
)

// knownPlans keeps the plans of the few texts that begin and end transactions. They depend on nothing, and every transaction of every
// session needs them, so they are found without lexing.
type knownPlans struct {
	byText atomic.Pointer[map[string]*plan.Plan]
}

// The bounds of what is kept: texts of reasonable length, in the spellings of a few drivers.
const (
	maxKnownText  = 32
	maxKnownPlans = 64
)

// find gives the plan of a whole text; no allocation, no lock.
func (k *knownPlans) find(text []byte) *plan.Plan {
	if len(text) > maxKnownText {
		return nil
	}
	m := k.byText.Load()
	if m == nil {
		return nil
	}
	return (*m)[string(text)]
}

// note keeps a plan if it is one of those.
func (k *knownPlans) note(text []byte, p *plan.Plan) {
	switch p.Verb {
	case plan.Begin, plan.Commit, plan.Rollback:
	default:
		return
	}
	if len(text) > maxKnownText {
		return
	}
	for {
		old := k.byText.Load()
		next := map[string]*plan.Plan{}
		if old != nil {
			if len(*old) >= maxKnownPlans {
				return
			}
			next = maps.Clone(*old)
		}
		next[string(text)] = p
		if k.byText.CompareAndSwap(old, &next) {
			return
		}
	}
}
