package router

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// handOut is a master that counts.
type handOut struct {
	mu    sync.Mutex
	next  uint64
	calls int
	down  bool
}

func (h *handOut) TakeBlock(_ context.Context, _ string, n uint64) (uint64, uint64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	if h.down {
		return 0, 0, errors.New("no master")
	}
	first := h.next + 1
	h.next += n
	return first, h.next, nil
}

func (h *handOut) RaiseMark(_ context.Context, _ string, mark uint64) (uint64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	if h.down {
		return 0, errors.New("no master")
	}
	h.next = max(h.next, mark)
	return h.next, nil
}

func TestSequenceGivesEveryIDOnce(t *testing.T) {
	s := NewSequences(&handOut{}, time.Minute)
	seen := make([]bool, 1_000_000)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 200 {
				n := 1 + (w+i)%17
				first, err := s.Next(t.Context(), "a", n)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for id := first; id < first+uint64(n); id++ {
					if seen[id] {
						t.Errorf("%d was given twice", id)
					}
					seen[id] = true
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func TestSequenceOutlastsTheMaster(t *testing.T) {
	h := &handOut{}
	s := NewSequences(h, time.Minute)
	if _, err := s.Next(t.Context(), "a", 1); err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	h.down = true
	h.mu.Unlock()
	for range minBlock / 2 {
		if _, err := s.Next(t.Context(), "a", 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Next(t.Context(), "a", 2*minBlock); err == nil {
		t.Fatal("ids were given that no master has handed out")
	} else if number, _, _ := describe(err); number != 1105 {
		t.Fatalf("error %d: %v", number, err)
	}
}

func TestSequenceRaise(t *testing.T) {
	h := &handOut{}
	s := NewSequences(h, time.Minute)
	first, err := s.Next(t.Context(), "a", 1)
	if err != nil || first != 1 {
		t.Fatal(first, err)
	}
	// Inside what this router holds: skipped without a call.
	calls := h.calls
	if err := s.Raise(t.Context(), "a", 500); err != nil {
		t.Fatal(err)
	}
	if h.calls != calls {
		t.Error("the master was asked for an id below the mark")
	}
	if next, err := s.Next(t.Context(), "a", 1); err != nil || next != 501 {
		t.Fatalf("the id after an explicit 500 is %d, %v", next, err)
	}
	// Above: durably raised first.
	if err := s.Raise(t.Context(), "a", 5_000_000); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		next, err := s.Next(t.Context(), "a", minBlock)
		if err != nil {
			t.Fatal(err)
		}
		if next <= 5_000_000 {
			t.Fatalf("%d was given after an explicit 5000000", next)
		}
	}
}

func TestSequenceWaitEndsWithTheStatement(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	s := NewSequences(stuck{block}, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ctx, "a", 1); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

type stuck struct{ until chan struct{} }

func (s stuck) TakeBlock(context.Context, string, uint64) (uint64, uint64, error) {
	<-s.until
	return 0, 0, errors.New("too late")
}

func (s stuck) RaiseMark(context.Context, string, uint64) (uint64, error) { return 0, nil }
