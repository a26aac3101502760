package supervise

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"ballast/master/api"
	"ballast/rules/catalog"
)

// leadWithin bounds the wait for the master to lead and for the router to have the rules.
const leadWithin = 30 * time.Second

// furnish brings a ready cluster to what the page shows: nodes known to the master, a root account, the sample tables. Each part is
// done only if it is missing.
func (o Options) furnish(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, leadWithin)
	defer cancel()
	var snap catalog.Snapshot
	for {
		err := o.call(waiting, http.MethodGet, api.PathSnapshot, nil, &snap)
		if err == nil {
			break
		}
		select {
		case <-waiting.Done():
			return errRoleDown.Wrap(err, "the master", err.Error(), o.logFile("master"))
		case <-time.After(100 * time.Millisecond):
		}
	}
	if err := o.registerNodes(ctx, &snap); err != nil {
		return err
	}
	if err := o.ensureRoot(ctx, &snap); err != nil {
		return err
	}
	if err := o.awaitRouter(waiting); err != nil {
		return err
	}
	return o.loadSample(ctx)
}

func (o Options) registerNodes(ctx context.Context, snap *catalog.Snapshot) error {
	known := map[string]bool{}
	for _, n := range snap.Nodes {
		known[n.Name] = true
	}
	for i, port := range o.Ports.Nodes {
		if known[nodeName(i)] {
			continue
		}
		request := api.AddNodeRequest{Name: nodeName(i), Addr: loopback(port), User: "root"}
		if err := o.call(ctx, http.MethodPost, api.PathNodes, request, nil); err != nil {
			return fmt.Errorf("register node %s: %w", nodeName(i), err)
		}
	}
	return nil
}

// ensureRoot makes the account that the page tells of: all rights, no password. The master allows that on loopback only.
func (o Options) ensureRoot(ctx context.Context, snap *catalog.Snapshot) error {
	for _, u := range snap.Users {
		if u.Name == "root" {
			return nil
		}
	}
	request := api.UserRequest{Op: "add", Name: "root", Schema: "*", Rights: catalog.Read | catalog.Write | catalog.DDL | catalog.Admin}
	if err := o.call(ctx, http.MethodPost, api.PathUsers, request, nil); err != nil {
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
	for {
		err = db.PingContext(ctx)
		if err == nil {
			return db.Close()
		}
		select {
		case <-ctx.Done():
			return errors.Join(errRoleDown.Wrap(err, "the router", err.Error(), o.logFile("router")), db.Close())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// call asks the master. A refusal comes back in the master's own words.
func (o Options) call(ctx context.Context, method, path string, in, out any) error {
	token, err := os.ReadFile(o.tokenFile())
	if err != nil {
		return fmt.Errorf("read the token: %w", err)
	}
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("ask the master: %w", err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, o.masterURL()+path, body)
	if err != nil {
		return fmt.Errorf("ask the master: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	req.Header.Set(api.HeaderActor, "ballast up")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("ask the master: %w", err)
	}
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return fmt.Errorf("read the master's answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		var f api.Failure
		if err := json.Unmarshal(text, &f); err != nil || f.Message == "" {
			return fmt.Errorf("the master answers %s", resp.Status)
		}
		return fmt.Errorf("%s (%s)", f.Message, f.Hint)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("read the master's answer: %w", err)
	}
	return nil
}
