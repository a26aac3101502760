package backend

import "errors"

// openAtOnce is how many connections a shard may open at a time in any case: whoever waits for one may be a transaction, and a node may be far.
const openAtOnce = 16

// mayOpen tells whether another connection may be opened, if there is a place for it; the caller holds mu.
func (sh *shard) mayOpen() bool {
	free := sh.using.limiter.allowed(sh.using.stuck) - sh.using.busy
	return free > 0 && sh.opens < max(free, openAtOnce)
}

// openFor has a connection opened for the first waiter of a kind, if there is a place for it: a free one, or that of an idle connection of another
// kind which is not needed. ready is the kind that would be served otherwise, -1 for none. The caller holds mu.
func (sh *shard) openFor(kind, ready int, now int64) bool {
	if !sh.mayOpen() {
		return false
	}
	if sh.node.takePlace() {
		return sh.begin(kind, nil)
	}
	if sh.opening[kind] > 0 {
		return false
	}
	since := sh.queues[kind].head.since
	if ready >= 0 {
		has, wants := sh.demandOf(ready)
		theirs, theyWant := sh.demandOf(kind)
		if !deserves(since, theirs, theyWant, sh.queues[ready].head.since, has, wants) {
			return false
		}
	}
	minIdle := stealAfter
	if now-since >= stealAfter {
		minIdle = 0
	}
	if other := kind - classes; other >= 0 && len(sh.idle[other]) > 0 && now-sh.idle[other][0].idleSince >= minIdle {
		k := sh.remove(other, 0) // one without a default database will do
		k.selected = true
		sh.push(k)
		return true
	}
	victim := sh.popOldest(now, minIdle)
	return victim != nil && sh.begin(kind, victim)
}

// accept takes over the place of a connection of another shard, if somebody lacks one still.
func (sh *shard) accept(victim *Conn) bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	_, lacking := sh.heads()
	if lacking < 0 || sh.opening[lacking] > 0 || !sh.mayOpen() || !sh.begin(lacking, victim) {
		return false
	}
	sh.flag()
	return true
}

// begin starts to open a connection in a place that is held, or in that of victim; the caller holds mu. False means that the node is
// retired.
func (sh *shard) begin(kind int, victim *Conn) bool {
	sh.opening[kind]++
	sh.opens++
	if sh.node.spawn(func() { sh.open(kind, victim) }) {
		return true
	}
	sh.opening[kind]--
	sh.opens--
	return false
}

// open opens a connection of a kind and gives it to whoever waits for longest.
func (sh *shard) open(kind int, victim *Conn) {
	n := sh.node
	if victim != nil {
		victim.closeLink()
		n.disown(victim)
	}
	heard := n.heard.Load()
	k, err := n.connect(n.life, sh, Class(kind%classes), true)
	if err == nil {
		k.selected = kind >= classes // reserved for those who select a database
		k.idleSince = n.cluster.now()
		n.metrics.dials.Inc()
		n.adopt(k)
		sh.mu.Lock()
		sh.opening[kind]--
		sh.opens--
		sh.mu.Unlock()
		sh.putBack(k)
		return
	}
	n.metrics.dialErrors.Inc()
	sh.mu.Lock()
	sh.opening[kind]--
	sh.opens--
	sh.mu.Unlock()
	busy := errors.Is(err, errFull.New("")) || isTimeout(err) && n.heard.Load() != heard
	stopped := n.life.Err() != nil
	wait := busy && !stopped && n.narrow() // for one of the connections that there are
	n.freePlace()
	if !wait {
		if !stopped {
			n.dialFailed(err)
		}
		sh.failFirst(kind, err)
	}
	sh.kick()
}

// failFirst ends the wait of the first of a kind.
func (sh *shard) failFirst(kind int, err error) {
	sh.mu.Lock()
	w := sh.queues[kind].head
	if w != nil {
		sh.drop(w)
		w.err = err
	}
	sh.mu.Unlock()
	if w != nil {
		sh.hand(w)
	}
}

// dialFailed draws the conclusion for others. One login that takes too long may be the load: the watcher finds out.
func (n *node) dialFailed(err error) {
	switch {
	case errors.Is(err, errFull.New("")):
	case isTimeout(err):
		n.wake()
	default:
		n.markDown(err)
	}
}
