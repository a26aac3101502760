package loops

import (
	"fmt"
	"testing"

	"ballast/sqlfront/wire"
)

// integer is a parameter of type t with the lowest bytes of v.
func integer(t wire.Type, unsigned bool, v uint64) wire.Param {
	size := map[wire.Type]int{wire.TypeTiny: 1, wire.TypeShort: 2, wire.TypeLong: 4, wire.TypeInt24: 4, wire.TypeLongLong: 8, wire.TypeYear: 2, wire.TypeFloat: 4, wire.TypeDouble: 8}[t]
	value := make([]byte, 8)
	for i := range value {
		value[i] = byte(v >> (8 * i))
	}
	return wire.Param{Type: t, Unsigned: unsigned, Value: value[:size]}
}

func text(t wire.Type, s string) wire.Param { return wire.Param{Type: t, Value: []byte(s)} }

var null = wire.Param{Type: wire.TypeNull, Null: true}

func TestPreparedParameters(t *testing.T) {
	both(t, func(s side) []string {
		table := "CREATE TABLE p (id INT NOT NULL PRIMARY KEY, i BIGINT, u BIGINT UNSIGNED, d DOUBLE, n DECIMAL(20, 5), c VARCHAR(100), b BLOB, at DATETIME(6), day DATE, tm TIME(6), y YEAR)" + s.split("(id) MOD 2")
		notes, c := s.fresh("lprep", []string{table}, "a")
		a := c[0]
		insert := a.prepare("INSERT INTO p VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
		find := a.prepare("SELECT * FROM p WHERE id = ?")
		update := a.prepare("UPDATE p SET c = ?, i = ? WHERE id = ?")
		remove := a.prepare("DELETE FROM p WHERE id = ?")
		id := func(n int) wire.Param { return integer(wire.TypeLong, false, uint64(n)) }
		full := []wire.Param{
			integer(wire.TypeLongLong, false, 1<<63), integer(wire.TypeLongLong, true, 1<<64-1), integer(wire.TypeDouble, false, 0x400921fb54442d18),
			text(wire.TypeNewDecimal, "12345.67890"), text(wire.TypeVarString, "it's \\ \"ü\""), text(wire.TypeBlob, "\x00\xff\x01'"),
			{Type: wire.TypeDatetime, Value: []byte{0xe8, 7, 2, 29, 23, 59, 58, 0x40, 0xe2, 1, 0}}, {Type: wire.TypeDate, Value: []byte{0xe8, 7, 12, 31}},
			{Type: wire.TypeTime, Value: []byte{1, 1, 0, 0, 0, 2, 3, 4, 0x40, 0xe2, 1, 0}}, integer(wire.TypeShort, false, 1999),
		}
		for round := range 3 {
			for i := range 6 {
				params := append([]wire.Param{id(i)}, full...)
				switch i {
				case 1, 2: // NULLs here and there
					for j := i; j < len(params); j += 2 {
						params[j] = null
					}
				case 3: // everything as strings
					for j, v := range []string{"3", "-5", "5", "1.5", "2.25", "c", "b", "2020-02-02 02:02:02", "2020-02-02", "-10:11:12", "2020"} {
						params[j] = text(wire.TypeVarString, v)
					}
				case 4: // small integers
					params[1], params[2] = integer(wire.TypeTiny, false, 0xff), integer(wire.TypeShort, true, 0xffff)
				}
				a.execute(insert, "insert", params...)
				a.execute(find, "find", id(i))
				a.execute(find, "find by a string", text(wire.TypeVarString, fmt.Sprint(i)))
				a.execute(find, "find by a double", integer(wire.TypeDouble, false, []uint64{0, 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000, 0x4010000000000000, 0x4014000000000000}[i]))
				a.execute(update, "update", text(wire.TypeVarString, fmt.Sprint("round ", round)), null, id(i))
				a.do(fmt.Sprintf("SELECT id, c, i FROM p WHERE id = %d", i)) // text between them
				a.execute(find, "find again", id(i))
				a.execute(insert, "a duplicate", append([]wire.Param{id(i)}, full...)...)
				a.do("SHOW WARNINGS")
			}
			a.execute(find, "find NULL", null)
			a.execute(find, "find nothing", id(1000))
			for i := range 6 {
				a.execute(remove, "delete", id(i))
				a.execute(remove, "delete again", id(i))
			}
		}
		return notes.all
	})
}

// Prepared and plain statements of one transaction.
func TestPreparedInTransactions(t *testing.T) {
	both(t, func(s side) []string {
		notes, c := s.fresh("lpt", s.accounts(), "a", "b")
		a, b := c[0], c[1]
		up, see := a.prepare("UPDATE t SET v = v + ? WHERE g = ? AND id = ?"), a.prepare("SELECT v FROM t WHERE g = ? AND id = ?")
		n := func(v int) wire.Param { return integer(wire.TypeLong, false, uint64(v)) }
		for i := range 4 {
			a.do("BEGIN")
			a.execute(up, "update", n(1), n(1), n(1))
			a.execute(see, "select", n(1), n(1))
			b.do("SELECT v FROM t WHERE g = 1 AND id = 1")
			a.do("SELECT v FROM t WHERE g = 1 AND id = 1", []string{"COMMIT", "ROLLBACK"}[i%2])
			a.execute(see, "select after", n(1), n(1))
			a.execute(see, "select elsewhere", n(2), n(2))
		}
		// A table that changes under its statements.
		b.must("ALTER TABLE t ADD COLUMN extra INT DEFAULT 5")
		a.execute(see, "after ALTER", n(1), n(1))
		a.execute(up, "after ALTER", n(1), n(1), n(1))
		a.execute(see, "after ALTER", n(1), n(1))
		return notes.all
	})
}
