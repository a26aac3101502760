package auth

import (
	"errors"
	"sync"
	"testing"

	"ballast/sqlfront/wire"
)

var testKey = sync.OnceValues(NewKey)

// meet lets a Client and a Login talk to each other until one of them is done.
func meet(t *testing.T, login *Login, cfg ClientConfig, greetPlugin string, tls bool) (Verdict, error) {
	t.Helper()
	scramble, err := NewScramble()
	if err != nil {
		t.Fatal(err)
	}
	login.Scramble, login.Key, login.Secure = scramble, testKey, tls
	greeting := wire.Greeting{
		Version: "9.7.4-ballast", ConnectionID: 7, Scramble: scramble, Plugin: greetPlugin,
		Capabilities: wire.ClientLongPassword | wire.ClientProtocol41 | wire.ClientSecureConnection | wire.ClientPluginAuth | wire.ClientPluginAuthLenenc |
			wire.ClientSSL | wire.ClientConnectWithDB | wire.ClientTransactions,
	}
	cfg.TLS = tls
	c := NewClient(cfg)
	out, next, err := c.Step(greeting.Append(nil))
	if err != nil {
		return Broken, err
	}
	if tls {
		if next != StartTLS || !wire.IsSSLRequest(out) {
			t.Fatalf("wanted an SSL request, got action %d", next)
		}
		if out, err = c.Secured(); err != nil {
			t.Fatal(err)
		}
	}
	var r wire.HandshakeResponse
	if err := r.Decode(out); err != nil {
		t.Fatal(err)
	}
	if r.User != cfg.User || r.DB != cfg.DB {
		t.Fatalf("handshake response %+v", r)
	}
	send, v := login.Start(r.Plugin, r.Capabilities, r.Auth, false)
	for {
		if send != nil {
			if out, _, err = c.Step(send); err != nil {
				return v, err
			}
		}
		if v != Continue {
			break
		}
		send, v = login.Step(out)
	}
	if v == Accepted {
		if _, next, err = c.Step((&wire.OK{}).Append(nil)); next != Ready || err != nil {
			t.Fatalf("client after OK: action %d, %v", next, err)
		}
	}
	return v, nil
}

func TestClientMeetsLogin(t *testing.T) {
	both := NewVerifier("secret")
	for _, tc := range []struct {
		name     string
		verifier Verifier
		unknown  bool
		greet    string
		password string
		tls, ask bool
		want     Verdict
		plugin   string
	}{
		{name: "sha2 fast", verifier: both, greet: CachingSHA2, password: "secret", want: Accepted, plugin: CachingSHA2},
		{name: "sha2 wrong", verifier: both, greet: CachingSHA2, password: "Secret", want: Denied, plugin: CachingSHA2},
		{name: "native", verifier: both, greet: NativePassword, password: "secret", want: Accepted, plugin: NativePassword},
		{name: "native wrong", verifier: both, greet: NativePassword, password: "x", want: Denied, plugin: NativePassword},
		{name: "sha2 full over rsa", verifier: Verifier{Native: both.Native}, greet: CachingSHA2, password: "secret", ask: true, want: Accepted, plugin: CachingSHA2},
		{name: "sha2 full over rsa, wrong", verifier: Verifier{Native: both.Native}, greet: CachingSHA2, password: "no", ask: true, want: Denied, plugin: CachingSHA2},
		{name: "sha2 full over tls", verifier: Verifier{Native: both.Native}, greet: CachingSHA2, password: "secret", tls: true, want: Accepted, plugin: CachingSHA2},
		{name: "native client, only sha2 stored", verifier: Verifier{CachingSHA2: both.CachingSHA2}, greet: NativePassword, password: "secret", want: Accepted, plugin: CachingSHA2},
		{name: "other default plugin", verifier: both, greet: "client_ed25519", password: "secret", want: Accepted, plugin: NativePassword},
		{name: "no password wanted", greet: CachingSHA2, want: Accepted, plugin: CachingSHA2},
		{name: "no password wanted, one given", greet: CachingSHA2, password: "x", want: Denied, plugin: CachingSHA2},
		{name: "no password given", verifier: both, greet: CachingSHA2, want: Denied, plugin: CachingSHA2},
		{name: "unknown user", verifier: both, unknown: true, greet: CachingSHA2, password: "secret", want: Denied, plugin: CachingSHA2},
		{name: "unknown user, no password", verifier: both, unknown: true, greet: CachingSHA2, want: Denied, plugin: CachingSHA2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			login := Login{Verifier: tc.verifier, Known: !tc.unknown}
			v, err := meet(t, &login, ClientConfig{User: "u", Password: tc.password, DB: "d", AskKey: tc.ask}, tc.greet, tc.tls)
			if err != nil {
				t.Fatal(err)
			}
			if v != tc.want || login.Plugin() != tc.plugin || login.UsedPassword() != (tc.password != "") {
				t.Errorf("verdict %d by %s (password %v), want %d by %s", v, login.Plugin(), login.UsedPassword(), tc.want, tc.plugin)
			}
		})
	}
}

func TestClientKeepsItsPassword(t *testing.T) {
	login := Login{Verifier: Verifier{Native: NewVerifier("secret").Native}, Known: true}
	if _, err := meet(t, &login, ClientConfig{User: "u", Password: "secret"}, CachingSHA2, false); !errors.Is(err, ErrPasswordExposed) {
		t.Fatalf("asked for the password in clear: %v", err)
	}
}

func TestDummyMatchesNothing(t *testing.T) {
	v, err := Dummy()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewScramble()
	if err != nil {
		t.Fatal(err)
	}
	if v.native(s[:], NativeResponse("x", s[:])) || v.cachingSHA2(s[:], CachingSHA2Response("x", s[:])) || v.clear([]byte("x")) {
		t.Fatal("a password matched")
	}
}

// FuzzLogin lets a client send anything: only a right answer is accepted, and nothing panics.
func FuzzLogin(f *testing.F) {
	f.Add("caching_sha2_password", []byte{2}, []byte{2}, []byte("x\x00"), uint32(wire.ClientPluginAuth), true)
	f.Fuzz(func(t *testing.T, plugin string, first, second, third []byte, caps uint32, secure bool) {
		for _, v := range []Verifier{NewVerifier("a long enough password"), {Native: NewVerifier("another long password").Native}} {
			l := Login{Verifier: v, Known: true, Secure: secure, Key: testKey}
			_, verdict := l.Start(plugin, wire.Capability(caps), first, false)
			for _, p := range [][]byte{second, third} {
				if verdict != Continue {
					break
				}
				_, verdict = l.Step(append([]byte(nil), p...))
			}
			if verdict == Accepted {
				t.Fatal("accepted")
			}
		}
	})
}

// FuzzClient lets a server send anything.
func FuzzClient(f *testing.F) {
	g := wire.Greeting{Version: "8", Capabilities: 0xffffffff, Plugin: CachingSHA2}
	f.Add(g.Append(nil), []byte{1, 4}, []byte{1, 'x'})
	f.Fuzz(func(_ *testing.T, first, second, third []byte) {
		c := NewClient(ClientConfig{User: "u", Password: "p", AskKey: true})
		for _, p := range [][]byte{first, second, third} {
			if _, next, err := c.Step(p); err != nil || next != Read {
				return
			}
		}
	})
}
