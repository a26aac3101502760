package backend

// hold is how a connection in use counts.
type hold uint8

const (
	holdNone   hold = iota // idle, or outside the pool
	holdBusy               // by a statement, against the limit
	holdStuck              // by a statement that takes so long that it does not say anything about the node's load
	holdPinned             // by a transaction or the like
)

// usage is what load knows of a connection in use.
type usage struct {
	hold         hold
	kind         int   // of shard.idle
	since        int64 // by Cluster.now
	older, newer *Conn // neighbours among the busy ones
}

// load is what a shard's connections in use are used for, and the limit to that. Its owner's mutex guards it.
type load struct {
	limiter             limiter
	busy, stuck, pinned int
	byKind              [poolKinds]int // of the busy ones
	first, last         *Conn          // the busy ones, in the order in which they were taken
}

func newLoad(most, shards int) load { return load{limiter: newLimiter(most, shards)} }

// full tells whether no more statements may begin.
func (l *load) full() bool { return l.busy >= l.limiter.allowed(l.stuck) }

// take begins to count a connection.
func (l *load) take(k *Conn, now int64) {
	k.usage = usage{hold: holdBusy, kind: k.kind(), since: now, older: l.last}
	if l.last == nil {
		l.first = k
	} else {
		l.last.usage.newer = k
	}
	l.last = k
	l.busy++
	l.byKind[k.usage.kind]++
}

// give ends the counting of a connection.
func (l *load) give(k *Conn) {
	switch k.usage.hold {
	case holdBusy:
		l.unlink(k)
		l.busy--
		l.byKind[k.usage.kind]--
	case holdStuck:
		l.stuck--
	case holdPinned:
		l.pinned--
	}
	k.usage.hold = holdNone
}

// answered is give after the connection has done its work.
func (l *load) answered(k *Conn, now int64) {
	was := k.usage.hold
	l.give(k)
	if was == holdBusy || was == holdStuck {
		l.limiter.done(now, k.usage.since, l.busy)
	}
}

// pin stops counting a connection in use against the limit, for as long as it is in use.
func (l *load) pin(k *Conn) {
	if k.usage.hold == holdBusy || k.usage.hold == holdStuck {
		l.give(k)
		k.usage.hold = holdPinned
		l.pinned++
	}
}

// passOver stops counting connections that have been in use for too long.
func (l *load) passOver(now int64) {
	patience := l.limiter.patience()
	at := l.limiter.passing(l.stuck)
	for k := l.first; k != nil && at > 0 && now-k.usage.since > patience; k = l.first {
		at--
		l.give(k)
		k.usage.hold = holdStuck
		l.stuck++
	}
}

func (l *load) unlink(k *Conn) {
	older, newer := k.usage.older, k.usage.newer
	if older == nil {
		l.first = newer
	} else {
		older.usage.newer = newer
	}
	if newer == nil {
		l.last = older
	} else {
		newer.usage.older = older
	}
	k.usage.older, k.usage.newer = nil, nil
}
