package routertest

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"ballast/sqlfront/wire"
)

// errCut ends a session whose handler has cut the line.
var errCut = errors.New("cut by the handler")

// session is one connection to a fake node.
type session struct {
	node   *Node
	conn   net.Conn
	id     uint32
	in     wire.Inbox
	caps   wire.Capability
	db     string
	status wire.Status
	stmts  map[uint32]string
	last   uint32
}

// offered are a fake node's capabilities: what a server has, without TLS.
const offered = wire.ClientLongPassword | wire.ClientFoundRows | wire.ClientLongFlag | wire.ClientConnectWithDB | wire.ClientProtocol41 |
	wire.ClientTransactions | wire.ClientSecureConnection | wire.ClientMultiResults | wire.ClientPSMultiResults | wire.ClientPluginAuth |
	wire.ClientConnectAttrs | wire.ClientPluginAuthLenenc | wire.ClientDeprecateEOF

// serve lets the client in, whatever its password, and answers its commands.
func (s *session) serve() error {
	s.status = wire.StatusAutocommit
	hello := wire.Greeting{
		Version: s.node.Version, ConnectionID: s.id, Capabilities: offered, Collation: 45, Status: s.status, Plugin: "mysql_native_password",
	}
	for i := range hello.Scramble {
		hello.Scramble[i] = byte('a' + i)
	}
	if err := s.send(0, hello.Append(nil)); err != nil {
		return err
	}
	s.in.Seq = 1
	payload, err := s.receive()
	if err != nil {
		return err
	}
	var resp wire.HandshakeResponse
	if err := resp.Decode(payload); err != nil {
		return err
	}
	s.caps, s.db = resp.Capabilities, resp.DB
	if err := s.send(2, (&wire.OK{Status: s.status}).Append(nil)); err != nil {
		return err
	}
	for {
		s.in.Seq = 0
		payload, err := s.receive()
		if err != nil {
			return err
		}
		if err := s.command(payload); err != nil {
			return err
		}
	}
}

func (s *session) command(payload []byte) error {
	body := string(payload[1:])
	q := &Query{s: s, SQL: body, DB: s.db, Connection: s.id, seq: s.in.Seq}
	switch cmd := wire.Command(payload[0]); cmd {
	case wire.ComQuery:
		s.node.note(body)
		if strings.HasPrefix(body, "SET ") {
			q.OK(wire.OK{})
			break
		}
		s.node.handler(q)
	case wire.ComInitDB:
		s.node.note("USE", body)
		s.db = body
		q.OK(wire.OK{})
	case wire.ComPing:
		s.node.note("PING")
		q.OK(wire.OK{})
	case wire.ComResetConnection:
		s.node.note("RESET")
		s.status, s.stmts = wire.StatusAutocommit, map[uint32]string{}
		q.OK(wire.OK{})
	case wire.ComStmtPrepare:
		s.node.note("PREPARE", body)
		return s.prepare(body)
	case wire.ComStmtExecute:
		return s.execute(q, payload[1:])
	case wire.ComStmtClose:
		var id wire.StmtID
		if err := id.Decode(payload[1:]); err != nil {
			return err
		}
		s.node.note("CLOSE", s.stmts[id.ID])
		delete(s.stmts, id.ID)
		return nil
	case wire.ComQuit:
		return errCut
	default:
		return fmt.Errorf("command %s is not known to fake nodes", cmd)
	}
	return q.err
}

// prepare answers with as many parameters as there are question marks, and no columns.
func (s *session) prepare(sql string) error {
	s.last++
	s.stmts[s.last] = sql
	head := wire.StmtPrepareOK{ID: s.last, Params: uint16(strings.Count(sql, "?"))}
	out, seq := wire.AppendPacket(nil, s.in.Seq, head.Append(nil))
	for range head.Params {
		out, seq = wire.AppendPacket(out, seq, (&wire.Column{Name: "?", Type: wire.TypeVarString}).Append(nil))
	}
	if head.Params > 0 && !s.caps.Has(wire.ClientDeprecateEOF) {
		out, _ = wire.AppendPacket(out, seq, (&wire.EOF{Status: s.status}).Append(nil))
	}
	_, err := s.conn.Write(out)
	return err
}

func (s *session) execute(q *Query, body []byte) error {
	id, err := wire.StmtExecuteID(body)
	if err != nil {
		return err
	}
	sql, ok := s.stmts[id]
	if !ok {
		q.Err(1243, "HY000", "Unknown prepared statement handler")
		return q.err
	}
	e := wire.StmtExecute{Params: make([]wire.Param, strings.Count(sql, "?"))}
	if err := e.Decode(body); err != nil {
		return err
	}
	s.node.note("EXECUTE", sql)
	q.SQL, q.Params = sql, e.Params
	s.node.handler(q)
	return q.err
}

func (s *session) send(seq uint8, payload []byte) error {
	out, _ := wire.AppendPacket(nil, seq, payload)
	_, err := s.conn.Write(out)
	return err
}

func (s *session) receive() ([]byte, error) {
	for {
		payload, ok, err := s.in.Next()
		if err != nil || ok {
			return payload, err
		}
		n, err := s.conn.Read(s.in.Space(4096))
		if n == 0 && err != nil {
			return nil, err
		}
		s.in.Filled(n)
	}
}
