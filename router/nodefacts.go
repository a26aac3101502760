package router

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"ballast/router/backend"
)

// nodeFacts is what the router must know of the servers before a session can be told apart from one of theirs: the defaults of the
// variables that planning depends on, and the collations' ids. Nodes agree on them (the master checks that), so any node will do.
type nodeFacts struct {
	// defaults are global values as plain text, by variable.
	defaults   map[string]string
	collations map[uint16]collation
	byName     map[string]uint16
}

type collation struct{ name, charset string }

// defaultsRead lists the variables read into nodeFacts.defaults.
var defaultsRead = []string{"sql_mode", "time_zone", "system_time_zone", "autocommit", "sql_safe_updates", "collation_server", "character_set_server", "version", "version_comment"}

// factsOnce reads the facts from the first node that answers, once for the life of the router.
type factsOnce struct {
	cluster *backend.Cluster
	known   atomic.Pointer[nodeFacts]
	mu      sync.Mutex
}

func (f *factsOnce) get(ctx context.Context, nodes []int) (*nodeFacts, error) {
	if v := f.known.Load(); v != nil {
		return v, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if v := f.known.Load(); v != nil {
		return v, nil
	}
	var last error = errNoNode.New()
	for _, n := range nodes {
		v, err := readFacts(ctx, f.cluster, n)
		if err == nil {
			f.known.Store(v)
			return v, nil
		}
		last = err
	}
	return nil, last
}

func readFacts(ctx context.Context, cluster *backend.Cluster, node int) (*nodeFacts, error) {
	k, err := cluster.Acquire(ctx, 0, node, 0, cluster.Settings())
	if err != nil {
		return nil, err
	}
	v, err := readFactsOn(ctx, k)
	if err != nil {
		k.Discard()
		return nil, fmt.Errorf("read the servers' defaults: %w", err)
	}
	k.Release()
	return v, nil
}

func readFactsOn(ctx context.Context, k *backend.Conn) (*nodeFacts, error) {
	v := &nodeFacts{defaults: map[string]string{}, collations: map[uint16]collation{}, byName: map[string]uint16{}}
	rows, err := textRows(ctx, k, "SELECT @@GLOBAL."+strings.Join(defaultsRead, ", @@GLOBAL."))
	if err != nil {
		return nil, err
	}
	for i, name := range defaultsRead {
		v.defaults[name] = string(rows[0][i])
	}
	rows, err = textRows(ctx, k, "SELECT ID, COLLATION_NAME, CHARACTER_SET_NAME FROM information_schema.COLLATIONS WHERE ID IS NOT NULL")
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		id, err := strconv.ParseUint(string(r[0]), 10, 16)
		if err != nil {
			continue // ids beyond the handshake's width
		}
		c := collation{string(r[1]), string(r[2])}
		v.collations[uint16(id)] = c
		v.byName[c.name] = uint16(id)
	}
	return v, nil
}

// handshake gives the character set and collation of a client's handshake; one that the servers don't know is answered as they do: with
// their default.
func (v *nodeFacts) handshake(id uint16) collation {
	if c, ok := v.collations[id]; ok && c.name != "" {
		return c
	}
	return collation{v.defaults["collation_server"], v.defaults["character_set_server"]}
}
