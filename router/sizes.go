package router

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"golang.org/x/sync/errgroup"

	"ballast/router/engine"
	"ballast/router/plan"
	"ballast/rules/catalog"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// A table's rows and bytes are spread over nodes: what information_schema.TABLES and SHOW TABLE STATUS tell of them is added up over all nodes,
// each of which must answer. Of a global table any copy tells; of a single table its node does.

// tableSize is what the servers estimate of a table.
type tableSize struct{ rows, data, index, free uint64 }

// sizeColumns are the columns of information_schema.TABLES that are added up, or follow from those.
var sizeColumns = map[string]func(tableSize) uint64{
	"TABLE_ROWS": func(z tableSize) uint64 { return z.rows }, "DATA_LENGTH": func(z tableSize) uint64 { return z.data },
	"INDEX_LENGTH": func(z tableSize) uint64 { return z.index }, "DATA_FREE": func(z tableSize) uint64 { return z.free },
	"AVG_ROW_LENGTH": func(z tableSize) uint64 { return z.data / max(z.rows, 1) },
}

// statusColumns maps the columns of SHOW TABLE STATUS to those.
var statusColumns = map[string]string{
	"Rows": "TABLE_ROWS", "Data_length": "DATA_LENGTH", "Index_length": "INDEX_LENGTH", "Data_free": "DATA_FREE", "Avg_row_length": "AVG_ROW_LENGTH",
}

const askSizes = "SELECT HEX(TABLE_SCHEMA), HEX(TABLE_NAME), TABLE_ROWS, DATA_LENGTH, INDEX_LENGTH, DATA_FREE FROM information_schema.TABLES " +
	"WHERE TABLE_TYPE = 'BASE TABLE'"

// sizes asks all nodes at once.
func (s *Session) sizes(ctx context.Context) (map[catalog.Name]tableSize, error) {
	out := map[catalog.Name]tableSize{}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	for _, node := range s.liveNodes() {
		g.Go(func() error {
			k, err := s.acquire(ctx, node)
			if err != nil {
				return err
			}
			rows, err := textRows(ctx, k, askSizes)
			if err != nil {
				s.discard(k)
				return err
			}
			s.giveBack(k)
			mu.Lock()
			defer mu.Unlock()
			for _, row := range rows {
				name := catalog.Name{Schema: string(unhex(string(row[0]))), Table: string(unhex(string(row[1])))}
				t := s.env.Snapshot.Table(name)
				if t == nil || t.Kind == catalog.Global || t.Kind == catalog.Single && t.SingleNode != node {
					continue
				}
				z := out[t.Name]
				z.rows, z.data, z.index, z.free = z.rows+count(row[2]), z.data+count(row[3]), z.index+count(row[4]), z.free+count(row[5])
				out[t.Name] = z
			}
			return nil
		})
	}
	return out, g.Wait()
}

// count reads a number; NULL counts nothing.
func count(text []byte) uint64 {
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// asksSizes says whether a statement may show sizes of tables: it reads information_schema.TABLES, and a size column or all columns.
func asksSizes(st *statement) bool {
	for i := range st.plan.Accesses {
		a := &st.plan.Accesses[i]
		if !strings.EqualFold(a.Schema, "information_schema") || !strings.EqualFold(a.Table, "tables") {
			continue
		}
		text := strings.ToUpper(string(st.text))
		if strings.Contains(strings.ReplaceAll(text, "(*)", ""), "*") {
			return true
		}
		for c := range sizeColumns {
			if strings.Contains(text, c) {
				return true
			}
		}
	}
	return false
}

// summedColumns writes a select list of information_schema.TABLES with the sizes of all nodes in it.
func (s *Session) summedColumns(ctx context.Context) (string, error) {
	_, columns, err := s.ask(ctx, "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'information_schema' AND TABLE_NAME = 'TABLES' "+
		"ORDER BY ORDINAL_POSITION")
	if err != nil {
		return "", err
	}
	sizes, err := s.sizes(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, row := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		name := strings.ToUpper(string(row[0]))
		of, summed := sizeColumns[name]
		if !summed || len(sizes) == 0 {
			b.WriteString(quoteName(name))
			continue
		}
		b.WriteString("CASE CAST(CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) AS BINARY)")
		for t, z := range sizes {
			b.WriteString(" WHEN X'" + hexOf(t.String()) + "' THEN CAST(" + strconv.FormatUint(of(z), 10) + " AS UNSIGNED)")
		}
		b.WriteString(" ELSE " + name + " END AS " + name)
	}
	return b.String(), nil
}

func hexOf(s string) string {
	const digits = "0123456789ABCDEF"
	out := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		out = append(out, digits[s[i]>>4], digits[s[i]&15])
	}
	return string(out)
}

// showTableStatus is SHOW TABLE STATUS with the sizes of all nodes.
func (s *Session) showTableStatus(ctx context.Context, st *statement, n *ast.ShowStmt, r *sqlfront.Reply) error {
	if st.format != wire.Text {
		return errUnsupported.New("SHOW TABLE STATUS as a prepared statement")
	}
	db := n.DBName
	if db == "" {
		db = s.env.DB
	}
	schema, known := s.schemaNamed(db)
	if !known || systemSchema(schema) {
		return s.runSingle(ctx, st, &plan.Single{Verbatim: true, AnyNode: true}, r)
	}
	columns, rows, err := s.ask(ctx, string(st.text))
	if err != nil {
		return err
	}
	sizes, err := s.sizes(ctx)
	if err != nil {
		return err
	}
	v := &engine.Values{Columns: columns}
	for _, row := range rows {
		out := make([]any, len(row))
		z, summed := sizes[catalog.Name{Schema: schema, Table: string(row[0])}]
		for i, x := range row {
			if x == nil {
				continue
			}
			out[i] = x
			if of := sizeColumns[statusColumns[columns[i].Name]]; of != nil && summed {
				out[i] = of(z)
			}
		}
		v.Rows = append(v.Rows, out)
	}
	return s.runValues(ctx, st, v, r)
}
