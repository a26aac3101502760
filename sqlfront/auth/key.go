package auth

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// KeyBits is the size of a generated key.
const KeyBits = 2048

// Key is a server's RSA key for passwords sent outside TLS.
type Key struct {
	private *rsa.PrivateKey
	public  []byte // PEM
}

// NewKey makes a fresh key; it takes some tenths of a second.
func NewKey() (*Key, error) {
	k, err := rsa.GenerateKey(rand.Reader, KeyBits)
	if err != nil {
		return nil, fmt.Errorf("generate rsa key: %w", err)
	}
	return KeyFrom(k)
}

// KeyFrom wraps a key that exists.
func KeyFrom(k *rsa.PrivateKey) (*Key, error) {
	der, err := x509.MarshalPKIXPublicKey(&k.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("encode rsa public key: %w", err)
	}
	return &Key{private: k, public: pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})}, nil
}

// PublicPEM is the public key as clients ask for it.
func (k *Key) PublicPEM() []byte { return k.public }

// decrypt gives the clear password, without its zero byte.
func (k *Key) decrypt(encrypted, scramble []byte) ([]byte, bool) {
	clear, err := rsa.DecryptOAEP(sha1.New(), rand.Reader, k.private, encrypted, nil)
	if err != nil || len(clear) == 0 {
		return nil, false
	}
	xorScramble(clear, scramble)
	if clear[len(clear)-1] != 0 {
		return nil, false
	}
	return clear[:len(clear)-1], true
}

// encryptPassword is the client's side of decrypt.
func encryptPassword(password string, scramble []byte, key *rsa.PublicKey) ([]byte, error) {
	clear := append([]byte(password), 0)
	xorScramble(clear, scramble)
	out, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, key, clear, nil)
	if err != nil {
		return nil, fmt.Errorf("encrypt the password: %w", err)
	}
	return out, nil
}

func xorScramble(b, scramble []byte) {
	for i := range b {
		b[i] ^= scramble[i%len(scramble)]
	}
}

// parsePublicKey reads the PEM that a server sent.
func parsePublicKey(text []byte) (*rsa.PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("the server's public key is not PEM")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the server's public key: %w", err)
	}
	key, ok := parsed.(*rsa.PublicKey)
	if !ok {
		return nil, errors.New("the server's public key is not an RSA key")
	}
	return key, nil
}
