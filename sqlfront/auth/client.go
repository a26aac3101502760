package auth

import (
	"crypto/rsa"
	"errors"
	"fmt"

	"ballast/sqlfront/wire"
)

// Action is what the owner of a Client's connection does next.
type Action uint8

// The actions. Each begins with sending the payload that Step gave, if it is not nil.
const (
	// Read: pass the server's next payload to Step.
	Read Action = iota
	// StartTLS: shake hands in TLS on the connection, then call Secured.
	StartTLS
	// Ready: the server accepted; commands may be sent.
	Ready
)

// ClientConfig is what a Client logs in with.
type ClientConfig struct {
	User, Password, DB string
	// Capabilities are those wanted beside what every login needs; the server's answer may leave some out.
	Capabilities wire.Capability
	Collation    uint8
	MaxPacket    uint32
	// Attributes are sent as connection attributes; may be nil.
	Attributes map[string]string
	// TLS asks for TLS; a server without it is then refused.
	TLS bool
	// Secure is true on a connection that nobody can listen to (a unix socket): the password may then be sent in clear.
	Secure bool
	// ServerKey, if known, encrypts the password outside TLS. AskKey allows to ask the server for it, which trusts whoever answers.
	ServerKey *rsa.PublicKey
	AskKey    bool
}

// Client logs in to a server: pass each payload that the server sends to Step until it says Ready. Payloads that it gives are sent with the
// sequence number after the one just received (wire.Inbox counts it).
type Client struct {
	cfg      ClientConfig
	state    clientState
	greeting wire.Greeting
	caps     wire.Capability
	plugin   string
	scramble []byte
	ok       wire.OK
}

type clientState uint8

const (
	clientGreeting clientState = iota
	clientTLS
	clientAuth
	clientKey
	clientOver
)

// ErrNoTLS is returned when TLS is wanted and the server does not offer it.
var ErrNoTLS = errors.New("the server does not offer TLS")

// ErrPasswordExposed is returned when the server wants the password itself on a connection that may be listened to.
var ErrPasswordExposed = errors.New("the server wants the password itself, and the connection is not encrypted")

// neededCapabilities go with every login.
const neededCapabilities = wire.ClientProtocol41 | wire.ClientSecureConnection | wire.ClientPluginAuth | wire.ClientTransactions |
	wire.ClientLongFlag | wire.ClientPluginAuthLenenc

// NewClient makes a Client that waits for the greeting.
func NewClient(cfg ClientConfig) *Client { return &Client{cfg: cfg} }

// Greeting is what the server said first.
func (c *Client) Greeting() *wire.Greeting { return &c.greeting }

// Capabilities are those that both sides agreed on.
func (c *Client) Capabilities() wire.Capability { return c.caps }

// OK is the packet that ended the login.
func (c *Client) OK() wire.OK { return c.ok }

// Step takes the server's next payload. A refusal by the server is a *wire.ServerError.
func (c *Client) Step(payload []byte) (send []byte, next Action, err error) {
	if len(payload) > 0 && payload[0] == wire.ErrHeader {
		c.state = clientOver
		se := &wire.ServerError{}
		if err := se.Decode(payload); err != nil {
			return nil, Read, err
		}
		return nil, Read, se
	}
	switch c.state {
	case clientGreeting:
		return c.greet(payload)
	case clientAuth:
		return c.auth(payload)
	case clientKey:
		return c.key(payload)
	default:
		return nil, Read, errors.New("log in: payload out of turn")
	}
}

func (c *Client) greet(payload []byte) (send []byte, next Action, err error) {
	if err := c.greeting.Decode(payload); err != nil {
		return nil, Read, err
	}
	c.caps = (c.cfg.Capabilities &^ (wire.ClientSSL | wire.ClientConnectWithDB | wire.ClientConnectAttrs)) | neededCapabilities
	if c.cfg.DB != "" {
		c.caps |= wire.ClientConnectWithDB
	}
	if c.cfg.Attributes != nil {
		c.caps |= wire.ClientConnectAttrs
	}
	if c.cfg.TLS {
		c.caps |= wire.ClientSSL
	}
	// MariaDB leaves ClientLongPassword out of its greeting, but takes it.
	c.caps &= c.greeting.Capabilities | wire.ClientLongPassword
	c.scramble = c.greeting.Scramble[:]
	c.plugin = c.greeting.Plugin
	if !c.cfg.TLS {
		send, err = c.respond()
		return send, Read, err
	}
	if !c.caps.Has(wire.ClientSSL) {
		return nil, Read, ErrNoTLS
	}
	c.state = clientTLS
	m := wire.SSLRequest{Capabilities: c.caps, MaxPacket: c.cfg.MaxPacket, Collation: c.cfg.Collation}
	return m.Append(nil), StartTLS, nil
}

// Secured says that the connection is in TLS now; send is the handshake response.
func (c *Client) Secured() (send []byte, err error) {
	if c.state != clientTLS {
		return nil, errors.New("log in: no TLS was asked for")
	}
	c.cfg.Secure = true
	return c.respond()
}

// respond makes the handshake response.
func (c *Client) respond() (send []byte, err error) {
	if c.plugin != NativePassword && c.plugin != CachingSHA2 {
		c.plugin = NativePassword // the server will ask to switch
	}
	c.state = clientAuth
	m := wire.HandshakeResponse{
		Capabilities: c.caps, MaxPacket: c.cfg.MaxPacket, Collation: c.cfg.Collation, User: c.cfg.User, Auth: c.response(),
		DB: c.cfg.DB, Plugin: c.plugin, Attributes: c.cfg.Attributes,
	}
	return m.Append(nil), nil
}

func (c *Client) response() []byte {
	if c.plugin == NativePassword {
		return NativeResponse(c.cfg.Password, c.scramble)
	}
	return CachingSHA2Response(c.cfg.Password, c.scramble)
}

// auth takes what follows the handshake response.
func (c *Client) auth(payload []byte) (send []byte, next Action, err error) {
	if len(payload) == 0 {
		return nil, Read, fmt.Errorf("log in: empty packet: %w", wire.ErrMalformed)
	}
	switch payload[0] {
	case wire.OKHeader:
		c.state = clientOver
		return nil, Ready, c.ok.Decode(payload)
	case wire.AuthSwitchHeader:
		var m wire.AuthSwitch
		if err := m.Decode(payload); err != nil {
			return nil, Read, err
		}
		if m.Plugin != NativePassword && m.Plugin != CachingSHA2 {
			return nil, Read, fmt.Errorf("log in: the server wants the authentication plugin %q, which is not spoken", m.Plugin)
		}
		c.plugin, c.scramble = m.Plugin, append([]byte(nil), m.Data...)
		if send = c.response(); send == nil {
			send = []byte{}
		}
		return send, Read, nil
	case wire.AuthMoreHeader:
		if c.plugin == CachingSHA2 && len(payload) == 2 {
			return c.more(payload[1])
		}
	}
	return nil, Read, fmt.Errorf("log in: unexpected packet 0x%02x: %w", payload[0], wire.ErrMalformed)
}

// more takes a step of caching_sha2_password.
func (c *Client) more(step byte) (send []byte, next Action, err error) {
	switch {
	case step == sha2FastOK:
		return nil, Read, nil
	case step != sha2FullAuth:
		return nil, Read, fmt.Errorf("log in: unknown step %d of %s: %w", step, CachingSHA2, wire.ErrMalformed)
	case c.cfg.Secure:
		return append([]byte(c.cfg.Password), 0), Read, nil
	case c.cfg.ServerKey != nil:
		send, err = encryptPassword(c.cfg.Password, c.scramble, c.cfg.ServerKey)
		return send, Read, err
	case c.cfg.AskKey:
		c.state = clientKey
		return []byte{sha2RequestKey}, Read, nil
	default:
		return nil, Read, ErrPasswordExposed
	}
}

// key takes the server's public key.
func (c *Client) key(payload []byte) (send []byte, next Action, err error) {
	var m wire.AuthMore
	if err := m.Decode(payload); err != nil {
		return nil, Read, err
	}
	key, err := parsePublicKey(m.Data)
	if err != nil {
		return nil, Read, err
	}
	c.state = clientAuth
	send, err = encryptPassword(c.cfg.Password, c.scramble, key)
	return send, Read, err
}
