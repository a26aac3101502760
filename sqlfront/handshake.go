package sqlfront

import (
	"ballast/rules/failure"
	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
)

// offered are the capabilities in the greeting: what is spoken, and nothing else. TLS is added where it is configured.
const offered = wire.ClientLongPassword | wire.ClientFoundRows | wire.ClientLongFlag | wire.ClientConnectWithDB | wire.ClientIgnoreSpace |
	wire.ClientProtocol41 | wire.ClientInteractive | wire.ClientTransactions | wire.ClientReserved | wire.ClientSecureConnection |
	wire.ClientMultiStatements | wire.ClientMultiResults | wire.ClientPSMultiResults | wire.ClientPluginAuth | wire.ClientConnectAttrs |
	wire.ClientPluginAuthLenenc | wire.ClientDeprecateEOF

// handshake is a client's way in, over payloads: greet gives the first packet, then step takes what the client sends.
type handshake struct {
	// What the owner sets: the greeting's facts, whether nobody can listen in, and how users are found.
	version    string
	id         uint32
	tls        bool // offered
	requireTLS bool
	secure     bool // already: a unix socket
	key        func() (*auth.Key, error)
	account    func(user string) (auth.Verifier, bool)

	scramble [wire.ScrambleSize]byte
	inTLS    bool
	started  bool
	response wire.HandshakeResponse
	login    auth.Login
}

// handshakeStep is what the owner does next, after sending what step gave.
type handshakeStep uint8

const (
	handshakeRead   handshakeStep = iota // pass the client's next payload to step
	handshakeTLS                         // go on in TLS
	handshakeDone                        // the password was right: open the session and answer OK
	handshakeDenied                      // answer 1045
	handshakeFailed                      // answer the error, close
)

// greet gives the payload of the greeting.
func (h *handshake) greet(dst []byte) ([]byte, error) {
	var err error
	if h.scramble, err = auth.NewScramble(); err != nil {
		return nil, err
	}
	g := wire.Greeting{
		Version: h.version, ConnectionID: h.id, Scramble: h.scramble, Capabilities: offered, Collation: uint8(wire.CollationUTF8MB409),
		Status: wire.StatusAutocommit, Plugin: auth.CachingSHA2,
	}
	if h.tls {
		g.Capabilities |= wire.ClientSSL
	}
	return g.Append(dst), nil
}

// step takes the client's next payload. send is a payload for the client, or nil.
func (h *handshake) step(payload []byte) (send []byte, next handshakeStep, fail *failure.Error) {
	if h.started {
		send, v := h.login.Step(payload)
		return h.verdict(send, v)
	}
	if h.tls && !h.inTLS && wire.IsSSLRequest(payload) {
		h.inTLS, h.secure = true, true
		return nil, handshakeTLS, nil
	}
	if err := h.response.Decode(payload); err != nil {
		return nil, handshakeFailed, failHandshake.Wrap(err)
	}
	h.response.Auth = append([]byte(nil), h.response.Auth...)
	switch caps := h.response.Capabilities; {
	case caps&(wire.ClientCompress|wire.ClientZstdCompression) != 0:
		return nil, handshakeFailed, failCompression.New()
	case h.requireTLS && !h.secure:
		return nil, handshakeFailed, failInsecure.New()
	}
	h.response.Capabilities &= offered | wire.ClientSSL
	h.started = true
	verifier, known := h.account(h.response.User)
	h.login = auth.Login{Verifier: verifier, Known: known, Scramble: h.scramble, Secure: h.secure, Key: h.key}
	send, v := h.login.Start(h.response.Plugin, h.response.Capabilities, h.response.Auth, false)
	return h.verdict(send, v)
}

func (h *handshake) verdict(send []byte, v auth.Verdict) ([]byte, handshakeStep, *failure.Error) {
	switch v {
	case auth.Continue:
		return send, handshakeRead, nil
	case auth.Accepted:
		return send, handshakeDone, nil
	case auth.Denied:
		return nil, handshakeDenied, nil
	case auth.Unsupported:
		return nil, handshakeFailed, failOldClient.New()
	default:
		return nil, handshakeFailed, failHandshake.New()
	}
}
