package backend

import (
	"context"
	"errors"
	"time"
)

// watch keeps the node's health until ctx ends or the node is retired: it asks a connection of its own for a sign of life, marks the node
// down and up, and closes idle connections.
func (n *node) watch(ctx context.Context) {
	var probe *Conn
	defer func() {
		if probe != nil {
			probe.closeLink()
		}
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.done:
			return
		case <-n.kick:
		case <-timer.C:
		}
		var err error
		if probe, err = n.probe(ctx, probe); err == nil {
			n.markUp()
		} else if ctx.Err() == nil {
			n.markDown(err)
		}
		n.shrink()
		n.widen()
		if n.refusal() == nil {
			timer.Reset(n.cfg.ProbeInterval)
		} else {
			timer.Reset(n.cfg.RetryInterval)
		}
	}
}

// probe pings the node over the given connection, or over a new one if there is none or it broke. It gives the connection to use next time.
// A server that is too busy to answer in time but goes on with other statements is alive.
func (n *node) probe(ctx context.Context, k *Conn) (*Conn, error) {
	if k != nil {
		err := k.ping(n.cfg.StallAfter)
		if err == nil {
			return k, nil
		}
		k.closeLink()
		if errors.Is(err, errNoAnswer) { // the server accepts, the kernel acknowledges, nobody answers
			return nil, errStalled.Wrap(err, n.name)
		}
	}
	silence := n.listen()
	k, err := n.connect(ctx, nil, 0, false)
	if err != nil && !isTimeout(err) && ctx.Err() == nil {
		// One login that was cut off says little of the node: whoever cut the old connection may have cut this one, too.
		k, err = n.connect(ctx, nil, 0, false)
	}
	if silent := silence(); isTimeout(err) {
		if silent < n.cfg.StallAfter-2*pingSlice {
			return nil, nil
		}
		err = errStalled.Wrap(errors.Join(errNoAnswer, err), n.name)
	}
	return k, err
}

// listen watches whether the node sends anything to anybody. The function it gives ends that and says for how long the node has been silent.
func (n *node) listen() (silence func() time.Duration) {
	done, silent := make(chan struct{}), make(chan time.Duration, 1)
	go func() {
		heard, since := n.heard.Load(), time.Now()
		look := time.NewTicker(pingSlice)
		defer look.Stop()
		for {
			select {
			case <-done:
				silent <- time.Since(since)
				return
			case <-look.C:
				if now := n.heard.Load(); now != heard {
					heard, since = now, time.Now()
				}
			}
		}
	}()
	return func() time.Duration {
		close(done)
		return <-silent
	}
}

// markDown makes requests fail until a probe succeeds. A node whose server owes the answer to a ping loses its connections too, so that
// nothing hangs on it; otherwise those that still work go on.
func (n *node) markDown(why error) {
	n.mu.Lock()
	first := n.down == nil
	n.down = why
	n.restate()
	n.mu.Unlock()
	for _, sh := range n.shards {
		sh.failWaiting(why)
	}
	if errors.Is(why, errNoAnswer) {
		n.severAll()
	}
	if !first {
		return
	}
	n.metrics.down.Set(1)
	n.cluster.log.Warn("node is down", logNode, n.name, logError, why, "cause", errors.Unwrap(why))
	n.sweep()
	n.wake()
}

func (n *node) markUp() {
	n.mu.Lock()
	was := n.down
	n.down = nil
	n.restate()
	n.mu.Unlock()
	if was != nil {
		n.metrics.down.Set(0)
		n.cluster.log.Info("node is up again", logNode, n.name)
	}
}

// wake makes the watcher probe now.
func (n *node) wake() {
	select {
	case n.kick <- struct{}{}:
	default:
	}
}
