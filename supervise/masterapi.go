package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"ballast/master/api"
	"ballast/master/client"
	"ballast/rules/catalog"
)

// leadWithin bounds the wait for the master to lead and for the router to have the rules.
const leadWithin = 30 * time.Second

// furnish brings a ready cluster to what the page shows: nodes known to the master, a root account, the sample tables. Each part is
// done only if it is missing.
func (o Options) furnish(ctx context.Context) error {
	master, err := o.masterClient()
	if err != nil {
		return err
	}
	defer master.CloseIdle()
	waiting, cancel := context.WithTimeout(ctx, leadWithin)
	defer cancel()
	var snap *catalog.Snapshot
	err = o.until(waiting, func() (err error) {
		snap, err = master.Snapshot(waiting)
		return err
	})
	if err != nil {
		return errRoleDown.Wrap(err, "the master", err.Error(), o.logFile("master"))
	}
	if err := o.registerNodes(ctx, master, snap); err != nil {
		return err
	}
	if err := ensureRoot(ctx, master, snap); err != nil {
		return err
	}
	if u := snap.Users["root"]; u != nil && (u.Native != nil || u.CachingSHA2 != nil) {
		return errPassword
	}
	if err := o.awaitRouter(waiting); err != nil {
		return err
	}
	return o.loadSample(ctx)
}

// errPassword says that root has got a password since: the cluster is up, but Up can't ask it for the page.
var errPassword = errors.New("root has a password")

// errSupervisorGone says that waiting is in vain.
var errSupervisorGone = errors.New("the supervisor has ended")

// until repeats try until it succeeds, ctx ends, or there is no supervisor any more that could bring the cluster there.
func (o Options) until(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		if running, held := o.supervised(); held != nil || !running {
			return errors.Join(held, errSupervisorGone)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (o Options) registerNodes(ctx context.Context, master *client.Client, snap *catalog.Snapshot) error {
	known := map[string]bool{}
	for _, n := range snap.Nodes {
		known[n.Name] = true
	}
	for i, port := range o.Ports.Nodes {
		if known[nodeName(i)] {
			continue
		}
		request := api.AddNodeRequest{Name: nodeName(i), Addr: loopback(port), User: "root"}
		if _, err := master.AddNode(ctx, request); err != nil {
			return fmt.Errorf("register node %s: %w", nodeName(i), err)
		}
	}
	return nil
}

// ensureRoot makes the account that the page tells of: all rights, no password. The master allows that on loopback only.
func ensureRoot(ctx context.Context, master *client.Client, snap *catalog.Snapshot) error {
	for _, u := range snap.Users {
		if u.Name == "root" {
			return nil
		}
	}
	request := api.UserRequest{Op: "add", Name: "root", Schema: "*", Rights: catalog.Read | catalog.Write | catalog.DDL | catalog.Admin}
	if err := master.ChangeUser(ctx, request); err != nil {
		return fmt.Errorf("make the account root: %w", err)
	}
	return nil
}

// awaitRouter returns once a client can log in: the router has the nodes and the account.
func (o Options) awaitRouter(ctx context.Context) error {
	db, err := o.openRouter("")
	if err != nil {
		return err
	}
	err = o.until(ctx, func() error { return db.PingContext(ctx) })
	if err != nil {
		err = errRoleDown.Wrap(err, "the router", err.Error(), o.logFile("router"))
	}
	return errors.Join(err, db.Close())
}

// masterClient speaks with the master as rulectl does.
func (o Options) masterClient() (*client.Client, error) {
	token, err := os.ReadFile(o.tokenFile())
	if err != nil {
		return nil, fmt.Errorf("read the token: %w", err)
	}
	return client.New(client.Config{URLs: []string{o.masterURL()}, Token: strings.TrimSpace(string(token)), Actor: "ballast up"})
}
