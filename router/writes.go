package router

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ballast/router/backend"
	"ballast/router/engine"
	"ballast/router/plan"
	"ballast/sqlfront/wire"
)

// part is one node's share of a write that goes to several.
type part struct {
	query  engine.Query
	conn   *backend.Conn
	ok     wire.OK
	warned []warning
	// clock, when not "", is the @@timestamp that the part runs under, so that all nodes see the same time.
	clock string
	// state tells a commit's outcome.
	committed bool
}

// writeAll runs a write on several nodes, each in a transaction of its own, and commits only when every part has succeeded. A crash
// between two commits can still leave it done on some nodes; that is said in the error.
func (s *Session) writeAll(ctx context.Context, w *plan.Writes, inserts bool) (wire.OK, []warning, error) {
	parts := make([]*part, len(w.Parts))
	for i, q := range w.Parts {
		parts[i] = &part{query: q}
		if s.env.Clock == "" { // a session that has set its @@timestamp has it on all its connections
			parts[i].clock = w.Timestamp
		}
	}
	slices.SortStableFunc(parts, func(a, b *part) int { return a.query.Node - b.query.Node })
	err := s.runParts(ctx, parts)
	if err == nil {
		err = s.commitParts(ctx, parts)
	} else {
		s.undoParts(ctx, parts)
	}
	s.spent()
	if err != nil {
		return wire.OK{}, nil, err
	}
	ok, warned := mergeParts(parts, w.Global)
	if inserts && len(parts) > 1 && !w.Global {
		ok.Info = insertInfo(parts, w.Ignore, uint64(ok.Warnings))
	}
	if w.InsertID != 0 {
		ok.InsertID = w.InsertID
	}
	return ok, warned, nil
}

// runParts executes every part inside a transaction, one node after another, in the same order in every session: two writes that meet on
// several nodes then wait for each other on the first one only, and no server sees a deadlock that spans nodes.
func (s *Session) runParts(ctx context.Context, parts []*part) error {
	for _, p := range parts {
		if err := s.runPart(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) runPart(ctx context.Context, p *part) (err error) {
	k, err := s.acquire(ctx, p.query.Node)
	if err != nil {
		return err
	}
	p.conn = k
	if err := execAll(ctx, k, s.txn.once); err != nil {
		return err
	}
	if _, err := k.Exec(ctx, []byte("START TRANSACTION")); err != nil {
		return err
	}
	if p.clock != "" {
		if _, err := k.Exec(ctx, []byte("SET timestamp = "+p.clock)); err != nil {
			return err
		}
		defer func() {
			if _, resetErr := k.Exec(context.WithoutCancel(ctx), []byte("SET timestamp = DEFAULT")); err == nil {
				err = resetErr
			}
		}()
	}
	p.ok, err = k.Exec(ctx, p.query.SQL)
	if err != nil {
		return err
	}
	if p.ok.Warnings > 0 {
		p.warned, err = s.fetchWarnings(ctx, k)
	}
	return err
}

func (s *Session) undoParts(ctx context.Context, parts []*part) {
	ctx = context.WithoutCancel(ctx)
	for _, p := range parts {
		if p.conn == nil {
			continue
		}
		if _, err := p.conn.Exec(ctx, []byte("ROLLBACK")); err != nil {
			s.discard(p.conn) // the server rolls back when the connection ends
			continue
		}
		s.giveBack(p.conn)
	}
}

func (s *Session) commitParts(ctx context.Context, parts []*part) error {
	// From here on the client's going away must not stop half-way.
	ctx = context.WithoutCancel(ctx)
	for i, p := range parts {
		_, err := p.conn.Exec(ctx, []byte("COMMIT"))
		if err == nil {
			p.committed = true
			s.giveBack(p.conn)
			continue
		}
		s.discard(p.conn)
		if i == 0 && !broken(err) {
			s.undoParts(ctx, parts[1:])
			return err // nothing was committed anywhere
		}
		// The rest is committed all the same: it makes the write whole on all nodes but this one.
		return s.halfDone(ctx, parts, i, err)
	}
	return nil
}

func (s *Session) halfDone(ctx context.Context, parts []*part, failed int, cause error) error {
	var done, open []string
	errs := []error{cause}
	for i, p := range parts {
		if i > failed {
			if _, err := p.conn.Exec(ctx, []byte("COMMIT")); err != nil {
				errs = append(errs, err)
				s.discard(p.conn)
			} else {
				p.committed = true
				s.giveBack(p.conn)
			}
		}
		if p.committed {
			done = append(done, s.nodeName(p.query.Node))
		} else {
			open = append(open, s.nodeName(p.query.Node))
		}
	}
	if len(done) == 0 {
		done = []string{"no node for certain"}
	}
	return errHalfDone.Wrap(errors.Join(errs...), strings.Join(done, ", "), strings.Join(open, ", "))
}

// mergeParts gives the one OK that a client sees.
func mergeParts(parts []*part, global bool) (wire.OK, []warning) {
	ok := parts[0].ok
	warned := parts[0].warned
	if global {
		return ok, warned
	}
	for _, p := range parts[1:] {
		ok.Affected += p.ok.Affected
		p.forgetRepeated(warned)
		ok.Info = mergeInfo(ok.Info, p.ok.Info)
		ok.Warnings += p.ok.Warnings
		if ok.InsertID == 0 {
			ok.InsertID = p.ok.InsertID
		}
		warned = append(warned, p.warned...)
	}
	return ok, warned
}

// forgetRepeated takes the warnings about the statement's text off a part: every node gives them, and the client wrote the text once.
func (p *part) forgetRepeated(given []warning) {
	kept := p.warned[:0]
	for _, w := range p.warned {
		if !w.ofText() || !slices.Contains(given, w) {
			kept = append(kept, w)
		}
	}
	gone := len(p.warned) - len(kept)
	p.warned = kept
	p.ok.Warnings -= uint16(gone)
	if total := " Warnings: "; gone > 0 {
		if at := strings.Index(p.ok.Info, total); at >= 0 {
			at += len(total)
			p.ok.Info = p.ok.Info[:at] + strconv.Itoa(int(p.ok.Warnings))
		}
	}
}

// insertInfo words what an INSERT of several rows did. A part of one row says nothing of its own, but its affected-rows figure does: with
// IGNORE none means that the row met a duplicate and was left out, else each more than one is a row that was replaced or changed.
func insertInfo(parts []*part, ignore bool, warnings uint64) string {
	records, duplicates := uint64(0), uint64(0)
	for _, p := range parts {
		if p.ok.Info != "" {
			n := infoNumbers(p.ok.Info)
			records, duplicates = records+n[0], duplicates+n[1]
			continue
		}
		records++
		switch {
		case ignore && p.ok.Affected == 0:
			duplicates++
		case !ignore && p.ok.Affected > 1:
			duplicates += p.ok.Affected - 1
		}
	}
	return fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", records, duplicates, warnings)
}

// selectInfo is the text of an INSERT … SELECT of one row that was sent as VALUES, for which servers say nothing.
func (s *Session) selectInfo(st *statement, ok wire.OK) string {
	if !st.plan.InsertsSelect || ok.Info != "" {
		return ok.Info
	}
	return insertInfo([]*part{{ok: ok}}, ok.Affected == 0, uint64(ok.Warnings))
}

// infoNumbers reads the numbers of a text such as "Records: 3  Duplicates: 1  Warnings: 0".
func infoNumbers(text string) (n [3]uint64) {
	for i := range n {
		at := strings.IndexAny(text, "0123456789")
		if at < 0 {
			break
		}
		n[i], text = leadingNumber(text[at:])
	}
	return n
}

// mergeInfo adds the numbers of two texts such as "Rows matched: 2  Changed: 1  Warnings: 0".
func mergeInfo(a, b string) string {
	if a == "" {
		return b
	}
	var out []byte
	for len(a) > 0 {
		i := strings.IndexAny(a, "0123456789")
		if i < 0 {
			break
		}
		x, arest := leadingNumber(a[i:])
		var y uint64
		if j := strings.IndexAny(b, "0123456789"); j >= 0 {
			y, b = leadingNumber(b[j:])
		}
		out = append(out, a[:i]...)
		out = appendUint(out, x+y)
		a = arest
	}
	return string(append(out, a...))
}

func leadingNumber(s string) (v uint64, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		v = v*10 + uint64(s[i]-'0')
		i++
	}
	return v, s[i:]
}

// firstOf is the first number of such a text: the rows that were matched or given.
func firstOf(info string) uint64 {
	at := strings.IndexAny(info, "0123456789")
	if at < 0 {
		return 0
	}
	n, _ := leadingNumber(info[at:])
	return n
}
