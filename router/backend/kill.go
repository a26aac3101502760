package backend

import (
	"context"
	"errors"
	"strconv"
	"time"

	"ballast/sqlfront/wire"
)

// What a connection is doing, as far as somebody who wants to interrupt it is concerned.
const (
	stateIdle = iota
	stateRunning
	stateKilling
)

// killPatience is how long a KILL QUERY may take, and how long an interrupted statement may go on until its connection is cut.
const killPatience = time.Second

// running is the state of a connection's statement. At most one goroutine kills at a time, and the statement's own goroutine does not
// leave the statement before the killer is done: so a kill hits this statement or nothing.
type killSwitch struct {
	finished chan struct{} // the statement has ended while somebody kills it
	done     chan struct{} // the killer is done
}

func newKillSwitch() killSwitch {
	return killSwitch{finished: make(chan struct{}, 1), done: make(chan struct{}, 1)}
}

// end leaves the statement that begin has started.
func (k *Conn) end() {
	if k.running.CompareAndSwap(stateRunning, stateIdle) {
		return
	}
	k.kill.finished <- struct{}{}
	<-k.kill.done
	k.running.Store(stateIdle)
}

// KillQuery interrupts the statement that runs on the connection, if any, through a connection of its own; the statement then ends with
// error 1317, unless it was just about to end anyway. It returns once the node has been told, within Config.ConnectTimeout and a
// second. Safe to call from any goroutine.
func (k *Conn) KillQuery(ctx context.Context) error {
	if !k.running.CompareAndSwap(stateRunning, stateKilling) {
		return nil
	}
	err := k.tellNode(ctx)
	k.kill.done <- struct{}{}
	<-k.kill.finished
	return err
}

// Interrupt ends what runs on the connection: by KILL QUERY, and when that does not help within a second, by cutting the connection. It is
// for a statement whose client is gone. Safe to call from any goroutine.
func (k *Conn) Interrupt(ctx context.Context) {
	if !k.running.CompareAndSwap(stateRunning, stateKilling) {
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
		k.sever()
		<-k.kill.finished
	}
	k.kill.done <- struct{}{}
}

// tellNode sends KILL QUERY over a connection of its own.
func (k *Conn) tellNode(ctx context.Context) error {
	k.node.metrics.kills.Inc()
	side, err := k.node.connect(context.WithoutCancel(ctx), 0)
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
	return context.AfterFunc(ctx, func() { k.Interrupt(ctx) })
}
