//go:build linux

package soak

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// habit is what a visitor does in one turn; it returns an error only for what the router did wrong.
type habit struct {
	name string
	// crowd is how many goroutines have this habit.
	crowd int
	turn  func(ctx context.Context, s *stage, r *rand.Rand) error
}

var habits = []habit{
	{"storm", 6, storm},
	{"steady", 4, steady},
	{"torn command", 2, tornCommand},
	{"vanish in an answer", 3, vanishInAnswer},
	{"slow reader", 4, slowReader},
	{"killed query", 2, killedQuery},
	{"killed connection", 2, killedConnection},
	{"big statement", 1, bigStatement},
	{"open transaction", 3, openTransaction},
}

// with connects, does something and leaves.
func (s *stage) with(ctx context.Context, sip int, rest time.Duration, do func(v *visitor) error) error {
	v, err := visit(ctx, s.ballast, sip, rest)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return errors.Join(do(v), v.leave())
}

// storm connects, reads one row and leaves.
func storm(ctx context.Context, s *stage, r *rand.Rand) error {
	return s.with(ctx, 0, 0, func(v *visitor) error {
		id := r.IntN(knownRows)
		return readAll(ctx, v.conn, fmt.Sprintf("SELECT id, v, pad FROM known WHERE id = %d", id), id, 1, 1)
	})
}

// steady stays for a while and reads in all ways: text, prepared, one node, all nodes.
func steady(ctx context.Context, s *stage, r *rand.Rand) error {
	return s.with(ctx, 0, 0, func(v *visitor) error {
		for range 20 {
			id := r.IntN(knownRows - 100)
			if err := errors.Join(
				readAll(ctx, v.conn, fmt.Sprintf("SELECT id, v, pad FROM known WHERE id = %d", id), id, 1, 1),
				readAll(ctx, v.conn, "SELECT id, v, pad FROM known WHERE id = ?", id, 1, 1, id),
				readAll(ctx, v.conn, fmt.Sprintf("SELECT id, v, pad FROM known WHERE id >= %d ORDER BY id LIMIT 50", id), id, 1, 50),
			); err != nil {
				return err
			}
		}
		var n int
		if err := v.conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM known").Scan(&n); err != nil || n != knownRows {
			return errors.Join(err, fmt.Errorf("counted %d rows, want %d", n, knownRows))
		}
		return nil
	})
}

// tornCommand breaks the connection in the middle of a command.
func tornCommand(ctx context.Context, s *stage, r *rand.Rand) error {
	return s.with(ctx, 0, 0, func(v *visitor) error {
		v.tap.half.Store(true)
		_, err := v.conn.ExecContext(ctx, "INSERT INTO big VALUES (-1, '"+strings.Repeat("x", r.IntN(100_000))+"')")
		if err == nil {
			return errors.New("half a command was answered")
		}
		return nil
	})
}

// all is the biggest answer, in order of the nodes' merging.
const all = "SELECT id, v, pad FROM known ORDER BY id"

// vanishInAnswer breaks the connection in the middle of a big answer: of one node's rows or of all nodes' merged.
func vanishInAnswer(ctx context.Context, s *stage, r *rand.Rand) error {
	return s.with(ctx, 4096, 0, func(v *visitor) error {
		query, step := all, 1
		if r.IntN(2) == 0 {
			query, step = "SELECT id, v, pad FROM known WHERE MOD(id, 4) = 0 ORDER BY id", 4
		}
		rows, err := v.conn.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		if _, err := readKnown(rows, 0, step, 1+r.IntN(500)); err != nil {
			return err
		}
		if err := v.tap.vanish(r.IntN(2) == 0); err != nil {
			return err
		}
		quiet(rows.Close())
		return nil
	})
}

// slowReader reads a big answer more slowly than it comes.
func slowReader(ctx context.Context, s *stage, r *rand.Rand) error {
	return s.with(ctx, 4096, time.Duration(r.IntN(1500))*time.Microsecond, func(v *visitor) error {
		if err := v.tap.SetReadBuffer(64 << 10); err != nil {
			return err
		}
		return readAll(ctx, v.conn, all, 0, 1, knownRows)
	})
}

// lengthy are queries that are still running when they are killed: on a node, and on the way to a client that reads slowly, from one node and
// merged from all. The last two may have reached the client's own buffers by then.
var lengthy = []string{"SELECT SLEEP(20)", "SELECT id, v, pad FROM known WHERE id = 5 AND SLEEP(20) = 0", all, "SELECT id, v, pad FROM known"}

// kill runs a long query and lets another connection kill it.
func kill(ctx context.Context, s *stage, r *rand.Rand, how string, expected func(err error) bool) error {
	return s.with(ctx, 4096, 200*time.Microsecond, func(victim *visitor) error {
		var id int64
		if err := victim.conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
			return err
		}
		query := lengthy[r.IntN(len(lengthy))]
		ended := make(chan error, 1)
		go func() { ended <- drain(ctx, victim.conn, query) }()
		<-time.After(time.Duration(r.IntN(200)) * time.Millisecond)
		for range 20 {
			if err := s.with(ctx, 0, 0, func(v *visitor) error {
				_, err := v.conn.ExecContext(ctx, fmt.Sprintf("%s %d", how, id))
				return err
			}); err != nil && !isNumber(err, numberUnknown) {
				return err
			}
			select {
			case err := <-ended:
				var said *mysql.MySQLError
				if errors.As(err, &said) && !expected(err) {
					return fmt.Errorf("%s after %s: %w", query, how, err)
				}
				return nil
			case <-time.After(time.Second): // it had not begun, and the kill met nothing
			}
		}
		return fmt.Errorf("%s goes on after %s", query, how)
	})
}

// drain reads an answer without a look at its rows.
func drain(ctx context.Context, conn *sql.Conn, query string) error {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	for n := 0; rows.Next(); n++ {
		if n > knownRows {
			return errors.Join(errors.New("too many rows"), rows.Close())
		}
	}
	quiet(rows.Close())
	return rows.Err()
}

const (
	numberInterrupted = 1317
	numberKilled      = 1927 // MariaDB's word for it
	numberUnknown     = 1094 // the victim has gone
)

func killedQuery(ctx context.Context, s *stage, r *rand.Rand) error {
	return kill(ctx, s, r, "KILL QUERY", func(err error) bool { return isNumber(err, numberInterrupted) })
}

func killedConnection(ctx context.Context, s *stage, r *rand.Rand) error {
	return kill(ctx, s, r, "KILL", func(err error) bool { return isNumber(err, numberInterrupted) || isNumber(err, numberKilled) })
}

func isNumber(err error, number uint16) bool {
	var said *mysql.MySQLError
	return errors.As(err, &said) && said.Number == number
}

// bigStatement sends statements of megabytes and reads back what they wrote.
func bigStatement(ctx context.Context, s *stage, r *rand.Rand) error {
	return s.with(ctx, 0, 0, func(v *visitor) error {
		id, size := s.next.Add(1), 1+r.IntN(4<<20)
		body := strings.Repeat("0123456789abcdef", size/16+1)[:size]
		if _, err := v.conn.ExecContext(ctx, fmt.Sprintf("INSERT INTO big VALUES (%d, '%s')", id, body)); err != nil {
			return err
		}
		var got string
		if err := v.conn.QueryRowContext(ctx, fmt.Sprintf("SELECT body FROM big WHERE id = %d", id)).Scan(&got); err != nil {
			return err
		}
		if got != body {
			return fmt.Errorf("%d bytes were written, %d other ones read", len(body), len(got))
		}
		_, err := v.conn.ExecContext(ctx, fmt.Sprintf("DELETE FROM big WHERE id = %d", id))
		return err
	})
}

// openTransaction writes two rows in a transaction and commits, goes without a word, or breaks the connection.
func openTransaction(ctx context.Context, s *stage, r *rand.Rand) error {
	return s.with(ctx, 0, 0, func(v *visitor) error {
		first := s.next.Add(8) * 4
		second := first + 4
		tx, err := v.conn.BeginTx(ctx, &sql.TxOptions{})
		if err != nil {
			return err
		}
		defer func() { quiet(tx.Rollback()) }() // what has ended says so
		for _, pair := range [][2]int64{{first, second}, {second, first}} {
			if _, err := tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO pairs VALUES (%d, %d)", pair[0], pair[1])); err != nil {
				return err
			}
		}
		if r.IntN(2) == 0 {
			if err := tx.Commit(); err != nil {
				return err
			}
			s.commit(first)
			return nil
		}
		return v.tap.vanish(r.IntN(2) == 0)
	})
}
