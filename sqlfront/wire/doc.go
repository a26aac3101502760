// Package wire is the MySQL client/server protocol as bytes: every message that a server or a client of protocol 4.1 sends, both ways.
//
// Nothing here reads or writes a socket, looks at a clock or logs. A message is a struct with
//
//	func (m *T) Append(dst []byte) []byte // the payload, without a packet header
//	func (m *T) Decode(body []byte) error // never panics, whatever the bytes; errors.Is(err, ErrMalformed)
//
// where Decode(Append(m)) gives m again. Strings of decoded messages are copies; byte slices point into the body. Payloads travel in packets:
// a 3-byte length, a sequence number, at most 16 MiB − 1 of payload, longer payloads in several packets. AppendPacket, BeginPacket and
// EndPacket write them into one buffer; Inbox cuts received bytes into payloads and joins the long ones.
//
// Three tools save work on the hot path. Tracker follows a server's answer without decoding rows, so that it can be relayed as it comes.
// ScanTextRow and ScanBinaryRow say where the values of a row are, without allocating. StmtExecute keeps a statement's parameter types
// and long data between executions.
package wire
