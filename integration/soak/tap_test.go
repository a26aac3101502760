//go:build linux

package soak

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"

	"ballast/integration/cluster"
)

// tap is a client's socket that can be mistreated.
type tap struct {
	*net.TCPConn
	// sip bounds what one read takes; 0 takes what there is. After each sip the reader rests.
	sip  int
	rest time.Duration
	// half makes the next write send only its first half, and breaks the connection after it.
	half atomic.Bool
}

func (t *tap) Read(b []byte) (int, error) {
	if t.sip > 0 {
		if len(b) > t.sip {
			b = b[:t.sip]
		}
		<-time.After(t.rest)
	}
	return t.TCPConn.Read(b)
}

func (t *tap) Write(b []byte) (int, error) {
	if !t.half.Swap(false) {
		return t.TCPConn.Write(b)
	}
	n, err := t.TCPConn.Write(b[:len(b)/2])
	return n, errors.Join(err, t.Close(), errTorn)
}

var errTorn = errors.New("torn on purpose")

// vanish breaks the connection: abruptly, so that the router reads a reset, or in good order, in turns.
func (t *tap) vanish(abruptly bool) error {
	if abruptly {
		if err := t.SetLinger(0); err != nil {
			return err
		}
	}
	return t.Close()
}

// visitor is one client connection.
type visitor struct {
	db   *sql.DB
	conn *sql.Conn
	tap  *tap
}

// visit connects; sip and rest as in tap.
func visit(ctx context.Context, b *cluster.Ballast, sip int, rest time.Duration) (*visitor, error) {
	v := &visitor{}
	cfg := b.DriverConfig(0)
	cfg.DBName, cfg.InterpolateParams = schema, false
	cfg.MaxAllowedPacket = 64 << 20
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		v.tap = &tap{TCPConn: c.(*net.TCPConn)} //nolint:forcetypeassert // the network is tcp
		return v.tap, nil
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	v.db = sql.OpenDB(connector)
	if v.conn, err = v.db.Conn(ctx); err != nil {
		return nil, errors.Join(err, v.db.Close())
	}
	v.tap.sip, v.tap.rest = sip, rest
	return v, nil
}

// leave closes what is open; a connection that has vanished has nothing to say.
func (v *visitor) leave() error {
	quiet(v.conn.Close())
	return v.db.Close()
}

// quiet takes the error of closing what may be broken already.
func quiet(error) {}
