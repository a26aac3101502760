package backend

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // what mysql_native_password is made of
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
)

// The plugins that a router's account may have.
const (
	pluginSHA2   = "caching_sha2_password"
	pluginNative = "mysql_native_password"
)

// The bytes of the caching_sha2_password dialogue.
const (
	sha2RequestKey = 2
	sha2FastOK     = 3
	sha2FullAuth   = 4
)

// firstAnswer is what a plugin sends first.
func (h *handshake) firstAnswer() ([]byte, error) {
	password := h.target.cred.Password
	switch h.plugin {
	case pluginNative:
		return scrambleNative(h.scramble, password), nil
	case pluginSHA2:
		return scrambleSHA2(h.scramble, password), nil
	case "":
		return nil, fmt.Errorf("the server names no plugin: %w", errAuth)
	}
	// The server's default plugin is another one: answer for one that is spoken here, the server then switches to the account's own.
	h.plugin = pluginNative
	return scrambleNative(h.scramble, password), nil
}

// nextAnswer goes on with caching_sha2_password; silent means that nothing is to be sent.
func (h *handshake) nextAnswer(data []byte) (reply []byte, silent bool, err error) {
	if h.plugin != pluginSHA2 || len(data) == 0 {
		return nil, false, fmt.Errorf("plugin %s goes on: %w", h.plugin, errAuth)
	}
	clear := append([]byte(h.target.cred.Password), 0)
	switch {
	case len(data) == 1 && data[0] == sha2FastOK:
		return nil, true, nil
	case len(data) == 1 && data[0] == sha2FullAuth && h.secure:
		return clear, false, nil
	case len(data) == 1 && data[0] == sha2FullAuth:
		return []byte{sha2RequestKey}, false, nil
	}
	reply, err = encryptPassword(clear, h.scramble, data)
	return reply, false, err
}

// encryptPassword hides a password for the server's public key, as the full login without TLS demands.
func encryptPassword(clear, scramble, key []byte) ([]byte, error) {
	block, _ := pem.Decode(key)
	if block == nil {
		return nil, fmt.Errorf("the server's public key is no PEM: %w", errAuth)
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the server's public key: %w", err)
	}
	pub, ok := parsed.(*rsa.PublicKey)
	if !ok || len(scramble) == 0 {
		return nil, fmt.Errorf("the server's public key is not RSA: %w", errAuth)
	}
	for i := range clear {
		clear[i] ^= scramble[i%len(scramble)]
	}
	out, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, pub, clear, nil) //nolint:gosec // the protocol's choice
	if err != nil {
		return nil, fmt.Errorf("encrypt password: %w", err)
	}
	return out, nil
}

// scrambleNative is SHA1(password) XOR SHA1(scramble, SHA1(SHA1(password))); nothing for an empty password.
func scrambleNative(scramble []byte, password string) []byte {
	if password == "" {
		return nil
	}
	one := sha1.Sum([]byte(password)) //nolint:gosec // see above
	two := sha1.Sum(one[:])           //nolint:gosec // see above
	mix := sha1.Sum(append(append([]byte(nil), scramble...), two[:]...))
	for i := range mix {
		mix[i] ^= one[i]
	}
	return mix[:]
}

// scrambleSHA2 is SHA256(password) XOR SHA256(SHA256(SHA256(password)), scramble); nothing for an empty password.
func scrambleSHA2(scramble []byte, password string) []byte {
	if password == "" {
		return nil
	}
	one := sha256.Sum256([]byte(password))
	two := sha256.Sum256(one[:])
	mix := sha256.Sum256(append(two[:], scramble...))
	for i := range mix {
		mix[i] ^= one[i]
	}
	return mix[:]
}
