package sqlfront

import (
	"math/rand/v2"
	"sync"
	"time"
)

// attempts counts handshakes that failed in a row, by address: the answers to a wrong password get slower, and at last the address is kept out for
// a while. Loopback and unix sockets are never kept out. The table is bounded: when it is full, some other address is forgotten.
type attempts struct {
	limit int
	block time.Duration

	mu    sync.Mutex
	hosts map[string]attempt
}

type attempt struct {
	failures int
	last     int64 // nanoseconds of the server's clock
}

// The bounds of attempts: addresses remembered, failures that cost nothing, and the longest wait.
const (
	maxAttemptHosts = 10_000
	freeAttempts    = 5
	maxAttemptWait  = 2 * time.Second
)

func newAttempts(limit int, block time.Duration) *attempts {
	return &attempts{limit: limit, block: block, hosts: map[string]attempt{}}
}

// failed counts a failure and says how long the answer should wait.
func (a *attempts) failed(host string, now int64) time.Duration {
	if a.limit == 0 || host == localhost {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at, known := a.hosts[host]
	if !known && len(a.hosts) >= maxAttemptHosts {
		a.forgetOne()
	}
	at.failures++
	at.last = now
	a.hosts[host] = at
	over := at.failures - freeAttempts
	if over <= 0 {
		return 0
	}
	wait := 50 * time.Millisecond << min(over, 6)
	return min(wait, maxAttemptWait) - rand.N(10*time.Millisecond)
}

// forgetOne makes room. Map order is random enough to let nobody choose who is forgotten.
func (a *attempts) forgetOne() {
	for host := range a.hosts {
		delete(a.hosts, host)
		return
	}
}

func (a *attempts) succeeded(host string) {
	a.mu.Lock()
	delete(a.hosts, host)
	a.mu.Unlock()
}

// blocked tells how long an address is still kept out; 0 when it is not.
func (a *attempts) blocked(host string, now int64) time.Duration {
	if a.limit == 0 {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at, known := a.hosts[host]
	if !known {
		return 0
	}
	left := a.block - time.Duration(now-at.last)
	if left <= 0 && at.failures >= a.limit {
		delete(a.hosts, host)
	}
	if left <= 0 || at.failures < a.limit {
		return 0
	}
	return left
}
