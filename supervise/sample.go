package supervise

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// sampleSchema is the schema of the sample tables.
const sampleSchema = "shop"

// sampleTables create one table per kind of placement. All are made through the router, as any client would.
var sampleTables = []struct{ name, rule, create string }{
	{"users", "by id: runs of 100 ids dealt over 32 buckets, 8 buckets to a node", `CREATE TABLE users (
		id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) NOT NULL, province VARCHAR(20) NOT NULL, joined DATE NOT NULL, KEY (province)
	) BALANCE BY (id) RANGE 100 MOD 32 RANGE 8`},
	{"orders", "by user_id, hashed; balance group by_user", `CREATE TABLE orders (
		user_id BIGINT NOT NULL, id BIGINT NOT NULL AUTO_INCREMENT, total DECIMAL(10,2) NOT NULL, placed DATETIME NOT NULL, PRIMARY KEY (user_id, id), KEY (id)
	) BALANCE BY (user_id) HASH MOD 64 IN GROUP by_user`},
	{"order_items", "the same group: an order's items lie beside it", `CREATE TABLE order_items (
		user_id BIGINT NOT NULL, order_id BIGINT NOT NULL, line INT NOT NULL, product VARCHAR(40) NOT NULL, quantity INT NOT NULL, PRIMARY KEY (user_id, order_id, line)
	) BALANCE BY (user_id) HASH MOD 64 IN GROUP by_user`},
	{"stores", "by province, listed", `CREATE TABLE stores (
		province VARCHAR(20) NOT NULL, id INT NOT NULL, name VARCHAR(40) NOT NULL, PRIMARY KEY (province, id)
	) BALANCE BY (province) LIST (('guangdong', 'hainan'), ('beijing'), ('heilongjiang'), DEFAULT)`},
	{"visits", "by day, a quarter to a node", `CREATE TABLE visits (
		day DATE NOT NULL, page VARCHAR(40) NOT NULL, hits INT NOT NULL, PRIMARY KEY (day, page)
	) BALANCE BY (day) RANGE (MINVALUE, '2026-04-01', '2026-07-01', '2026-10-01', MAXVALUE)`},
	{"region", "global: a full copy on every node", `CREATE TABLE region (
		province VARCHAR(20) NOT NULL PRIMARY KEY, area VARCHAR(20) NOT NULL
	) GLOBAL`},
	{"settings", "single: whole on n1", `CREATE TABLE settings (
		name VARCHAR(40) NOT NULL PRIMARY KEY, value VARCHAR(100) NOT NULL
	) SINGLE ON (n1)`},
}

var (
	sampleProvinces = []string{"guangdong", "hainan", "beijing", "heilongjiang", "sichuan", "yunnan"}
	sampleAreas     = []string{"south", "south", "north", "north-east", "south-west", "south-west"}
	sampleNames     = []string{"Li Wei", "Wang Fang", "Zhang Min", "Chen Jing", "Yang Lei", "Zhao Yan", "Huang Tao", "Zhou Jie", "Wu Xia", "Xu Peng"}
	sampleProducts  = []string{"tea", "rice", "lamp", "paper", "ink", "kettle", "umbrella"}
	samplePages     = []string{"/", "/cart", "/help"}
)

// The number of rows: enough that every table lies on all nodes.
const (
	sampleUsers  = 3200
	sampleOrders = 600
)

// loadSample makes the sample schema once; a person who drops it does not find it back.
func (o Options) loadSample(ctx context.Context) error {
	mark := o.path("sample-loaded")
	if _, err := os.Stat(mark); err == nil || o.NoSample {
		return nil
	}
	if err := o.say("loading the sample tables through the router"); err != nil {
		return err
	}
	db, err := o.openRouter("")
	if err != nil {
		return err
	}
	err = errors.Join(fillSample(ctx, db), db.Close())
	if err != nil {
		return errSample.Wrap(err, err.Error())
	}
	if err := os.WriteFile(mark, nil, 0o644); err != nil {
		return fmt.Errorf("note that the sample is loaded: %w", err)
	}
	return nil
}

func fillSample(ctx context.Context, db *sql.DB) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// An earlier try may have been interrupted half-way.
	statements := []string{"DROP DATABASE IF EXISTS " + sampleSchema, "CREATE DATABASE " + sampleSchema, "USE " + sampleSchema}
	for _, t := range sampleTables {
		statements = append(statements, t.create)
	}
	for _, statement := range append(statements, sampleRows()...) {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			head, _, _ := strings.Cut(statement, "(")
			return fmt.Errorf("%s: %w", strings.TrimSpace(head), err)
		}
	}
	return nil
}

// sampleRows gives INSERT statements of many rows each; always the same rows.
func sampleRows() []string {
	var out []string
	insert := func(into string, n int, row func(i int) string) {
		const batch = 400
		for begin := 0; begin < n; begin += batch {
			var rows []string
			for i := begin; i < min(begin+batch, n); i++ {
				rows = append(rows, "("+row(i)+")")
			}
			out = append(out, "INSERT INTO "+into+" VALUES "+strings.Join(rows, ", "))
		}
	}
	insert("users (id, name, province, joined)", sampleUsers, func(i int) string {
		return fmt.Sprintf("%d, '%s', '%s', '%s'", i+1, sampleNames[i%len(sampleNames)], sampleProvinces[i*7%11%len(sampleProvinces)], sampleDay(2025, i*37%600))
	})
	insert("orders (user_id, id, total, placed)", sampleOrders, func(i int) string {
		return fmt.Sprintf("%d, %d, %d.%02d, '%s %02d:00:00'", i%200+1, i+1, 5+i*13%197, i*29%97, sampleDay(2026, i/5), i*5%24)
	})
	insert("order_items (user_id, order_id, line, product, quantity)", 2*sampleOrders, func(i int) string {
		order := i / 2
		return fmt.Sprintf("%d, %d, %d, '%s', %d", order%200+1, order+1, i%2+1, sampleProducts[i*5%len(sampleProducts)], i%4+1)
	})
	insert("stores (province, id, name)", 30, func(i int) string {
		province := sampleProvinces[i%len(sampleProvinces)]
		return fmt.Sprintf("'%s', %d, '%s no. %d'", province, i/len(sampleProvinces)+1, province, i/len(sampleProvinces)+1)
	})
	insert("visits (day, page, hits)", 365*len(samplePages), func(i int) string {
		return fmt.Sprintf("'%s', '%s', %d", sampleDay(2026, i/len(samplePages)), samplePages[i%len(samplePages)], 10+i*17%90)
	})
	insert("region (province, area)", len(sampleProvinces), func(i int) string {
		return fmt.Sprintf("'%s', '%s'", sampleProvinces[i], sampleAreas[i])
	})
	insert("settings (name, value)", 3, func(i int) string {
		return []string{"'currency', 'CNY'", "'language', 'zh'", "'motto', 'right or refused'"}[i]
	})
	return out
}

// sampleDay gives the n-th day of a year (0 is the first of January) as a date literal's text; n may pass the year's end.
func sampleDay(year, n int) string {
	return time.Date(year, time.January, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}
