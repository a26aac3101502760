package router_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ballast/master/api"
	"ballast/router"
	"ballast/router/backend"
	"ballast/router/plan"
	"ballast/router/routertest"
	"ballast/rules"
	"ballast/rules/catalog"
	"ballast/sqlfront"
	"ballast/sqlfront/auth"
	"ballast/sqlfront/netloop"
	"ballast/sqlfront/wire"
	"ballast/sqlfront/wiretest"
)

// The nodes of these tests are scripted: what a client sees when they misbehave at a chosen moment.

// still is a catalog that does not change.
type still struct{ snap *catalog.Snapshot }

func (s still) Current() *catalog.Snapshot    { return s.snap }
func (still) Changed() <-chan struct{}        { return nil }
func (still) TryNextID(string) (uint64, bool) { return 0, false }
func (still) TryRaiseID(string, uint64) bool  { return false }

func (still) DDL(context.Context, api.DDLRequest) (*api.DDLReply, error) {
	return nil, errors.New("no definitions here")
}

func (still) NextIDs(context.Context, string, uint64) (uint64, error) {
	return 0, errors.New("no ids here")
}
func (still) RaiseID(context.Context, string, uint64) error { return errors.New("no ids here") }

// snapshot has a table "one" on the first node and a table "all" that is whole on every node.
func snapshot(t *testing.T, nodes []*routertest.Node) *catalog.Snapshot {
	t.Helper()
	number := rules.FieldType{Kind: rules.FieldInt, Bits: 32}
	columns := []catalog.Column{{Name: "id", Type: "int", DataType: "int", Field: number}, {Name: "v", Type: "int", DataType: "int", Field: number}}
	keys := []catalog.Key{{Name: "PRIMARY", Unique: true, Primary: true, Columns: []string{"id"}}}
	s := &catalog.Snapshot{
		Version: catalog.Version{Epoch: 1, N: 1}, Schemas: map[string]*catalog.Schema{"app": {Name: "app"}},
		Tables: []*catalog.Table{
			{Name: catalog.Name{Schema: "app", Table: "one"}, Kind: catalog.Single, SingleOn: "n0", Columns: columns, Keys: keys, Shape: 1},
			{Name: catalog.Name{Schema: "app", Table: "all"}, Kind: catalog.Global, Columns: columns, Keys: keys, Shape: 1},
		},
		Users: map[string]*catalog.User{"root": {Name: "root", Rights: map[string]catalog.Right{"*": catalog.Read | catalog.Write | catalog.DDL | catalog.Admin}}},
	}
	for i, n := range nodes {
		s.Nodes = append(s.Nodes, catalog.Node{Name: fmt.Sprint("n", i), Addr: n.Addr(), Flavor: catalog.MySQL, ServerVersion: "9.7.4", Weight: 100})
	}
	if err := s.Compile(); err != nil {
		t.Fatal(err)
	}
	return s
}

// answerFacts answers what a router asks of a node before it serves anybody; false for anything else.
func answerFacts(q *routertest.Query) bool {
	switch {
	case strings.HasPrefix(q.SQL, "SELECT @@GLOBAL."):
		names := strings.Split(q.SQL[len("SELECT "):], ", ")
		values := map[string]any{"autocommit": "1", "collation_server": "utf8mb4_general_ci", "character_set_server": "utf8mb4", "version": "9.7.4"}
		row := make([]any, len(names))
		for i, n := range names {
			if row[i] = values[strings.TrimPrefix(n, "@@GLOBAL.")]; row[i] == nil {
				row[i] = ""
			}
		}
		q.Text(names, row)
	case strings.HasPrefix(q.SQL, "SELECT ID, COLLATION_NAME"):
		q.Text([]string{"ID", "COLLATION_NAME", "CHARACTER_SET_NAME"}, []any{"45", "utf8mb4_general_ci", "utf8mb4"})
	default:
		return false
	}
	return true
}

// stack is a router over scripted nodes, with one loop.
type stack struct {
	addr    string
	router  *router.Router
	cluster *backend.Cluster
	loop    *netloop.Loop
}

func start(t *testing.T, cfg backend.Config, nodes ...*routertest.Node) *stack {
	t.Helper()
	loop, err := netloop.New()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Logger, cfg.Loops, cfg.Shards = slog.New(slog.DiscardHandler), []*netloop.Loop{loop}, 1
	cluster, err := backend.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	snap := snapshot(t, nodes)
	r, err := router.New(router.Config{
		Catalog: still{snap}, Definer: still{}, IDs: still{}, Cluster: cluster, Planner: plan.New(plan.Config{}), Limits: router.DefaultLimits(),
		Logger: cfg.Logger, Registerer: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	front := sqlfront.Default()
	front.Logger, front.Listeners, front.Loops, front.DrainTimeout = cfg.Logger, []net.Listener{ln}, cfg.Loops, time.Second
	server, err := sqlfront.New(front, r)
	if err != nil {
		t.Fatal(err)
	}
	cluster.Update(snap.Nodes, backend.Credential{User: "root"})
	inner, stopInner := context.WithCancel(context.Background())
	outer, stopOuter := context.WithCancel(context.Background())
	var back, serving sync.WaitGroup
	run := func(wg *sync.WaitGroup, ctx context.Context, f func(context.Context) error) {
		wg.Go(func() {
			if err := f(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	run(&back, inner, loop.Run)
	run(&back, inner, cluster.Run)
	run(&serving, outer, server.Run)
	s := &stack{addr: ln.Addr().String(), router: r, cluster: cluster, loop: loop}
	t.Cleanup(func() {
		stopOuter()
		serving.Wait()
		for _, n := range cluster.Stats() {
			if n.InUse+n.Kept+n.Waiting > 0 {
				t.Errorf("after the last client: %+v", n)
			}
		}
		stopInner()
		back.Wait()
	})
	return s
}

// client logs in and makes the plans of statements known.
func (s *stack) client(t *testing.T, known ...string) *wiretest.Peer {
	t.Helper()
	p, err := wiretest.Dial(s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Log(err)
		}
	})
	const caps = wire.ClientLongPassword | wire.ClientMultiResults | wire.ClientDeprecateEOF
	if err := p.Login(auth.ClientConfig{User: "root", DB: "", Capabilities: caps, Collation: 45}, nil); err != nil {
		t.Fatal(err)
	}
	for _, sql := range known {
		for range 2 {
			if err := ask(p, sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
	}
	return p
}

// ask runs a statement.
func ask(p *wiretest.Peer, sql string) error {
	if err := p.Query(sql); err != nil {
		return err
	}
	_, err := p.RecvResult()
	return err
}

const (
	selectOne = "SELECT v FROM app.one WHERE id = 1"
	selectAll = "SELECT v FROM app.`all` WHERE id = 1"
	updateOne = "UPDATE app.one SET v = 2 WHERE id = 1"
)

// answer answers statements about the tables.
func answer(q *routertest.Query) {
	if answerFacts(q) {
		return
	}
	switch {
	case strings.HasPrefix(q.SQL, "START TRANSACTION"), strings.HasPrefix(q.SQL, "BEGIN"):
		q.Status(wire.StatusAutocommit | wire.StatusInTrans)
		q.OK(wire.OK{})
	case q.SQL == "COMMIT", q.SQL == "ROLLBACK":
		q.Status(wire.StatusAutocommit)
		q.OK(wire.OK{})
	case strings.HasPrefix(q.SQL, "SELECT v"):
		q.Text([]string{"v"}, []any{"7"})
	default:
		q.OK(wire.OK{Affected: 1})
	}
}

// What any node can answer is answered while one is up, also in the moment in which the chosen one goes.
func TestLaunchAsksAnotherNode(t *testing.T) {
	first, second := routertest.Start(t, answer), routertest.Start(t, answer)
	s := start(t, backend.Config{ProbeInterval: time.Hour, RetryInterval: 10 * time.Millisecond}, first, second)
	var clients []*wiretest.Peer
	for range 4 { // they prefer different nodes
		clients = append(clients, s.client(t, selectAll))
	}
	for _, n := range []*routertest.Node{first, second} {
		n.Down(true)
		for i, p := range clients {
			if err := ask(p, selectAll); err != nil {
				t.Errorf("client %d: %v", i, err)
			}
		}
		n.Down(false)
		for deadline := time.Now().Add(10 * time.Second); !s.cluster.Up(0) || !s.cluster.Up(1); { // a node is tried again when it is needed
			if err := ask(clients[0], selectOne); time.Now().After(deadline) {
				t.Fatal("the node does not come back: ", err)
			}
		}
	}
}

// Connections that died in the pool are no error for any statement, in a transaction or not.
func TestLaunchOverDeadConnections(t *testing.T) {
	n := routertest.Start(t, answer)
	s := start(t, backend.Config{ProbeInterval: time.Hour}, n)
	p := s.client(t, "BEGIN", selectOne, updateOne, "COMMIT")
	for i := range 30 {
		script := [][]string{{selectOne}, {updateOne}, {"BEGIN", selectOne, updateOne, "COMMIT"}, {"BEGIN", updateOne, "ROLLBACK"}}[i%4]
		n.CutAll()
		n.Forget()
		for _, sql := range script {
			if err := ask(p, sql); err != nil {
				t.Fatalf("%v: %s: %v", script, sql, err)
			}
		}
		for _, sql := range []string{updateOne, "COMMIT", "ROLLBACK"} {
			if got := count(n, sql); got > 1 {
				t.Errorf("%v: the node was sent %s %d times", script, sql, got)
			}
		}
	}
}

func count(n *routertest.Node, sql string) (got int) {
	for _, s := range n.Statements() {
		if s == sql {
			got++
		}
	}
	return got
}

// A write whose node goes away is an error, and is not sent again.
func TestLaunchedWriteIsNotRepeated(t *testing.T) {
	cut := false
	var mu sync.Mutex
	n := routertest.Start(t, func(q *routertest.Query) {
		mu.Lock()
		defer mu.Unlock()
		if cut && q.SQL == updateOne {
			q.Cut()
			return
		}
		answer(q)
	})
	s := start(t, backend.Config{ProbeInterval: time.Hour}, n)
	p := s.client(t, "BEGIN", selectOne, updateOne, "COMMIT")
	mu.Lock()
	cut = true
	mu.Unlock()
	for _, script := range [][]string{{updateOne}, {"BEGIN", selectOne, updateOne}, {"BEGIN", updateOne}} {
		n.Forget()
		for i, sql := range script {
			err := ask(p, sql)
			if last := i == len(script)-1; (err != nil) != last {
				t.Errorf("%v: %s: %v", script, sql, err)
			}
		}
		if got := count(n, updateOne); got != 1 {
			t.Errorf("%v: the node was sent it %d times", script, got)
		}
		if err := errors.Join(ask(p, "ROLLBACK"), ask(p, selectOne)); err != nil {
			t.Errorf("after %v: %v", script, err)
		}
	}
}

// sleeper is a node whose "sleep" statements run until they are killed there, or their connection is cut.
type sleeper struct {
	mu      sync.Mutex
	running map[uint32]chan struct{} // by connection
	began   int
	hold    chan struct{} // what the blocking update waits for
}

func (n *sleeper) handle(q *routertest.Query) {
	if id, ok := strings.CutPrefix(q.SQL, "KILL QUERY "); ok {
		number, err := strconv.ParseUint(id, 10, 32)
		n.mu.Lock()
		if ch := n.running[uint32(number)]; err == nil && ch != nil {
			close(ch)
			delete(n.running, uint32(number))
		}
		n.mu.Unlock()
		q.OK(wire.OK{})
		return
	}
	switch {
	case strings.HasPrefix(q.SQL, "SELECT v FROM app.one WHERE id = 55"): // sleeps
		ch := make(chan struct{})
		n.mu.Lock()
		n.running[q.Connection] = ch
		n.began++
		n.mu.Unlock()
		<-ch
		q.Err(1317, "70100", "Query execution was interrupted")
	case strings.HasPrefix(q.SQL, "UPDATE app.one SET v = 2 WHERE id = 77"): // waits
		n.mu.Lock()
		hold := n.hold
		n.mu.Unlock()
		<-hold
		q.OK(wire.OK{})
	default:
		answer(q)
	}
}

func (n *sleeper) asleep() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.running)
}

// A session that is killed, or whose client goes, in the very moment in which its queued statement is granted a connection leaves nothing
// running on the node.
func TestLaunchMeetsAKill(t *testing.T) {
	script := &sleeper{running: map[uint32]chan struct{}{}}
	n := routertest.Start(t, script.handle)
	s := start(t, backend.Config{MaxPerNode: 1, ProbeInterval: time.Hour}, n)
	sleep, wait := "SELECT v FROM app.one WHERE id = 55", "UPDATE app.one SET v = 2 WHERE id = 77"
	holder := s.client(t, selectOne, updateOne)
	by := sqlfront.Client{User: "root"}
	for i := range 40 {
		hold := make(chan struct{})
		script.mu.Lock()
		script.hold = hold
		script.mu.Unlock()
		if err := holder.Query(wait); err != nil {
			t.Fatal(err)
		}
		until(t, "the connection is taken", func() bool { return count(n, wait) > 0 })
		victim := s.client(t)
		if err := victim.Query(sleep); err != nil {
			t.Fatal(err)
		}
		until(t, "the victim queues", func() bool { return s.cluster.Stats()[0].Waiting == 1 })
		var both sync.WaitGroup
		both.Go(func() { close(hold) })
		both.Go(func() {
			if i%2 == 0 {
				for range i { // later and later
					s.loop.Stats()
				}
			}
			if err := s.router.Kill(context.Background(), by, victim.Client.Greeting().ConnectionID, true); err != nil {
				t.Error(err)
			}
		})
		both.Wait()
		if _, err := holder.RecvOK(); err != nil {
			t.Fatal(err)
		}
		if err := victim.RecvEnd(); err != nil {
			t.Error(err)
		}
		until(t, "nothing runs on the node", func() bool {
			st := s.cluster.Stats()[0]
			return script.asleep() == 0 && st.InUse+st.Waiting == 0
		})
		n.Forget()
	}
	t.Logf("%d statements began before they were killed", script.began)
	if err := ask(holder, selectOne); err != nil {
		t.Error(err)
	}
}

// KILL QUERY ends a statement that still waits for a connection, and no more: the session goes on.
func TestKillQueryOfAQueuedStatement(t *testing.T) {
	script := &sleeper{running: map[uint32]chan struct{}{}}
	n := routertest.Start(t, script.handle)
	s := start(t, backend.Config{MaxPerNode: 1, ProbeInterval: time.Hour}, n)
	wait := "UPDATE app.one SET v = 2 WHERE id = 77"
	holder, victim := s.client(t, selectOne, updateOne), s.client(t, selectOne)
	script.hold = make(chan struct{})
	if err := holder.Query(wait); err != nil {
		t.Fatal(err)
	}
	until(t, "the connection is taken", func() bool { return count(n, wait) > 0 })
	if err := victim.Query(selectOne); err != nil {
		t.Fatal(err)
	}
	until(t, "the victim queues", func() bool { return s.cluster.Stats()[0].Waiting == 1 })
	if err := s.router.Kill(context.Background(), sqlfront.Client{User: "root"}, victim.Client.Greeting().ConnectionID, false); err != nil {
		t.Fatal(err)
	}
	var se *wire.ServerError
	if _, err := victim.RecvOK(); !errors.As(err, &se) || se.Number != 1317 {
		t.Errorf("%v in place of error 1317", err)
	}
	close(script.hold)
	if _, err := holder.RecvOK(); err != nil {
		t.Error(err)
	}
	if err := ask(victim, selectOne); err != nil {
		t.Error(err)
	}
}

// until asks until it is so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); !so(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("not in time: ", what)
		}
	}
}

// A client that does not read a huge answer holds up neither its loop nor the router's memory, and its node's connection is given back when
// it is killed.
func TestLaunchedAnswerOfAClientThatIsKilled(t *testing.T) {
	row := wire.AppendLenencBytes(nil, bytes.Repeat([]byte("x"), 8000))
	many := make([][]byte, 3000)
	for i := range many {
		many[i] = row
	}
	n := routertest.Start(t, func(q *routertest.Query) {
		if q.SQL == "SELECT v FROM app.one WHERE id = 99" {
			q.Rows([]wire.Column{{Name: "v", Type: wire.TypeVarString}}, many...)
			return
		}
		answer(q)
	})
	s := start(t, backend.Config{ProbeInterval: time.Hour}, n)
	other := s.client(t, selectOne)
	for range 3 {
		p := s.client(t)
		if err := p.Query("SELECT v FROM app.one WHERE id = 99"); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Recv(); err != nil {
			t.Fatal(err)
		}
		for range 50 {
			if err := ask(other, selectOne); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.router.Kill(t.Context(), sqlfront.Client{User: "root"}, p.Client.Greeting().ConnectionID, true); err != nil {
			t.Fatal(err)
		}
		until(t, "the connection is given back", func() bool { return s.cluster.Stats()[0].InUse == 0 })
	}
}

// A node that refuses to open a transaction (a KILL QUERY that came just then) has taken no part in it: the transaction goes on.
func TestLaunchWhoseOpeningIsRefused(t *testing.T) {
	var mu sync.Mutex
	refuse := false
	n := routertest.Start(t, func(q *routertest.Query) {
		mu.Lock()
		defer mu.Unlock()
		if refuse && q.SQL == "START TRANSACTION" {
			refuse = false
			q.Err(1317, "70100", "Query execution was interrupted")
			return
		}
		answer(q)
	})
	s := start(t, backend.Config{ProbeInterval: time.Hour}, n)
	p := s.client(t, "BEGIN", selectOne, updateOne, "COMMIT")
	for _, sql := range []string{selectOne, updateOne} {
		mu.Lock()
		refuse = true
		mu.Unlock()
		n.Forget()
		if err := ask(p, "BEGIN"); err != nil {
			t.Fatal(err)
		}
		var se *wire.ServerError
		if err := ask(p, sql); !errors.As(err, &se) || se.Number != 1317 {
			t.Errorf("%s: %v", sql, err)
		}
		if sql == updateOne && count(n, sql) > 0 {
			t.Error("a write was sent outside its transaction")
		}
		if err := errors.Join(ask(p, sql), ask(p, "COMMIT")); err != nil {
			t.Error(err)
		}
		if count(n, "START TRANSACTION") != 2 || count(n, "COMMIT") != 1 {
			t.Errorf("the node was sent %q", n.Statements())
		}
	}
}
