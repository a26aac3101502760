package backend

import (
	"context"
	"errors"
	"strconv"
	"time"

	"ballast/sqlfront/wire"
)

// What a connection is doing, as far as somebody who wants to interrupt it is concerned: the low bits of Conn.running. The bits above count
// its statements, so that a late interruption can't hit another one.
const (
	stateIdle = iota
	stateRunning
	stateKilling

	stateBits = 2
	stateMask = 1<<stateBits - 1
)

// killPatience is how long a KILL QUERY may take, and how long an interrupted statement may go on until its connection is cut.
const killPatience = time.Second

// killSwitch is how a killer and the statement's own goroutine meet. At most one goroutine kills at a time, and the statement's own goroutine does not
// leave the statement before the killer is done: so a kill hits this statement or nothing.
type killSwitch struct {
	finished chan struct{} // the statement has ended while somebody kills it
	done     chan struct{} // the killer is done
}

func newKillSwitch() killSwitch {
	return killSwitch{finished: make(chan struct{}, 1), done: make(chan struct{}, 1)}
}

// enter begins a statement.
func (k *Conn) enter() {
	k.running.Store(((k.running.Load()>>stateBits)+1)<<stateBits | stateRunning)
}

// end leaves the statement that enter has begun.
func (k *Conn) end() {
	now := k.running.Load()
	idle := now&^stateMask | stateIdle
	if now&stateMask == stateRunning && k.running.CompareAndSwap(now, idle) {
		return
	}
	k.kill.finished <- struct{}{}
	<-k.kill.done
	select { // a killer need not have taken it
	case <-k.kill.finished:
	default:
	}
	k.running.Store(idle)
}

// tryEnd is end for whoever must not wait; false means that somebody is killing the statement, and that end must be called.
func (k *Conn) tryEnd() bool {
	now := k.running.Load()
	return now&stateMask == stateRunning && k.running.CompareAndSwap(now, now&^stateMask|stateIdle)
}

// catch claims the right to kill the statement that runs, if it is the one that was seen running as now.
func (k *Conn) catch(now uint64) bool {
	return now&stateMask == stateRunning && k.running.CompareAndSwap(now, now&^stateMask|stateKilling)
}

// KillQuery interrupts the statement that runs on the connection, if any, through a connection of its own; the statement then ends with
// error 1317, unless it was just about to end anyway. It returns once the node has been told, within Config.ConnectTimeout and a
// second. Safe to call from any goroutine, as long as the connection is not given back meanwhile.
func (k *Conn) KillQuery(ctx context.Context) error {
	if !k.catch(k.running.Load()) {
		return nil
	}
	err := k.tellNode(ctx)
	k.kill.done <- struct{}{}
	return err
}

// Interrupt ends what runs on the connection: by KILL QUERY, and when that does not help within a second, by cutting the connection. It is
// for a statement whose client is gone. Safe to call from any goroutine, as long as the connection is not given back meanwhile.
func (k *Conn) Interrupt(ctx context.Context) { k.interrupt(ctx, k.running.Load()) }

func (k *Conn) interrupt(ctx context.Context, now uint64) {
	if !k.catch(now) {
		return
	}
	if err := k.tellNode(ctx); err != nil {
		k.node.cluster.log.Warn("kill query on node", logNode, k.node.name, logError, err)
		k.sever()
	}
	patience := time.NewTimer(killPatience)
	defer patience.Stop()
	select {
	case <-k.kill.finished:
	case <-patience.C:
		k.sever() // nobody else will use it: there is nothing to wait for
	}
	k.kill.done <- struct{}{}
}

// tellNode sends KILL QUERY over a connection of its own.
func (k *Conn) tellNode(ctx context.Context) error {
	k.node.metrics.kills.Inc()
	side, err := k.node.connect(context.WithoutCancel(ctx), nil, 0, false)
	if err != nil {
		return err
	}
	defer side.closeLink()
	if err := side.link.deadline(time.Now().Add(killPatience)); err != nil {
		return errLost.Wrap(err, k.node.name)
	}
	_, err = side.exec(context.Background(), strconv.AppendUint([]byte("KILL QUERY "), uint64(k.ThreadID()), 10))
	var se *wire.ServerError
	if errors.As(err, &se) && se.Number == 1094 {
		return nil // no such thread: it has ended
	}
	return err
}

// whenCancelled interrupts the statement if ctx ends before stop is called.
func (k *Conn) whenCancelled(ctx context.Context) (stop func() bool) {
	if ctx.Done() == nil {
		return func() bool { return true }
	}
	now := k.running.Load()
	return context.AfterFunc(ctx, func() { k.interrupt(ctx, now) })
}
