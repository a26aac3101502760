package routertest

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"ballast/sqlfront/wire"
)

// Handler answers one statement, through exactly one call of q's methods.
type Handler func(q *Query)

// Node is a fake db node. Safe for concurrent use.
type Node struct {
	// Version is what the greeting says. Set it before the first connection; default "8.4.0-fake".
	Version string

	tb      testing.TB
	handler Handler
	ln      net.Listener
	wg      sync.WaitGroup

	mu    sync.Mutex
	log   []string
	conns map[net.Conn]bool
	next  uint32
	down  bool
}

// Start runs a node on a free port of loopback until the test ends. A nil handler answers everything with OK. SET and USE (COM_INIT_DB)
// are answered with OK without asking the handler.
func Start(tb testing.TB, handler Handler) *Node {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	if handler == nil {
		handler = func(q *Query) { q.OK(wire.OK{}) }
	}
	n := &Node{Version: "8.4.0-fake", tb: tb, handler: handler, ln: ln, conns: map[net.Conn]bool{}}
	n.wg.Go(n.accept)
	tb.Cleanup(n.stop)
	return n
}

// Addr is the node's address.
func (n *Node) Addr() string { return n.ln.Addr().String() }

// Statements lists what was sent so far, in order of arrival: texts of queries, "USE db", "RESET", "PING", and for prepared statements
// "PREPARE text", "EXECUTE text" and "CLOSE text".
func (n *Node) Statements() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.log...)
}

// Forget empties the list of statements.
func (n *Node) Forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.log = nil
}

// Connections is the number of connections that were accepted so far.
func (n *Node) Connections() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return int(n.next)
}

// Down makes the node cut all its connections and every new one at once; Down(false) makes it work again.
func (n *Node) Down(down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
	if down {
		n.cut()
	}
}

// CutAll cuts all connections, as a server that restarts does.
func (n *Node) CutAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut()
}

// cut closes all connections; the caller holds mu.
func (n *Node) cut() {
	for c := range n.conns {
		if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			n.tb.Errorf("fake node: %v", err)
		}
	}
}

func (n *Node) stop() {
	if err := n.ln.Close(); err != nil {
		n.tb.Errorf("fake node: %v", err)
	}
	n.CutAll()
	n.wg.Wait()
}

func (n *Node) accept() {
	for {
		c, err := n.ln.Accept()
		if err != nil {
			return
		}
		n.mu.Lock()
		n.next++
		s := &session{node: n, conn: c, id: n.next, in: wire.Inbox{Max: 1 << 30}, stmts: map[uint32]string{}}
		n.conns[c] = true
		if n.down {
			n.cut()
		}
		n.mu.Unlock()
		n.wg.Go(func() {
			err := s.serve()
			n.mu.Lock()
			delete(n.conns, c)
			n.mu.Unlock()
			closeErr := c.Close()
			if err != nil && !lineCut(err) {
				n.tb.Errorf("fake node: %v", errors.Join(err, closeErr))
			}
		})
	}
}

func (n *Node) note(parts ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.log = append(n.log, strings.Join(parts, " "))
}

// lineCut tells the errors of a connection that either side has closed.
func lineCut(err error) bool {
	var oe *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &oe) || errors.Is(err, errCut)
}
