package cluster

import (
	"fmt"
	"net"
	"sync"
)

// LinkState says what a Link does with connections and bytes.
type LinkState int

// The states of a Link.
const (
	// Open relays everything.
	Open LinkState = iota
	// Cut closes all connections and every new one at once: the far end is down.
	Cut
	// Silent keeps connections, accepts new ones and passes nothing on: packets get lost, nobody says so.
	Silent
)

// Link is a TCP relay on loopback in front of a server.
type Link struct {
	target string
	listen net.Listener

	mu      sync.Mutex
	changed *sync.Cond // signalled when state changes
	state   LinkState
	conns   map[net.Conn]struct{}
	closed  bool
	wait    sync.WaitGroup
}

// NewLink relays from a free port to target (host:port) until Close.
func NewLink(target string) (*Link, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a local listen does not wait
	if err != nil {
		return nil, fmt.Errorf("listen for a link: %w", err)
	}
	k := &Link{target: target, listen: l, conns: map[net.Conn]struct{}{}}
	k.changed = sync.NewCond(&k.mu)
	k.wait.Go(k.accept)
	return k, nil
}

// Addr gives host:port of the near end.
func (k *Link) Addr() string { return k.listen.Addr().String() }

// Port gives the port of the near end.
func (k *Link) Port() int { return k.listen.Addr().(*net.TCPAddr).Port } //nolint:forcetypeassert // a tcp listener has no other

// Set changes the state, for present and later connections.
func (k *Link) Set(state LinkState) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state = state
	if state == Cut {
		k.dropAll()
	}
	k.changed.Broadcast()
}

// Close ends the relay and all its connections.
func (k *Link) Close() error {
	k.mu.Lock()
	k.closed, k.state = true, Cut
	k.dropAll()
	k.changed.Broadcast()
	k.mu.Unlock()
	err := k.listen.Close()
	k.wait.Wait()
	return err
}

// dropAll closes every connection; the caller holds mu. A connection that is closed twice has nothing to say.
func (k *Link) dropAll() {
	for c := range k.conns {
		quiet(c.Close())
		delete(k.conns, c)
	}
}

func (k *Link) accept() {
	for {
		near, err := k.listen.Accept()
		if err != nil {
			return
		}
		if !k.keep(near) {
			continue
		}
		k.wait.Go(func() { k.serve(near) })
	}
}

// keep notes a connection, or closes it if the link is cut.
func (k *Link) keep(c net.Conn) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state == Cut {
		quiet(c.Close())
		return false
	}
	k.conns[c] = struct{}{}
	return true
}

func (k *Link) drop(c net.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	quiet(c.Close())
	delete(k.conns, c)
}

// pass waits while the link is silent; it answers false when the link is cut.
func (k *Link) pass() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.state == Silent {
		k.changed.Wait()
	}
	return k.state == Open
}

func (k *Link) serve(near net.Conn) {
	defer k.drop(near)
	if !k.pass() {
		return
	}
	far, err := net.Dial("tcp", k.target) //nolint:noctx // local; refused or accepted at once
	if err != nil {
		return
	}
	if !k.keep(far) {
		return
	}
	defer k.drop(far)
	var both sync.WaitGroup
	both.Go(func() { k.copy(far, near) })
	both.Go(func() { k.copy(near, far) })
	both.Wait()
}

// copy relays one direction; when it ends, both directions do.
func (k *Link) copy(dst, src net.Conn) {
	defer k.drop(dst)
	defer k.drop(src)
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if !k.pass() {
				return
			}
			if _, werr := dst.Write(buf[:n]); werr != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// quiet takes the error of closing something whose end is wanted anyway.
func quiet(error) {}
