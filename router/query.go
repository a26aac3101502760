package router

import (
	"bytes"
	"context"
	"strings"
	"time"

	"ballast/router/plan"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// statement is one statement on its way through the session.
type statement struct {
	plan *plan.Plan
	args *plan.Args
	// text is what the client wrote; params are its parameters in the binary protocol, nil for a plain query.
	text   []byte
	params []wire.Param
	format wire.Format
	// named and execute are set for EXECUTE: the text that PREPARE named, and the EXECUTE for a node that takes it as it is.
	named, execute []byte
	// columns are those that the client was told when it prepared the statement; their names count, since a text with values in it would
	// get others.
	columns []wire.Column
	// more says that another result follows this one's.
	more bool
	// repeated is set once it was asked of a second node.
	repeated bool
	began    time.Time

	// warned is what a command of the session's own warns of.
	warned []warning
	// What it turned out to be, for log and metrics.
	place place
	nodes int
	rows  uint64
}

// Query runs COM_QUERY. Several statements are planned one after the other, each under what the one before has left.
func (s *Session) Query(ctx context.Context, sql []byte, r *sqlfront.Reply) error {
	if err := s.checkKilled(); err != nil {
		return err
	}
	if most := s.router.limits().MaxStatementBytes; len(sql) > most {
		return errTooLong.New(len(sql), most)
	}
	for at := 0; ; {
		next, err := s.queryAt(ctx, sql, at, r)
		if err != nil {
			s.idle()
			return err
		}
		if next < 0 {
			s.idle()
			return nil
		}
		at = next
	}
}

// queryAt runs the statement that begins at sql[at] and gives the offset of the following one, or -1.
func (s *Session) queryAt(ctx context.Context, sql []byte, at int, r *sqlfront.Reply) (next int, err error) {
	st := &s.current
	*st = statement{args: &s.args, format: wire.Text, began: time.Now()}
	s.takeSnapshot()
	if st.plan = s.router.known.find(sql[at:]); st.plan != nil {
		st.text = sql[at:]
		return -1, s.run(ctx, st, r)
	}
	st.plan, err = s.router.planner.Plan(ctx, &s.env, sql, at, &s.args)
	if err != nil {
		if number, _, _ := describe(err); number == errNumberEmpty && hasComment(sql[at:]) {
			return -1, s.answerDone(r, st) // servers answer a comment by OK, and nothing at all by an error
		}
		err = s.charsetSays(s.asServerSays(ctx, err, sql[at:]), sql[at:])
		s.noteError(err)
		return 0, err
	}
	st.text, next = s.args.Text, s.args.Next
	if next < len(sql) {
		next, err = s.following(sql, next)
		if err != nil {
			s.noteError(err)
			return 0, err
		}
		if next >= 0 && !s.multi {
			err := errOneStatement.New(clipNear(sql[next:]))
			s.noteError(err)
			return 0, err
		}
		st.more = next >= 0
	} else {
		next = -1
		s.router.known.note(st.text, st.plan)
	}
	return next, s.run(ctx, st, r)
}

// following finds the next statement that is not empty; -1 is none.
func (s *Session) following(sql []byte, at int) (int, error) {
	for i := at; ; i++ {
		if i == len(sql) {
			return -1, nil
		}
		if c := sql[i]; c != ' ' && c != '\n' && c != '\r' && c != '\t' && c != ';' && c != 0 {
			at = i
			break
		}
	}
	// Every versioned comment counts as code here: only whether there is anything matters.
	rest, err := plan.SplitStatements(sql[at:], plan.LexOptions{Flags: s.env.Flags, Server: 999999})
	if err != nil {
		return 0, err
	}
	if len(rest) == 0 {
		return -1, nil
	}
	return at, nil
}

// hasComment says whether a text without a statement holds anything.
func hasComment(text []byte) bool {
	return len(bytes.Trim(text, " \t\r\n;\x00")) > 0
}

// clipNear is the piece of text that a syntax error shows.
func clipNear(text []byte) string {
	const most = 80
	if len(text) > most {
		text = text[:most]
	}
	return string(text)
}

// run carries out a planned statement, counts it, and keeps what the session functions will tell of it.
func (s *Session) run(ctx context.Context, st *statement, r *sqlfront.Reply) error {
	s.busy(st)
	s.router.statements.Add(1)
	r.More(st.more)
	err := s.carryOut(ctx, st, r)
	return s.observed(ctx, st, err, time.Now())
}

// observed counts a statement that has ended at that time, and keeps its error.
func (s *Session) observed(ctx context.Context, st *statement, err error, ended time.Time) error {
	if err != nil && !isFatal(err) {
		s.noteError(err)
	}
	s.ended = ended
	took := s.ended.Sub(st.began)
	s.router.metrics.observe(st.plan.Verb, st.place, took, err != nil)
	lim := s.router.limits()
	if lim.SlowStatement > 0 && took >= lim.SlowStatement {
		s.router.metrics.slow.Inc()
		s.router.digests.slow(ctx, digestText(st.plan), took, st.place, st.nodes, st.rows, err != nil)
	}
	if lim.LogScatter && st.place == placeScatter {
		s.router.digests.scattered(ctx, digestText(st.plan), took, st.nodes, st.rows)
	}
	return err
}

// carryOut checks rights and goes to what the verb asks for.
func (s *Session) carryOut(ctx context.Context, st *statement, r *sqlfront.Reply) error {
	if err := s.checkRights(st.plan.Accesses); err != nil {
		return err
	}
	switch st.plan.Verb {
	case plan.Select, plan.Do, plan.Insert, plan.Replace, plan.Update, plan.Delete:
		return s.onNodes(ctx, st, r)
	default:
		return s.command(ctx, st, r)
	}
}

// onNodes binds a statement about rows and runs it where they are. When the rules change between planning and binding it is planned again.
func (s *Session) onNodes(ctx context.Context, st *statement, r *sqlfront.Reply) error {
	err := st.plan.Bind(ctx, &s.env, st.args, s.router.sequences, &s.bound)
	if err != nil {
		return err
	}
	if s.bound.Single != nil && s.bound.Single.AnyNode {
		text, err := s.catalogText(ctx, st)
		if err != nil {
			return err
		}
		if text != nil {
			st.text, st.execute = text, nil
			s.bound.Single.Verbatim, s.bound.Single.SQL = true, nil
		}
	}
	switch b := &s.bound; {
	case b.Single != nil:
		st.place, st.nodes = placeSingle, 1
		return s.runSingle(ctx, st, b.Single, r)
	case b.Root != nil:
		st.place = placeScatter
		return s.runTree(ctx, st, b.Root, r)
	case b.Writes != nil:
		st.place, st.nodes = placeWrites, len(b.Writes.Parts)
		return s.runWrites(ctx, st, b.Writes, r)
	default:
		return errUnsupported.New(st.plan.Norm)
	}
}

// busy and idle keep what SHOW PROCESSLIST tells.
func (s *Session) busy(st *statement) {
	s.since.Store(st.began.UnixNano())
	s.running.Store(st.plan)
}

// keptStatement is the length of a statement from which a session does not keep the buffers that it was read with.
const keptStatement = 16 << 10

// smallStatement is the length of a statement that needs no more than the smallest buffers.
const smallStatement = 1 << 10

func (s *Session) idle() {
	if len(s.current.text) > keptStatement {
		s.args = plan.Args{}
	} else if len(s.current.text) < smallStatement {
		s.args.Trim() // what a larger statement before it needed
	}
	s.current = statement{}
	s.bound.Reset()
	if !s.ended.IsZero() {
		s.since.Store(s.ended.UnixNano())
		s.ended = time.Time{}
	} else {
		s.since.Store(time.Now().UnixNano())
	}
	s.running.Store(nil)
}

// charsetSays names the character set when SET NAMES asks for one that Ballast's parser does not know.
func (s *Session) charsetSays(err error, sql []byte) error {
	if !plan.Unread(err) {
		return err
	}
	words := strings.Fields(strings.NewReplacer("'", " ", `"`, " ", "=", " ", ";", " ").Replace(string(sql[:min(len(sql), 256)])))
	switch {
	case len(words) > 2 && strings.EqualFold(words[0], "SET") && strings.EqualFold(words[1], "NAMES"):
		return errCharset.New(words[2])
	case len(words) > 3 && strings.EqualFold(words[0], "SET") && strings.EqualFold(words[1], "CHARACTER") && strings.EqualFold(words[2], "SET"):
		return errCharset.New(words[3])
	default:
		return err
	}
}
