package core

import (
	"testing"
	"time"
)

func TestStandbyChallengesALeaseThatStandsStill(t *testing.T) {
	l := NewLeadership("http://b", LeaseTimes{Still: 3 * time.Second, Doubt: 3 * time.Second})
	lease := Lease{Epoch: 4, N: 10, Holder: "http://a"}
	for at := time.Duration(0); at < 3*time.Second; at += 500 * time.Millisecond {
		if l.Observe(at, lease) {
			t.Fatalf("challenged after %s", at)
		}
	}
	lease.N++
	if l.Observe(3*time.Second, lease) {
		t.Error("challenged a lease that has just moved")
	}
	if !l.Observe(6*time.Second, lease) {
		t.Error("not challenged though it stood still")
	}
	if l.Leader() != "http://a" || l.Epoch() != 0 || l.Role() != Standby {
		t.Errorf("leader %s, epoch %d, role %s", l.Leader(), l.Epoch(), l.Role())
	}
}

func TestLeaseTakenAtOnce(t *testing.T) {
	for _, holder := range []string{"", "http://b"} { // resigned, and an earlier life of our own
		l := NewLeadership("http://b", LeaseTimes{Still: 3 * time.Second})
		if !l.Observe(0, Lease{Epoch: 1, N: 1, Holder: holder}) {
			t.Errorf("holder %q is waited for", holder)
		}
	}
}

func TestLeaderInDoubt(t *testing.T) {
	l := NewLeadership("http://b", LeaseTimes{Still: 3 * time.Second, Doubt: 3 * time.Second})
	l.Won(0, 5)
	l.Missed(2 * time.Second)
	if l.Role() != Leading {
		t.Errorf("after 2s: %s", l.Role())
	}
	l.Renewed(2500 * time.Millisecond)
	l.Missed(5 * time.Second)
	if l.Role() != Leading {
		t.Errorf("2.5s after a renewal: %s", l.Role())
	}
	l.Missed(6 * time.Second)
	if l.Role() != Doubtful || l.Epoch() != 5 {
		t.Errorf("3.5s after a renewal: %s, epoch %d", l.Role(), l.Epoch())
	}
	l.Deposed()
	l.Renewed(7 * time.Second)
	if l.Role() != Standby || l.Epoch() != 0 {
		t.Errorf("deposed: %s, epoch %d", l.Role(), l.Epoch())
	}
}
