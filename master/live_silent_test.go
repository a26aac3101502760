package master_test

import (
	"context"
	"testing"
	"time"

	"ballast/integration/cluster"
	"ballast/master"
	"ballast/master/api"
	"ballast/master/client"
	"ballast/rules/catalog"
)

func TestSilentRouters(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	m := startMaster(t, s, func(c *master.Config) { c.AckWait = 2 * time.Second })
	c := newClient(t, m)
	addNodes(t, c, s)
	ddl(t, c, api.CreateDatabase, "CREATE DATABASE shop", "shop")
	ddl(t, c, api.CreateTable, "CREATE TABLE a (id INT PRIMARY KEY) BALANCE BY (id) MOD 2", "shop.a")

	// A router that dies right after its start: nobody tells the master.
	dead, err := c.Register(t.Context(), client.RouterInfo{Name: "dead"})
	if err != nil {
		t.Fatal(err)
	}
	ddl(t, c, api.AlterTable, "ALTER TABLE a BALANCE BY (id) RANGE (0, 10, 20)", "shop.a")
	if status, err := c.Status(t.Context()); err != nil || len(status.Routers) > 0 && status.Routers[0].State == "active" {
		t.Errorf("after a rule changed without it, the dead router is %+v, error %v", status.Routers, err)
	}
	if err := enter(t, s.Nodes[0], dead.Registration()).PingContext(t.Context()); err == nil {
		t.Error("the dead router's account is still good")
	}

	// One that holds its stream but does not ack: definitions go on without it, a rule waits and gives up.
	release := make(chan struct{})
	slow := startRouter(t, c, client.RouterInfo{Name: "slow", OnSnapshot: func(ctx context.Context, s *catalog.Snapshot) {
		if len(s.Tables) > 1 {
			select {
			case <-release:
			case <-ctx.Done():
			}
		}
	}})
	began := time.Now()
	ddl(t, c, api.CreateTable, "CREATE TABLE b (id INT PRIMARY KEY)", "shop.b")
	if took := time.Since(began); took > 6*time.Second {
		t.Errorf("a definition waited %s for a silent router", took)
	}
	if _, err := tryDDL(t, c, api.AlterTable, "ALTER TABLE a BALANCE BY (id) MOD 2", "shop.a"); number(err) != 1105 {
		t.Errorf("a rule changed without the only router: %v", err)
	}
	close(release)
	eventually(t, "the router is up to date", 5*time.Second, func() bool { return len(slow.Current().Tables) == 2 })
	eventually(t, "the rule changes", 10*time.Second, func() bool {
		_, err := tryDDL(t, c, api.AlterTable, "ALTER TABLE a BALANCE BY (id) MOD 2", "shop.a")
		return err == nil
	})
	if slow.Registration().Incarnation == dead.Registration().Incarnation {
		t.Error("an account was given out twice")
	}
}
