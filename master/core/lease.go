package core

import "time"

// Lease is the row that says who leads. Epoch grows with every change of leader, N with everything a leader writes.
type Lease struct {
	Epoch, N uint64
	// Holder is the leading master's address; empty when it resigned or there never was one.
	Holder string
}

// Role is what a master does at the moment.
type Role uint8

// The roles. A Leading master serves; a Doubtful one has not reached the metadata for a while and serves nothing until it has.
const (
	Standby Role = iota
	Leading
	Doubtful
)

// String names the role.
func (r Role) String() string { return [...]string{"standby", "leading", "doubtful"}[r] }

// LeaseTimes are the waits of leadership. They only decide when to try; no promise rests on them.
type LeaseTimes struct {
	// Still is how long the lease must not move before a standby challenges.
	Still time.Duration
	// Doubt is how long a leader may fail to reach the metadata before it stops serving.
	Doubt time.Duration
}

// Leadership follows the lease for one master.
type Leadership struct {
	me    string
	times LeaseTimes
	role  Role
	epoch uint64
	// seen is the lease as last read, since when it stands still, ok when the metadata last answered the leader.
	seen  Lease
	since time.Duration
	known bool
	ok    time.Duration
}

// NewLeadership begins as a standby. me is this master's own address.
func NewLeadership(me string, times LeaseTimes) *Leadership {
	return &Leadership{me: me, times: times}
}

// Role and Epoch tell where it stands; Epoch is 0 for a standby. Leader is the holder as last seen.
func (l *Leadership) Role() Role { return l.role }

// Epoch is the epoch this master leads under, 0 if it does not.
func (l *Leadership) Epoch() uint64 { return l.epoch }

// Leader is the address of the leading master as far as is known.
func (l *Leadership) Leader() string { return l.seen.Holder }

// Observe takes a reading of the lease by a standby. It answers true when the lease may be challenged as seen: its holder resigned, is an
// earlier life of this very master, or has not moved it for a while.
func (l *Leadership) Observe(now time.Duration, lease Lease) bool {
	if !l.known || lease != l.seen {
		l.seen, l.since, l.known = lease, now, true
	}
	return lease.Holder == "" || lease.Holder == l.me || now-l.since >= l.times.Still
}

// Won records that the lease was taken under the epoch.
func (l *Leadership) Won(now time.Duration, epoch uint64) {
	l.role, l.epoch, l.ok = Leading, epoch, now
	l.seen = Lease{Epoch: epoch, Holder: l.me}
	l.known = false
}

// Renewed records that the metadata took a write of this leader.
func (l *Leadership) Renewed(now time.Duration) {
	if l.epoch != 0 {
		l.role, l.ok = Leading, now
	}
}

// Missed records that the metadata could not be reached; a leader becomes doubtful after a while.
func (l *Leadership) Missed(now time.Duration) {
	if l.role == Leading && now-l.ok >= l.times.Doubt {
		l.role = Doubtful
	}
}

// Deposed records that another master leads, or that this one must begin anew.
func (l *Leadership) Deposed() {
	l.role, l.epoch, l.known = Standby, 0, false
}
