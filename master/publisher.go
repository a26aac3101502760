package master

import (
	"sync"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/rules/catalog"
)

// kept is how many frames the publisher keeps: a stream that fell further behind gets a snapshot.
const kept = 256

// publisher numbers what the leader tells the routers, and keeps the last of it for streams to pick up. A stream that can't keep up costs
// nothing but its own place.
type publisher struct {
	epoch uint64

	mu       sync.Mutex
	snapshot *catalog.Snapshot
	sequence uint64
	frames   []api.Frame // the last ones, up to sequence
	changed  chan struct{}
}

func newPublisher(epoch uint64, s *catalog.Snapshot) *publisher {
	return &publisher{epoch: epoch, snapshot: s, sequence: 1, changed: make(chan struct{})}
}

// current is the catalog as published.
func (p *publisher) current() *catalog.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.snapshot
}

// publish sends a new version; the snapshot is what it leads to.
func (p *publisher) publish(d *api.Delta, s *catalog.Snapshot) core.Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.snapshot = s
	return p.push(api.Frame{Delta: d})
}

// giveUp sends word about a sequence.
func (p *publisher) giveUp(g api.GiveUp) core.Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.push(api.Frame{GiveUp: &g})
}

func (p *publisher) push(f api.Frame) core.Position {
	p.sequence++
	f.Epoch, f.Sequence = p.epoch, p.sequence
	if len(p.frames) == kept {
		p.frames = append(p.frames[:0:0], p.frames[1:]...)
	}
	p.frames = append(p.frames, f)
	close(p.changed)
	p.changed = make(chan struct{})
	return core.Position{Epoch: p.epoch, Sequence: p.sequence}
}

// position is the last of what was published.
func (p *publisher) position() core.Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	return core.Position{Epoch: p.epoch, Sequence: p.sequence}
}

// since gives the frames behind the sequence, or a snapshot where they are no longer kept (or never were: 0), and a channel that closes
// when there is more.
func (p *publisher) since(sequence uint64) ([]api.Frame, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch behind := p.sequence - sequence; {
	case sequence == p.sequence:
		return nil, p.changed
	case sequence != 0 && sequence < p.sequence && behind <= uint64(len(p.frames)):
		return append([]api.Frame(nil), p.frames[uint64(len(p.frames))-behind:]...), p.changed
	}
	return []api.Frame{{Epoch: p.epoch, Sequence: p.sequence, Snapshot: p.snapshot}}, p.changed
}
