package plan

import (
	"strings"
	"testing"
)

func lexed(t *testing.T, sql string, opt LexOptions) *Lexer {
	t.Helper()
	l := &Lexer{}
	if err := l.Lex([]byte(sql), 0, opt); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return l
}

func TestLexNorm(t *testing.T) {
	mysql := LexOptions{Server: 90704}
	maria := LexOptions{Server: 101106, MariaDB: true}
	for _, c := range []struct {
		sql, norm, lits string
		opt             LexOptions
	}{
		{"SELECT v  FROM t WHERE id = 5", "SELECT v FROM t WHERE id = ?", "5", mysql},
		{"select 'it''s', \"x\\\"y\", x'4A', 0x4a, b'10', 0b1, N'q', _utf8mb4'z', _latin1 x'41'", "select ?, ?, ?, ?, ?, ?, ?, ?, ?",
			`'it''s'|"x\"y"|x'4A'|0x4a|b'10'|0b1|N'q'|_utf8mb4'z'|_latin1 x'41'`, mysql},
		{`select "a" from t`, `select "a" from t`, "", LexOptions{Flags: ANSIQuotes}},
		{`select 'a\' from t`, `select ? from t`, `'a\'`, LexOptions{Flags: NoBackslashEscapes}},
		{"select 1, 1.5, .5, 1e5, 1.5e-3, 1e, 2x from t1", "select ?, ?, ?, ?, ?, 1e, 2x from t1", "1|1.5|.5|1e5|1.5e-3", mysql},
		{"select a-1, a -- c\n-1", "select a-?, a -?", "1|1", mysql},
		{"select a--1", "select a--?", "1", mysql},
		{"select a # x ' \n from t", "select a from t", "", mysql},
		{"/* c1 */ SELECT /* c2; ' */ v FROM ks -- tail\nWHERE k = 'u' # end\n", "SELECT v FROM ks WHERE k = ?", "'u'", mysql},
		{"select /*+ MAX_EXECUTION_TIME(1000) */ 1", "select /*+ MAX_EXECUTION_TIME(1000) */ ?", "1", mysql},
		{"select /*!40101 1 + */ 2 /*!999999 + 3 */", "select ? + ?", "1|2", mysql},
		{"select /*!50701 1 + */ 2", "select ?", "2", maria},
		{"select /*!100100 1 + */ 2 /*M!100100 + 3*/", "select ? + ? + ?", "1|2|3", maria},
		{"select /*! 1 + */ 2 /*M! + 3*/", "select ? + ?", "1|2", mysql},
		{"select DATE '2024-01-05', time'10:00', TIMESTAMP \"2024-01-05 10:00:00\", date(a), t.date", "select ?, ?, ?, date(a), t.date",
			"DATE '2024-01-05'|time'10:00'|TIMESTAMP \"2024-01-05 10:00:00\"", mysql},
		{"select g, 3 from t group by 1, f(2) order by 2 desc, 1 limit 3, 4", "select g, ? from t group by 1, f(?) order by 2 desc, 1 limit ?, ?", "3|2|3|4", mysql},
		{"select c->'$.a', c->>'$.b', 'x' like 'y' escape '|'", "select c->'$.a', c->>'$.b', ? like ? escape '|'", "'x'|'y'", mysql},
		{"select cast(a as char(10)), cast(5 as decimal(10,2)), char(65)", "select cast(a as char(10)), cast(? as decimal(10,2)), char(?)", "5|65", mysql},
		{"select @a, @`b c`, @'d', @@session.x, @@y, 'a'@'b'", "select @a, @`b c`, @'d', @@session.x, @@y, ?@'b'", "'a'", mysql},
		{"insert into t values (1,'a')", "insert into t values (?,?)", "1|'a'", mysql},
		{"insert into t values (1,'a'), (-2,NULL),(DEFAULT,true) , (- 4.5 , null)", "insert into t values (?,?), (?,?),(?,?) , (? , ?)",
			"1|'a'|-2|NULL|DEFAULT|true|- 4.5|null", mysql},
		{"insert into t values (1,'a'), (-2,NULL),(DEFAULT,true) on duplicate key update v = 5, w = null", "insert into t values (?,?) on duplicate key update v = ?, w = null",
			"1|'a'|-2|NULL|DEFAULT|true|5", mysql},
		{"insert into t(a) values (now()),(now()),(1)", "insert into t(a) values (now()),(now()),(?)", "1", mysql},
		{"insert into t(a) values (1+2),(3+4)", "insert into t(a) values (?+?)", "1|2|3|4", mysql},
		{"insert into t values (1),(2,3)", "insert into t values (?),(?,?)", "1|2|3", mysql},
		{"set autocommit = 1", "set autocommit = 1", "", mysql},
		{"create table t (a char(10) default 'x')", "create table t (a char(10) default 'x')", "", mysql},
		{"select x.1a, `1`.2, a.`b` from `t``x`", "select x.1a, `1`.2, a.`b` from `t``x`", "", mysql},
		{"(select 1) union (select 2) order by 1", "(select ?) union (select ?) order by 1", "1|2", mysql},
	} {
		l := lexed(t, c.sql, c.opt)
		var lits []string
		for i := range l.lits {
			lits = append(lits, string(l.lits[i].Raw))
		}
		if got := string(l.Norm()); got != c.norm {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.norm)
		}
		if got := strings.Join(lits, "|"); got != c.lits {
			t.Errorf("%s\n got literals %s\nwant %s", c.sql, got, c.lits)
		}
	}
}

func TestLexUnterminated(t *testing.T) {
	for _, sql := range []string{"select 'a", "select `a", "select /* a", "select \"a\\\"", "select /*!40000 1", "select @'a", "select x'4"} {
		var l Lexer
		if err := l.Lex([]byte(sql), 0, LexOptions{Server: 90704}); err == nil {
			t.Errorf("%s: no error", sql)
		}
	}
}

func TestSplitStatements(t *testing.T) {
	got, err := SplitStatements([]byte("select 1; select ';' ; /* ; */ ;; select `;` # ;\n;"), LexOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, s := range got {
		texts = append(texts, strings.TrimSpace(string(s)))
	}
	if s := strings.Join(texts, "|"); s != "select 1|select ';'|select `;` # ;" {
		t.Errorf("got %s", s)
	}
}

func TestFoldedRows(t *testing.T) {
	l := lexed(t, "insert into t(a,b) values (1,2),(3,4),(5,6) on duplicate key update b = 7", LexOptions{})
	a := Args{lex: *l}
	a.fromLexer()
	if a.rows != 3 || a.stride != 2 || a.row0 != 0 {
		t.Fatalf("rows %d stride %d row0 %d", a.rows, a.stride, a.row0)
	}
	if got := string(a.slot(2).Raw); got != "7" {
		t.Errorf("slot behind the rows is %s", got)
	}
	if got := string(a.rowSlot(1, 2).Raw); got != "6" {
		t.Errorf("second slot of the third row is %s", got)
	}
	one := lexed(t, "insert into t(a,b) values (1,2) on duplicate key update b = 7", LexOptions{})
	if one.Digest() != l.Digest() {
		t.Error("one row and three have different digests")
	}
}

func FuzzLex(f *testing.F) {
	for _, s := range []string{"select 'a' from t where id in (1,2,0x1f,-5) /*! x */", "insert into t values (1,null),(2,'x')", "-- \n#\n/*+ */ @`x` b'1' .5 1e5 _utf8'x' date'2000-01-01'", "select ' \\' \" ` ("} {
		f.Add(s, uint8(0), true)
	}
	f.Fuzz(func(t *testing.T, s string, flags uint8, maria bool) {
		opt := LexOptions{Flags: Flags(flags), Server: 90704, MariaDB: maria}
		var l Lexer
		if err := l.Lex([]byte(s), 0, opt); err != nil {
			return
		}
		at := 0
		for i := range l.lits {
			off := cap(l.src) - cap(l.lits[i].Raw)
			if off < at || len(l.lits[i].Raw) == 0 {
				t.Fatalf("literal %d at %d begins before %d", i, off, at)
			}
			at = off + len(l.lits[i].Raw)
			l.lits[i].Bytes(nil)
			l.lits[i].Introducer()
		}
		if at > l.end || l.end > len(s) || l.next < l.end {
			t.Fatalf("end %d, last literal ends at %d, text %d", l.end, at, len(s))
		}
		// other literals and more space in place of the same ones keep the digest
		if l.sawExec || l.rows > 1 || strings.Contains(s, "/*") {
			return
		}
		var b strings.Builder
		from := 0
		for i := range l.lits {
			off := cap(l.src) - cap(l.lits[i].Raw)
			b.WriteString(s[from:off])
			switch l.lits[i].Kind {
			case LitString:
				if l.lits[i].body > 0 {
					b.Write(l.lits[i].Raw)
				} else {
					b.WriteString("'other'")
				}
			default:
				b.Write(l.lits[i].Raw)
			}
			from = off + len(l.lits[i].Raw)
		}
		b.WriteString(s[from:])
		var l2 Lexer
		if err := l2.Lex([]byte(b.String()), 0, opt); err != nil {
			t.Fatalf("%q: %v", b.String(), err)
		}
		if l2.Digest() != l.Digest() {
			t.Fatalf("%q has not the digest of %q: %q %q", b.String(), s, l2.norm, l.norm)
		}
	})
}

func BenchmarkLexPointSelect(b *testing.B) {
	sql := []byte("SELECT c FROM sbtest1 WHERE id=5013452")
	var l Lexer
	b.ReportAllocs()
	for b.Loop() {
		l.Reset()
		if err := l.Lex(sql, 0, LexOptions{}); err != nil {
			b.Fatal(err)
		}
		if l.Digest() == (Digest{}) {
			b.Fatal("no digest")
		}
	}
}

func BenchmarkLexTypical(b *testing.B) {
	sql := []byte("SELECT o.id, o.total, i.sku, i.qty FROM orders o JOIN order_items i ON i.order_id = o.id AND i.user_id = o.user_id WHERE o.user_id = 1234567 AND o.created > '2024-01-05 10:00:00' AND o.state IN (1,2,3) ORDER BY o.created DESC LIMIT 20")
	var l Lexer
	b.ReportAllocs()
	for b.Loop() {
		l.Reset()
		if err := l.Lex(sql, 0, LexOptions{}); err != nil {
			b.Fatal(err)
		}
		if l.Digest() == (Digest{}) {
			b.Fatal("no digest")
		}
	}
}
