package backend

import "time"

// limiter finds how many statements a node is best given at a time, in the manner of TCP Vegas: it compares how long statements take now with
// how long they take when nothing queues on the node, and so estimates how many of those that are under way only wait there. A few are good,
// since they keep the node busy; more do nothing but contend.
//
// Statements differ, and some wait for locks or sleep. So what counts is the time of the fast ones: the mean of the least of every eight. It
// grows when the node has too much to do, and does not when others block. Now and then the limit is halved for a moment (a dip), to see
// whether statements are then faster: if they are not, they take their time by nature, and the limit may grow.
//
// It is a pure value: its clock is what its methods are told, in nanoseconds. The owner counts what is under way.
type limiter struct {
	limit float64 // statements at a time, for each shard
	max   float64
	base  float64 // how long fast statements take when nothing queues; 0 is unknown
	low   float64 // how long they took in the last window
	quick bool    // nothing has queued yet: the limit doubles
	short bool    // somebody had to wait for the limit in this window
	slack float64 // how many statements may queue on the node without the limit being lowered, beside a share of the limit: limit/limitShare
	floor float64 // what the limit begins with, and never goes below

	// The window that is being filled.
	began  int64
	least  int64 // of the eight that are being collected
	have   int
	sum    float64 // of the least ones
	groups int

	dipping bool
	calm    int64 // since when the dip has had its effect; 0 is not yet
	dipped  int64 // when the last dip ended
	unsure  bool  // it found a change that should be looked at again
}

const (
	limitShare = 4
	// The sum over all shards of slack and of floor.
	limitSlack = 24
	limitFloor = 8

	groupSize   = 8
	windowLeast = 8 // groups that make a window, unless windowMost is over
	dipGroups   = 4
)

const (
	windowTime = int64(10 * time.Millisecond)  // a window is no shorter
	windowMost = int64(100 * time.Millisecond) // nor waits longer for its groups, if it has one
	dipEvery   = int64(time.Second)
	dipRecheck = int64(100 * time.Millisecond) // how old a dip's finding may be when the limit is to be lowered
)

// A connection that is in use for longer than this is held up by something other than the node's load: stuckLeast, or several times what fast
// statements take, but no more than stuckMost. It leaves the count while others wait.
const (
	stuckLeast = int64(5 * time.Millisecond)
	stuckMost  = int64(50 * time.Millisecond)
	stuckTimes = 4
)

// newLimiter is for one of several shards with so many places.
func newLimiter(most, shards int) limiter {
	l := limiter{max: float64(most), quick: true, slack: max(2, limitSlack/float64(shards)), floor: max(2, limitFloor/float64(shards))}
	l.floor = min(l.floor, l.max)
	l.limit = l.floor
	return l
}

// allowed is how many may be under way beside those that are stuck. Every two that are stuck let one more in, so that a crowd of slow ones is
// not admitted in small steps.
func (l *limiter) allowed(stuck int) int {
	n := l.limit
	if l.dipping {
		n = max(n/2, 1)
	}
	return int(n) + stuck/2
}

// patience is for how long a statement counts.
func (l *limiter) patience() int64 {
	return min(max(stuckLeast, stuckTimes*int64(l.low)), stuckMost)
}

// passing is how many may be found stuck at a time. It begins with few: a machine that stands still for a moment, the node's or the router's own,
// makes all statements look stuck.
func (l *limiter) passing(stuck int) int { return 2 + stuck/2 }

// done takes note of a statement that has ended, of when it began, and of how many are under way still.
func (l *limiter) done(now, began int64, busy int) {
	if l.dipping {
		if l.calm == 0 && busy <= l.allowed(0) {
			l.calm = now
		}
		if l.calm == 0 || began < l.calm {
			if now-l.began > windowMost {
				l.endDip(now)
			}
			return
		}
	}
	took := max(now-began, 1)
	if l.have == 0 || took < l.least {
		l.least = took
	}
	if l.have++; l.have == groupSize {
		l.sum += float64(l.least)
		l.groups++
		l.have = 0
	}
	age := now - l.began
	switch {
	case l.groups == 0:
	case l.dipping:
		if l.groups >= dipGroups || age >= windowMost {
			l.learn(l.sum / float64(l.groups))
			l.endDip(now)
		}
	case l.groups >= windowLeast && age >= windowTime || age >= windowMost:
		l.turn(now)
	}
}

// turn ends a window and adapts the limit.
func (l *limiter) turn(now int64) {
	l.low = l.sum / float64(l.groups)
	if l.base == 0 || l.low < l.base {
		l.base = l.low
	}
	short := l.short
	l.open(now)
	if !short {
		return // the limit bounded nothing, so nothing can be said about it
	}
	queued, slack := l.limit*(1-l.base/l.low), l.slack+l.limit/limitShare
	switch {
	case queued < slack && l.quick:
		l.limit = min(2*l.limit, l.max)
	case queued < slack:
		l.limit = min(l.limit+max(1, l.limit/8), l.max)
	case queued > 1.5*slack:
		l.quick = false
		if now-l.dipped > dipRecheck {
			l.dip()
			return
		}
		l.limit = max(l.limit-max(1, l.limit/8), l.floor)
	default:
		l.quick = false
	}
	if age := now - l.dipped; age > dipEvery || l.unsure && age > dipRecheck {
		l.dip()
	}
}

// open begins a window.
func (l *limiter) open(now int64) {
	l.began, l.have, l.sum, l.groups, l.short = now, 0, 0, 0, false
}

func (l *limiter) dip() { l.dipping, l.calm = true, 0 }

func (l *limiter) endDip(now int64) {
	l.dipping, l.dipped = false, now
	l.open(now)
}

// learn draws the conclusion from a dip in which fast statements took low. If they took as long as before, that is what they take by nature. If
// they took less, part of the time was queueing: what they would take with none is on the line through both points, or above it, since a node
// that is not yet full is no faster with less. If they took half as long, half as many are still too many, and nothing is known but that.
func (l *limiter) learn(low float64) {
	was, alone := l.base, min(2*low-l.low, low)
	switch {
	case alone < low/4:
		l.base = min(l.base, low/2)
		l.unsure = l.base < was
	case low < l.base:
		l.base, l.unsure = low, false
	default:
		l.base = max(l.base, min(alone, 4*l.base)) // one reading that was disturbed does not count for everything
		l.unsure = l.base < alone
	}
}
