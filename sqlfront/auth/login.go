package auth

import (
	"crypto/sha1"

	"ballast/sqlfront/wire"
)

// Verdict is where a login stands.
type Verdict uint8

// The verdicts.
const (
	// Continue: send what Step gave, and pass on the client's next payload.
	Continue Verdict = iota
	// Accepted: send what Step gave, if anything, then OK.
	Accepted
	// Denied: answer 1045.
	Denied
	// Unsupported: the client can speak neither plugin; answer 1251.
	Unsupported
	// Broken: the client does not keep to the protocol; answer 1043.
	Broken
)

// The single bytes of caching_sha2_password.
const (
	sha2RequestKey = 0x02 // client: send me the public key
	sha2FastOK     = 0x03 // server: the hash was right
	sha2FullAuth   = 0x04 // server: send the password itself
)

// maxPassword bounds a clear password and an encrypted one, in bytes.
const maxPassword = 1024

type loginState uint8

const (
	stateStart loginState = iota
	stateSwitched
	stateFull
	stateKeySent
	stateOver
)

// Login is the server's side of one password check. Its fields are set, then Start is called with what the handshake response or
// COM_CHANGE_USER carried, then Step with each further payload while the verdict is Continue.
type Login struct {
	// Verifier is the account's; of an unknown user a Dummy.
	Verifier Verifier
	// Known is false for an unknown user: then the verdict is never Accepted.
	Known bool
	// Scramble is what the client was sent.
	Scramble [wire.ScrambleSize]byte
	// Secure is true inside TLS and on a unix socket: the client may send its password in clear.
	Secure bool
	// Key gives the server's RSA key; called only when a client asks for it.
	Key func() (*Key, error)

	plugin   string
	state    loginState
	password bool
}

// UsedPassword tells whether the client offered a password, for the wording of error 1045.
func (l *Login) UsedPassword() bool { return l.password }

// Plugin is the plugin that the login ended with.
func (l *Login) Plugin() string { return l.plugin }

// Start takes the client's first answer, made for the plugin it names. send is a payload, or nil. With fresh set the client has not seen
// Scramble (COM_CHANGE_USER), so its answer is not used but asked for again.
func (l *Login) Start(plugin string, caps wire.Capability, response []byte, fresh bool) (send []byte, v Verdict) {
	if !caps.Has(wire.ClientPluginAuth) { // a client that can't be asked to switch speaks mysql_native_password
		l.plugin = NativePassword
		if fresh || len(response) != 0 && len(response) != sha1.Size {
			return nil, l.end(Unsupported)
		}
		return l.check(response)
	}
	l.plugin = l.choose(plugin)
	// An empty answer is an empty password, or comes from a client that had no scramble for its plugin: to be asked again if a password is needed.
	if plugin == l.plugin && !fresh && (len(response) > 0 || l.Known && l.Verifier.empty()) {
		return l.check(response)
	}
	l.state = stateSwitched
	m := wire.AuthSwitch{Plugin: l.plugin, Data: l.Scramble[:]}
	return m.Append(nil), Continue
}

// choose picks the plugin for a client that prefers one: its own where it is spoken here, else caching_sha2_password.
func (l *Login) choose(preferred string) string {
	if preferred == NativePassword && (len(l.Verifier.Native) > 0 || l.Verifier.empty()) {
		return NativePassword
	}
	return CachingSHA2 // without its verifier, the full exchange checks the native one
}

// Step takes the client's next payload.
func (l *Login) Step(payload []byte) (send []byte, v Verdict) {
	switch l.state {
	case stateSwitched:
		return l.check(payload)
	case stateFull:
		return l.full(payload)
	case stateKeySent:
		return nil, l.encrypted(payload)
	default:
		return nil, l.end(Broken)
	}
}

// check looks at a plugin's first answer.
func (l *Login) check(response []byte) (send []byte, v Verdict) {
	if len(response) == 0 || len(response) == 1 && response[0] == 0 {
		return nil, l.verdict(l.Verifier.empty())
	}
	l.password = true
	if l.plugin == NativePassword {
		return nil, l.verdict(l.Verifier.native(l.Scramble[:], response))
	}
	if len(l.Verifier.CachingSHA2) == 0 && !l.Verifier.empty() {
		l.state = stateFull
		m := wire.AuthMore{Data: []byte{sha2FullAuth}}
		return m.Append(nil), Continue
	}
	if v := l.verdict(l.Verifier.cachingSHA2(l.Scramble[:], response)); v != Accepted {
		return nil, v
	}
	m := wire.AuthMore{Data: []byte{sha2FastOK}}
	return m.Append(nil), Accepted
}

// full takes the password itself, or the wish for the key to encrypt it with.
func (l *Login) full(payload []byte) (send []byte, v Verdict) {
	if len(payload) > maxPassword {
		return nil, l.end(Broken)
	}
	if l.Secure {
		n := len(payload)
		if n == 0 || payload[n-1] != 0 {
			return nil, l.end(Broken)
		}
		ok := l.Verifier.clear(payload[:n-1])
		clear(payload)
		return nil, l.verdict(ok)
	}
	if len(payload) != 1 || payload[0] != sha2RequestKey {
		return nil, l.encrypted(payload) // it had the key already
	}
	key, err := l.Key()
	if err != nil {
		return nil, l.end(Denied)
	}
	l.state = stateKeySent
	m := wire.AuthMore{Data: key.PublicPEM()}
	return m.Append(nil), Continue
}

func (l *Login) encrypted(payload []byte) Verdict {
	if len(payload) > maxPassword {
		return l.end(Broken)
	}
	key, err := l.Key()
	if err != nil {
		return l.end(Denied)
	}
	password, ok := key.decrypt(payload, l.Scramble[:])
	if !ok {
		return l.end(Denied)
	}
	ok = l.Verifier.clear(password)
	clear(password)
	return l.verdict(ok)
}

func (l *Login) verdict(right bool) Verdict {
	if right && l.Known {
		return l.end(Accepted)
	}
	return l.end(Denied)
}

func (l *Login) end(v Verdict) Verdict {
	l.state = stateOver
	return v
}
