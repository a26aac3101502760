package sqlfront

import "sync"

// bufferPool holds the read and write buffers that no connection needs now. An idle connection has none.
type bufferPool struct {
	pool sync.Pool
}

func (p *bufferPool) take() []byte {
	if b, ok := p.pool.Get().(*[replyBuffer]byte); ok {
		return b[:0]
	}
	return make([]byte, 0, replyBuffer)
}

// give takes back a buffer of take; one that has grown, and nil, are left to the collector.
func (p *bufferPool) give(b []byte) {
	if cap(b) == replyBuffer {
		p.pool.Put((*[replyBuffer]byte)(b[:replyBuffer]))
	}
}
