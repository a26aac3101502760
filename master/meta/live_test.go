package meta_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"ballast/integration/cluster"
	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/meta"
	"ballast/rules"
	"ballast/rules/catalog"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

// open opens the metadata on a fresh server.
func open(t *testing.T) (*meta.Store, *cluster.Servers, meta.Config) {
	t.Helper()
	s := pool.Servers(t, cluster.Shape{Nodes: 1, Metadata: true})
	dsn := s.Metadata.DriverConfig()
	dsn.DBName = ""
	cfg := meta.Config{DSN: dsn.FormatDSN(), Key: []byte(strings.Repeat("k", 32))}
	store, err := meta.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store, s, cfg
}

func TestLeaseIsWritten(t *testing.T) {
	store, _, cfg := open(t)
	ctx := t.Context()
	seen, err := store.Lease(ctx)
	if err != nil {
		t.Fatal(err)
	}
	epoch, err := store.TakeOver(ctx, seen, "http://a")
	if err != nil || epoch != seen.Epoch+1 {
		t.Fatalf("epoch %d, error %v", epoch, err)
	}
	if _, err := store.TakeOver(ctx, seen, "http://b"); !errors.Is(err, meta.ErrDeposed) {
		t.Errorf("taking it as seen before: %v", err)
	}
	other, err := meta.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := store.KeepAlive(ctx, epoch); err != nil {
		t.Error(err)
	}
	seen, err = other.Lease(ctx)
	if err != nil || seen.Holder != "http://a" {
		t.Fatalf("lease %+v, error %v", seen, err)
	}
	if _, err := other.TakeOver(ctx, seen, "http://b"); err != nil {
		t.Fatal(err)
	}
	// The first leader can change nothing any more.
	for what, err := range map[string]error{
		"keep alive": store.KeepAlive(ctx, epoch),
		"transaction": store.Do(ctx, epoch, func(*meta.Tx) error {
			t.Error("a deposed leader's transaction ran")
			return nil
		}),
	} {
		if !errors.Is(err, meta.ErrDeposed) {
			t.Errorf("%s of a deposed leader: %v", what, err)
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	store, _, _ := open(t)
	ctx := t.Context()
	seen, err := store.Lease(ctx)
	if err != nil {
		t.Fatal(err)
	}
	epoch, err := store.TakeOver(ctx, seen, "http://a")
	if err != nil {
		t.Fatal(err)
	}
	before, err := store.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	strategy := &rules.Strategy{By: []string{"id"}, Steps: []rules.Step{{Kind: rules.StepMod, Mod: 4}}, On: []string{"n0"}}
	table := &catalog.Table{Name: catalog.Name{Schema: "s", Table: "t"}, Kind: catalog.Sharded, Group: "g", Strategy: strategy, Shape: 1<<63 + 5}
	twin := &catalog.Table{Name: catalog.Name{Schema: "s", Table: "u"}, Kind: catalog.Sharded, Group: "g", Strategy: strategy}
	node := catalog.Node{Name: "n0", Addr: "h:1", Weight: 100}
	draft := core.NewDraft(before.Snapshot, epoch)
	draft.PutNode(0, node)
	draft.PutSchema("s", &catalog.Schema{Name: "s", Charset: "utf8mb4", Collation: "utf8mb4_bin"})
	draft.PutUser("u", &catalog.User{Name: "u", Native: []byte{1}, Rights: map[string]catalog.Right{"*": catalog.Read}})
	draft.PutTable(table)
	draft.PutTable(twin)
	job := &core.Job{State: core.Changing, Request: api.DDLRequest{Kind: api.CreateTable, SQL: "CREATE …"}, Before: map[int]string{0: "x"}, Nodes: []int{0}}
	var account uint64
	err = store.Do(ctx, epoch, func(tx *meta.Tx) error {
		account, err = tx.NewAccount(ctx, "secret")
		return errors.Join(err, tx.AddNode(ctx, 0, node, meta.Admin{User: "root", Password: "pw", NonDurable: true}), tx.Write(ctx, draft.Delta()),
			tx.NewJob(ctx, job), tx.NewSequence(ctx, "s.t#1", 7), tx.Plan(ctx, catalog.Name{Schema: "s", Table: "v"}, "GLOBAL"),
			tx.SetFacts(ctx, core.Facts{Flavor: catalog.MySQL, LowerCaseNames: 1}), tx.Audit(ctx, api.AuditEntry{Who: "w", What: "x", Version: draft.Delta().Version}))
	})
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no")
	if err := store.Do(ctx, epoch, func(tx *meta.Tx) error {
		return errors.Join(tx.NewSequence(ctx, "rolled back", 1), failed)
	}); !errors.Is(err, failed) {
		t.Errorf("a transaction that fails: %v", err)
	}

	got, err := store.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := draft.Delta().Apply(before.Snapshot)
	want.LowerCaseNames = 1
	if !reflect.DeepEqual(got.Snapshot, want) {
		t.Errorf("read %+v, want %+v", got.Snapshot, want)
	}
	if got.Snapshot.Tables[0].Strategy != got.Snapshot.Tables[1].Strategy || got.Groups["g"] != got.Snapshot.Tables[0].Strategy {
		t.Error("tables of a group don't share their strategy")
	}
	if got.Admins[0].Password != "pw" || !got.Admins[0].NonDurable || got.Passwords[account] != "secret" || got.Incarnations[0].State != core.Pooled {
		t.Error("secrets were not read back")
	}
	if len(got.Jobs) != 1 || got.Jobs[0].ID != job.ID || got.Jobs[0].Before[0] != "x" || got.Planned[catalog.Name{Schema: "s", Table: "v"}] != "GLOBAL" {
		t.Errorf("jobs %+v, planned %v", got.Jobs, got.Planned)
	}
	sequences, err := store.Sequences(ctx)
	if err != nil || len(sequences) != 1 || sequences[0].Next != 7 {
		t.Errorf("sequences %v, error %v", sequences, err)
	}
	entries, err := store.AuditLog(ctx, 10)
	if err != nil || len(entries) != 1 || entries[0].Who != "w" || entries[0].Version != draft.Delta().Version {
		t.Errorf("audit %v, error %v", entries, err)
	}
}

func TestSequences(t *testing.T) {
	store, _, _ := open(t)
	ctx := t.Context()
	seen, err := store.Lease(ctx)
	if err != nil {
		t.Fatal(err)
	}
	epoch, err := store.TakeOver(ctx, seen, "http://a")
	if err != nil {
		t.Fatal(err)
	}
	do := func(fn func(*meta.Tx) error) error { return store.Do(ctx, epoch, fn) }
	if err := do(func(tx *meta.Tx) error { return tx.NewSequence(ctx, "q", 1) }); err != nil {
		t.Fatal(err)
	}
	block := func(size uint64) (first, last uint64) {
		t.Helper()
		if err := do(func(tx *meta.Tx) (err error) { first, last, err = tx.Block(ctx, "q", size); return err }); err != nil {
			t.Fatal(err)
		}
		return first, last
	}
	raise := func(value, slack uint64) (before, after uint64) {
		t.Helper()
		if err := do(func(tx *meta.Tx) (err error) { before, after, err = tx.Raise(ctx, "q", value, slack); return err }); err != nil {
			t.Fatal(err)
		}
		return before, after
	}
	if first, last := block(10); first != 1 || last != 10 {
		t.Errorf("the first block is [%d, %d]", first, last)
	}
	if before, after := raise(5, 0); before != 11 || after != 11 {
		t.Errorf("raising below the mark: %d to %d", before, after)
	}
	if before, after := raise(100, 16); before != 11 || after != 117 {
		t.Errorf("raising to 100 with slack 16: %d to %d", before, after)
	}
	if first, last := block(0); first != 117 || last != 117 {
		t.Errorf("a block of nothing is [%d, %d]", first, last)
	}
	const top = 1<<64 - 1
	raise(top, 1000)
	if err := do(func(tx *meta.Tx) error { _, _, err := tx.Block(ctx, "q", 1); return err }); err == nil {
		t.Error("an id behind the last one")
	}
	if err := do(func(tx *meta.Tx) error { _, _, err := tx.Block(ctx, "nothing", 1); return err }); err == nil {
		t.Error("a block of an unknown sequence")
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	_, s, cfg := open(t)
	if _, err := s.Metadata.DB.ExecContext(t.Context(), "INSERT INTO ballast_meta.migrations VALUES (999, 'later', NOW())"); err != nil {
		t.Fatal(err)
	}
	_, err := meta.Open(context.WithoutCancel(t.Context()), cfg)
	if err == nil || !meta.Refused(err) || !strings.Contains(err.Error(), "999") {
		t.Errorf("a newer schema: %v", err)
	}
	if _, err := meta.Open(t.Context(), meta.Config{DSN: "user:geheim@nowhere", Key: cfg.Key}); err == nil || strings.Contains(err.Error(), "geheim") {
		t.Errorf("a DSN that can't be read: %v", err)
	}
}
