package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"ballast/master/api"
	"ballast/rules/failure"
)

var errNoMaster = failure.Define("BL6200", 1158, "08S01", "no master can be reached at %s (%s)", "statements go on; what needs a master (definitions, new ids) works again when one is back")

var errLostMaster = failure.Define("BL6201", 1158, "08S01", "the master's answer was lost (%s): it may have done what it was asked for", "look before repeating it: rulectl status, rulectl ddl job list")

// Config says where the masters are.
type Config struct {
	// URLs are the addresses of all masters, for instance http://127.0.0.1:7800. At least one.
	URLs []string
	// Token is the bearer token; empty without.
	Token string
	// TLS is for https addresses; nil uses the system's authorities.
	TLS *tls.Config
	// Actor says in the audit log who makes changes, Why says why; may be empty.
	Actor, Why string
	// Timeout bounds one ordinary call; definitions and checks have their own. 0 means 10 s.
	Timeout time.Duration
	// Log takes what the stream has to say; nil for none.
	Log *slog.Logger
}

// Client speaks with the leading master. Safe for use by several goroutines.
type Client struct {
	cfg   Config
	plain *http.Client
	log   *slog.Logger

	mu sync.Mutex
	// leader is the address that answered last.
	leader string
}

// New makes a client; nothing is dialled yet.
func New(cfg Config) (*Client, error) {
	if len(cfg.URLs) == 0 {
		return nil, errors.New("no master is named")
	}
	cfg.URLs = slices.Clone(cfg.URLs)
	for i, u := range cfg.URLs {
		if !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://") {
			return nil, fmt.Errorf("the master's address %q is no http or https URL", u)
		}
		cfg.URLs[i] = strings.TrimRight(u, "/")
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 10 * time.Second
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	transport := &http.Transport{
		DialContext:     (&net.Dialer{Timeout: 2 * time.Second}).DialContext,
		TLSClientConfig: cfg.TLS, TLSHandshakeTimeout: 3 * time.Second, MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute,
	}
	return &Client{cfg: cfg, log: cfg.Log, plain: &http.Client{Transport: transport}, leader: cfg.URLs[0]}, nil
}

// CloseIdle frees connections that nothing uses.
func (c *Client) CloseIdle() { c.plain.CloseIdleConnections() }

func (c *Client) leading() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leader
}

func (c *Client) setLeader(url string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leader = strings.TrimRight(url, "/")
}

// candidates are the masters to try, the last one that led first.
func (c *Client) candidates() []string {
	first := c.leading()
	out := []string{first}
	for _, u := range c.cfg.URLs {
		if u != first {
			out = append(out, u)
		}
	}
	return out
}

// open sends a request to the leading master, wherever that is, and gives its 200 answer. Masters that are down or do not lead are passed over.
//
// A request that must not be made twice (once) ends with errLostMaster when its connection broke after it was sent.
func (c *Client) open(ctx context.Context, method, path string, body []byte, once bool) (*http.Response, error) {
	var last error
	tried := map[string]bool{}
	list := c.candidates()
	for i := 0; i < len(list); i++ {
		url := list[i]
		if tried[url] {
			continue
		}
		tried[url] = true
		resp, err := c.send(ctx, url, method, path, body)
		if err == nil {
			c.setLeader(url)
			return resp, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var away *elsewhere
		switch {
		case errors.As(err, &away):
			if away.leader != "" && !tried[away.leader] {
				list = append(list, away.leader)
			}
		case isFailure(err):
			c.setLeader(url)
			return nil, err
		case once && !neverSent(err):
			return nil, errLostMaster.Wrap(err, reason(err))
		}
		last = err
	}
	return nil, errNoMaster.Wrap(last, strings.Join(c.cfg.URLs, ", "), reason(last))
}

// neverSent says whether a request surely did not reach a master.
func neverSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// elsewhere says that a master does not lead, or not now.
type elsewhere struct{ leader, why string }

func (e *elsewhere) Error() string { return e.why }

func (c *Client) send(ctx context.Context, url, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if c.cfg.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.Token)
	}
	if c.cfg.Actor != "" {
		req.Header.Set(api.HeaderActor, c.cfg.Actor)
	}
	if c.cfg.Why != "" {
		req.Header.Set(api.HeaderWhy, c.cfg.Why)
	}
	req.Header.Set("Content-Type", api.ContentTypeJSON)
	resp, err := c.plain.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	text, readErr := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err := errors.Join(readErr, resp.Body.Close()); err != nil {
		return nil, err
	}
	var f api.Failure
	if err := json.Unmarshal(text, &f); err != nil || f.Number == 0 {
		return nil, fmt.Errorf("%s answers %s: not a master?", url, resp.Status)
	}
	if resp.StatusCode == http.StatusMisdirectedRequest || resp.StatusCode == http.StatusServiceUnavailable {
		return nil, &elsewhere{leader: strings.TrimRight(f.Leader, "/"), why: f.Message}
	}
	return nil, &failure.Error{Kind: &failure.Kind{ID: f.ID, Number: f.Number, State: f.State, Hint: f.Hint}, Message: f.Message}
}

func isFailure(err error) bool {
	var f *failure.Error
	return errors.As(err, &f)
}

// failureID is the id of a master's failure, "" for others.
func failureID(err error) string {
	var f *failure.Error
	if errors.As(err, &f) {
		return f.Kind.ID
	}
	return ""
}

func reason(err error) string {
	if err == nil {
		return "none is named"
	}
	var inner error
	for e := err; e != nil; e = errors.Unwrap(e) {
		inner = e
	}
	return inner.Error()
}

// call does one request with a JSON body and a JSON answer; out may be nil.
func (c *Client) call(ctx context.Context, limit time.Duration, method, path string, in, out any) error {
	return c.exchange(ctx, limit, method, path, in, out, false)
}

// change is call for what must not be done twice; it outlasts a change of leader as long as nothing was sent.
func (c *Client) change(ctx context.Context, limit time.Duration, method, path string, in, out any) error {
	return c.again(ctx, patience, func() error { return c.exchange(ctx, limit, method, path, in, out, true) })
}

func (c *Client) exchange(ctx context.Context, limit time.Duration, method, path string, in, out any, once bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	resp, err := c.open(ctx, method, path, body, once)
	if err != nil {
		return err
	}
	if out != nil {
		err = json.NewDecoder(resp.Body).Decode(out)
	} else {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return fmt.Errorf("read the master's answer: %w", err)
	}
	return nil
}

// again repeats a call for a while as long as no master leads, which is what a change of leader looks like from here.
func (c *Client) again(ctx context.Context, patience time.Duration, fn func() error) error {
	deadline := time.Now().Add(patience)
	for {
		err := fn()
		if failureID(err) != errNoMaster.ID || time.Now().After(deadline) {
			return err
		}
		timer := time.NewTimer(200 * time.Millisecond)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}
