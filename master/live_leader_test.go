package master_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ballast/integration/cluster"
	"ballast/master"
	"ballast/master/api"
	"ballast/master/client"
	"ballast/rules/catalog"
)

// ownLink gives a master its own way to the metadata, which can be cut for it alone.
func ownLink(t *testing.T, s *cluster.Servers) (*cluster.Link, func(*master.Config)) {
	t.Helper()
	link, err := cluster.NewLink(s.Metadata.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := link.Close(); err != nil {
			t.Error(err)
		}
	})
	return link, func(c *master.Config) { c.Meta = strings.ReplaceAll(c.Meta, s.Metadata.Link.Addr(), link.Addr()) }
}

func TestStandbyTakesOver(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	link, through := ownLink(t, s)
	first := startMaster(t, s, through)
	c := newClient(t, first)
	addNodes(t, c, s)
	second := startMaster(t, s, nil)
	both := newClient(t, first, second)
	r := startRouter(t, both, client.RouterInfo{Name: "r1"})
	ddl(t, both, api.CreateDatabase, "CREATE DATABASE shop", "shop")
	before, err := both.Status(t.Context())
	if err != nil || before.Leader != first.m.URL() {
		t.Fatalf("leader %v, error %v", before, err)
	}
	incarnation := r.Registration().Incarnation

	began := time.Now()
	link.Set(cluster.Cut)
	onlySecond := newClient(t, second)
	eventually(t, "the standby leads", 6*time.Second, func() bool {
		status, err := onlySecond.Status(t.Context())
		return err == nil && status.Epoch > before.Epoch
	})
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("taking over took %s", took)
	}
	ddl(t, both, api.CreateTable, "CREATE TABLE a (id INT PRIMARY KEY)", "shop.a")
	eventually(t, "the router follows the new leader", 5*time.Second, func() bool { return r.Current().Table(parseName("shop.a")) != nil })
	if got := r.Registration().Incarnation; got != incarnation {
		t.Errorf("the router has become incarnation %d, was %d", got, incarnation)
	}

	link.Set(cluster.Open)
	onlyFirst := newClient(t, first)
	eventually(t, "the deposed master knows who leads", 5*time.Second, func() bool {
		status, err := onlyFirst.Status(t.Context()) // led on to the second by the answer 421
		return err == nil && status.Leader == second.m.URL()
	})
	second.stop()
	eventually(t, "the first leads again at once", 4*time.Second, func() bool {
		status, err := both.Status(t.Context())
		return err == nil && status.Leader == first.m.URL()
	})
}

func TestMetadataServerDown(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	m := startMaster(t, s, nil)
	c := newClient(t, m)
	addNodes(t, c, s)
	r := startRouter(t, c, client.RouterInfo{Name: "r1"})
	ddl(t, c, api.CreateDatabase, "CREATE DATABASE shop", "shop")
	ddl(t, c, api.CreateTable, "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY)", "shop.a")
	eventually(t, "the router has the table", 3*time.Second, func() bool { return len(r.Current().Tables) == 1 })
	sequence := r.Current().Tables[0].Sequence
	if _, err := r.NextIDs(t.Context(), sequence, 1); err != nil {
		t.Fatal(err)
	}

	s.Metadata.Kill()
	began := time.Now()
	_, err := tryDDL(t, c, api.CreateTable, "CREATE TABLE b (id INT PRIMARY KEY)", "shop.b")
	if number(err) == 0 || time.Since(began) > 5*time.Second {
		t.Errorf("a definition without metadata ended with %v after %s", err, time.Since(began))
	}
	if id, err := r.NextIDs(t.Context(), sequence, 1); err != nil || id != 2 {
		t.Errorf("the next id is %d, error %v", id, err)
	}
	if len(r.Current().Tables) != 1 {
		t.Error("the router lost what it knew")
	}
	if err := s.Metadata.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "definitions work again", 15*time.Second, func() bool {
		_, err := tryDDL(t, c, api.CreateTable, "CREATE TABLE b (id INT PRIMARY KEY)", "shop.b")
		return err == nil || number(err) == 1050
	})
	eventually(t, "the router has both", 5*time.Second, func() bool { return len(r.Current().Tables) == 2 })
}

func TestCallersNeedTheToken(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	m := startMaster(t, s, nil)
	for path, want := range map[string]int{api.PathHealth: 200, api.PathStatus: 401, api.PathSnapshot: 401, api.PathRouters + "/1" + api.PathStream: 401} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.m.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer wrong")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if resp.StatusCode != want {
			t.Errorf("%s with a wrong token: %d, want %d", path, resp.StatusCode, want)
		}
	}
}

func TestManyBoundsStartFast(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	m := startMaster(t, s, nil)
	c := newClient(t, m)
	addNodes(t, c, s)
	ddl(t, c, api.CreateDatabase, "CREATE DATABASE shop", "shop")
	var clause strings.Builder
	const bounds = 100_000
	clause.WriteString("CREATE TABLE a (id BIGINT PRIMARY KEY) BALANCE BY (id) RANGE (")
	for i := range bounds + 1 {
		fmt.Fprintf(&clause, "%d, ", i*1000)
	}
	clause.WriteString("MAXVALUE) MOD 2")
	ddl(t, c, api.CreateTable, clause.String(), "shop.a")
	m.stop()

	began := time.Now()
	again := startMaster(t, s, nil)
	c = newClient(t, again)
	if _, err := c.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	t.Logf("a master with %d bounds started in %s", bounds, took)
	if took > time.Second {
		t.Errorf("starting took %s", took)
	}
	r := startRouter(t, c, client.RouterInfo{Name: "r1"})
	table := r.Current().Table(catalog.Name{Schema: "shop", Table: "a"})
	if table == nil || table.Placement == nil {
		t.Fatal("the router has no placement")
	}
}
