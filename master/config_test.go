package master

import (
	"strings"
	"testing"
	"time"
)

func TestConfigFaultsAreNamedAtOnce(t *testing.T) {
	c := Config{Listen: "0.0.0.0:7800", Development: true, Advertise: "nonsense", LeaseStill: time.Millisecond, TLS: TLSConfig{CertFile: "x"}}
	err := c.Validate()
	for _, want := range []string{"meta", "key_file", "development", "belong together", "advertise", "lease_still", "account_pool", "ack_wait"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not named in %v", want, err)
		}
	}
	c = Default()
	c.Meta, c.KeyFile = "root@tcp(127.0.0.1:3310)/", "key"
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "nothing lets callers in") {
		t.Errorf("no credential: %v", err)
	}
	c.Development = true
	if err := c.Validate(); err != nil {
		t.Errorf("a development master on loopback: %v", err)
	}
	c.Development, c.TokenFile, c.Listen = false, "token", "10.0.0.1:7800"
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "tls.cert_file") {
		t.Errorf("no TLS on the network: %v", err)
	}
}

func TestPublisher(t *testing.T) {
	p := newPublisher(3, nil)
	frames, _ := p.since(0)
	if len(frames) != 1 || frames[0].Sequence != 1 || frames[0].Epoch != 3 {
		t.Errorf("a new stream gets %+v", frames)
	}
	_, changed := p.since(1)
	for range 3 {
		p.publish(nil, nil)
	}
	select {
	case <-changed:
	default:
		t.Error("waiting streams are not woken")
	}
	if frames, _ = p.since(2); len(frames) != 2 || frames[0].Sequence != 3 || frames[1].Sequence != 4 {
		t.Errorf("behind 2 come %+v", frames)
	}
	if frames, _ = p.since(4); len(frames) != 0 {
		t.Errorf("nothing new, but %+v", frames)
	}
	for range kept + 10 {
		p.publish(nil, nil)
	}
	if frames, _ = p.since(4); len(frames) != 1 || frames[0].Sequence != 14+kept || frames[0].Delta != nil {
		t.Errorf("a stream that fell behind gets %d frames", len(frames))
	}
	if frames, _ = p.since(999999); len(frames) != 1 {
		t.Errorf("a position from elsewhere gets %d frames", len(frames))
	}
}
