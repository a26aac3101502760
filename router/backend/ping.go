package backend

import (
	"time"

	"ballast/sqlfront/wire"
)

// pingSlice is how often a ping that waits for its answer looks whether other statements of the node get theirs.
const pingSlice = 250 * time.Millisecond

// ping asks for a sign of life. It fails with errNoAnswer once the node has sent nothing, to nobody, for the given time.
func (k *Conn) ping(limit time.Duration) error {
	k.out, _ = wire.AppendPacket(k.out[:0], 0, []byte{byte(wire.ComPing)})
	if err := k.link.deadline(time.Now().Add(pingSlice)); err != nil {
		return err
	}
	heard, since := k.node.heard.Load(), time.Now()
	buf, n, err := k.link.exchange(k.out)
	for isTimeout(err) {
		if now := k.node.heard.Load(); now != heard {
			heard, since = now, time.Now()
		}
		if time.Since(since) >= limit {
			return errNoAnswer
		}
		if err := k.link.deadline(time.Now().Add(pingSlice)); err != nil {
			return err
		}
		buf = k.link.pool.get()
		if n, err = k.link.read(*buf); err != nil {
			k.link.pool.put(buf)
		}
	}
	if err != nil {
		return err
	}
	defer k.link.pool.put(buf)
	if n <= wire.HeaderSize || (*buf)[wire.HeaderSize] != wire.OKHeader {
		return wire.ErrMalformed
	}
	return nil
}
