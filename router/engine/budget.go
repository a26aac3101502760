package engine

// budget counts the bytes that an operator holds.
type budget struct {
	limit, used int64
}

func newBudget(limit int64) budget {
	if limit <= 0 {
		limit = DefaultBudget
	}
	return budget{limit: limit}
}

// take accounts for n more bytes.
func (b *budget) take(n int) error {
	if b.used += int64(n); b.used > b.limit {
		return errMemory.New(b.limit)
	}
	return nil
}

// free gives everything back.
func (b *budget) free() { b.used = 0 }

// OverBudget is the error of whoever holds rows for an operator and may not hold more than so many bytes.
func OverBudget(limit int64) error { return errMemory.New(limit) }
