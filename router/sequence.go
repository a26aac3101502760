package router

import (
	"context"
	"fmt"
)

// sequences gives the planner the ids of AUTO_INCREMENT columns. The blocks they come from are held by whoever implements IDs, so most
// calls only count.
type sequences struct {
	ids IDs
}

// Next reserves n ids that follow each other and returns the first.
func (s sequences) Next(ctx context.Context, name string, n int) (uint64, error) {
	if n <= 0 {
		return 0, fmt.Errorf("sequence %s: %d ids asked for", name, n)
	}
	first, err := s.ids.NextIDs(ctx, name, uint64(n))
	return first, wordless(err, "a new AUTO_INCREMENT value")
}

// Raise makes sure that ids up to and including id, which a client gave itself, are not handed out later.
func (s sequences) Raise(ctx context.Context, name string, id uint64) error {
	return wordless(s.ids.RaiseID(ctx, name, id), "an explicit AUTO_INCREMENT value above the sequence's mark")
}

// TryNext implements plan.QuickSequences.
func (s sequences) TryNext(name string) (uint64, bool) { return s.ids.TryNextID(name) }

// TryRaise implements plan.QuickSequences.
func (s sequences) TryRaise(name string, above uint64) bool { return s.ids.TryRaiseID(name, above) }

// wordless gives an error that has no number for clients one: the master could not be asked.
func wordless(err error, what string) error {
	if err == nil {
		return nil
	}
	if number, _, _ := describe(err); number != 1105 {
		return err
	}
	return errNoMaster.Wrap(err, what)
}
