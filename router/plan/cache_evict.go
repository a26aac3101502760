package plan

// queues say which plan has to go when there are too many, by S3-FIFO: a plan enters a small queue and moves to the main one only if it was
// used more than once meanwhile, so a flood of statements that never come back can't flush the plans in use. (Once is not enough: a
// statement that is prepared, executed and forgotten is used once.) Plans pushed out of the small queue are remembered by their digest for a
// while: if one returns it goes to the main queue at once.
type queues struct {
	limit       int64 // bytes
	small, main fifo
	ghosts      ghosts
}

const (
	// maxUses is how many uses of a plan are counted: as often it may be passed over.
	maxUses = 3
	// provenUses lets a plan into the main queue.
	provenUses = 2
	// smallShare is the part of the bytes that the small queue may have: one in so many.
	smallShare = 10
	// largest is the part of the bytes that one plan may have.
	largest = 8
)

func newQueues(limit int64, entries int) queues {
	return queues{limit: limit, ghosts: ghosts{known: map[Digest]struct{}{}, most: entries}}
}

// use counts a use; once a plan is known to be in use nothing is written.
func (e *entry) use() {
	if n := e.uses.Load(); n < maxUses {
		e.uses.CompareAndSwap(n, n+1)
	}
}

func (q *queues) bytes() int64 { return q.small.bytes + q.main.bytes }

func (q *queues) full() bool { return q.bytes() > q.limit }

// takes says whether the entry may come in: one plan must not push many others out.
func (q *queues) takes(e *entry) bool { return e.size <= q.limit/largest }

func (q *queues) add(e *entry) {
	if q.ghosts.has(e.key.digest) {
		q.main.push(e)
		return
	}
	q.small.push(e)
}

// evict takes a step towards having room: it gives the entry that must go, or nil if it only moved one.
func (q *queues) evict() *entry {
	if q.small.bytes > q.limit/smallShare || q.main.bytes == 0 {
		e := q.small.pop()
		switch {
		case e.gone:
			return nil
		case e.uses.Load() >= provenUses:
			e.uses.Store(0)
			q.main.push(e)
			return nil
		}
		q.ghosts.add(e.key.digest)
		return e
	}
	e := q.main.pop()
	switch {
	case e.gone:
		return nil
	case e.uses.Load() > 0:
		e.uses.Add(-1)
		q.main.push(e)
		return nil
	}
	return e
}

// fifo is a queue of entries and their bytes.
type fifo struct {
	queue []*entry
	head  int
	bytes int64
}

func (f *fifo) push(e *entry) {
	f.queue = append(f.queue, e)
	f.bytes += e.size
}

// pop takes the oldest entry; there must be one.
func (f *fifo) pop() *entry {
	e := f.queue[f.head]
	f.queue[f.head] = nil
	f.head++
	f.bytes -= e.size
	if f.head > 64 && f.head*2 > len(f.queue) {
		f.queue = append(f.queue[:0:0], f.queue[f.head:]...)
		f.head = 0
	}
	return e
}

// ghosts remembers the digests that were added last.
type ghosts struct {
	known map[Digest]struct{}
	ring  []Digest
	next  int
	most  int
}

func (g *ghosts) has(d Digest) bool {
	_, ok := g.known[d]
	return ok
}

func (g *ghosts) add(d Digest) {
	if g.has(d) {
		return
	}
	g.known[d] = struct{}{}
	if len(g.ring) < g.most {
		g.ring = append(g.ring, d)
		return
	}
	delete(g.known, g.ring[g.next])
	g.ring[g.next] = d
	g.next = (g.next + 1) % g.most
}
