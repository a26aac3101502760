package client

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"ballast/master/api"
	"ballast/rules/catalog"
)

// errGoneID is the failure by which the master says that an incarnation is over.
const (
	errGoneID = "BL6105"
)

// RouterInfo is what a router says of itself when it registers.
type RouterInfo struct {
	// Name tells routers apart and stays the same over restarts. Addr is where its clients connect. Version is the build.
	Name, Addr, Version string
	// OnSnapshot, if set, is called with every new version before it is acked; the ack waits for it (the master waits for the ack at most some
	// seconds). The version is Current already.
	OnSnapshot func(ctx context.Context, s *catalog.Snapshot)
	// OnReplaced, if set, is called when the incarnation was over and a new one with another account has begun.
	OnReplaced func(Registration)
	// Statements, if set, gives the count of statements since start, for the master's status.
	Statements func() uint64
}

// Registration is an incarnation with its own account on the db nodes.
type Registration struct {
	Incarnation uint64
	// Router goes into the high bits of connection ids: 1 to 4095.
	Router            int
	Account, Password string
}

// Router is a router's standing with the master: its incarnation, the catalog, its ids.
type Router struct {
	c    *Client
	info RouterInfo
	ids  *ids

	reg      atomic.Pointer[Registration]
	snapshot atomic.Pointer[catalog.Snapshot]

	// fetches are the blocks of ids that are on their way.
	fetches sync.WaitGroup

	mu       sync.Mutex
	changed  chan struct{}
	position api.Position
	// lastHeard is when the stream last said anything.
	lastHeard time.Time
}

// Register begins an incarnation and waits for its first snapshot. It tries until ctx ends; a refusal that time does not heal is an error.
// Run must be called then.
func (c *Client) Register(ctx context.Context, info RouterInfo) (*Router, error) {
	r := &Router{c: c, info: info, changed: make(chan struct{})}
	r.ids = newIDs(r)
	for said := false; ; said = true {
		err := r.register(ctx)
		if err == nil {
			err = r.first(ctx)
		}
		if err == nil {
			return r, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if isFailure(err) && failureID(err) != errNoMaster.ID && failureID(err) != errGoneID {
			return nil, err
		}
		if !said {
			c.log.WarnContext(ctx, "waiting for a master", "error", err)
		}
		if !pause(ctx, 500*time.Millisecond) {
			return nil, err
		}
	}
}

func (r *Router) register(ctx context.Context) error {
	var out api.RegisterReply
	q := api.RegisterRequest{Name: r.info.Name, Addr: r.info.Addr, Version: r.info.Version, Protocol: api.Current()}
	if err := r.c.call(ctx, r.c.cfg.Timeout, http.MethodPost, api.PathRouters, q, &out); err != nil {
		return err
	}
	if !out.Protocol.Compatible() {
		return fmt.Errorf("the master speaks protocol %d.%d, this router %d.%d", out.Protocol.Major, out.Protocol.Minor, api.ProtocolMajor, api.ProtocolMinor)
	}
	r.reg.Store(&Registration{Incarnation: out.Incarnation, Router: out.Router, Account: out.Account, Password: out.Password})
	return nil
}

// Registration is the present incarnation.
func (r *Router) Registration() Registration { return *r.reg.Load() }

// Current is the newest version of the catalog, compiled. It never blocks.
func (r *Router) Current() *catalog.Snapshot { return r.snapshot.Load() }

// Changed is closed once Current would answer differently.
func (r *Router) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// Connected says whether the stream of a master was heard within the last seconds.
func (r *Router) Connected() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.lastHeard) < 5*time.Second
}

// Run keeps the stream until ctx ends, which is no error; then it says good-bye. Without a master it keeps trying and the last version stays.
func (r *Router) Run(ctx context.Context) error {
	acks := make(chan struct{})
	go func() {
		defer close(acks)
		r.report(ctx)
	}()
	wait := 100 * time.Millisecond
	for ctx.Err() == nil {
		began := time.Now()
		err := r.stream(ctx, func() bool { return false })
		if ctx.Err() != nil {
			break
		}
		if failureID(err) == errGoneID {
			r.replace(ctx)
		} else {
			r.c.log.DebugContext(ctx, "stream of the master ended", "error", err)
		}
		if time.Since(began) > 5*time.Second {
			wait = 100 * time.Millisecond
		}
		pause(ctx, wait)
		wait = min(wait*2, time.Second)
	}
	<-acks
	r.fetches.Wait()
	bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	path := api.PathRouters + "/" + strconv.FormatUint(r.Registration().Incarnation, 10)
	if err := r.c.call(bye, time.Second, http.MethodDelete, path, nil, nil); err != nil {
		r.c.log.DebugContext(bye, "good-bye not heard", "error", err)
	}
	r.c.CloseIdle()
	return nil
}

// replace begins a new incarnation in place of one that is over.
func (r *Router) replace(ctx context.Context) {
	old := r.Registration().Incarnation
	if err := r.register(ctx); err != nil {
		r.c.log.WarnContext(ctx, "new registration refused", "error", err)
		return
	}
	reg := r.Registration()
	r.c.log.WarnContext(ctx, "incarnation replaced", "old", old, "incarnation", reg.Incarnation)
	r.ids.dropAll()
	r.mu.Lock()
	r.position = api.Position{}
	r.mu.Unlock()
	if r.info.OnReplaced != nil {
		r.info.OnReplaced(reg)
	}
}
