package meta

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ReadKey reads a key file: at least 32 characters of whatever randomness. All masters of a cluster need the same.
func ReadKey(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	secret := strings.TrimSpace(string(text))
	if len(secret) < 32 {
		return nil, fmt.Errorf("the key file %s holds %d characters, want at least 32", file, len(secret))
	}
	sum := sha256.Sum256([]byte(secret))
	return sum[:], nil
}

// sealer encrypts the passwords that the metadata must hold (AES-256-GCM, a fresh nonce each).
type sealer struct{ aead cipher.AEAD }

func newSealer(key []byte) (*sealer, error) {
	if len(key) != 32 {
		return nil, fmt.Errorf("the metadata key has %d bytes, want 32", len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &sealer{aead}, nil
}

func (s *sealer) seal(clear string) []byte {
	nonce := make([]byte, s.aead.NonceSize())
	rand.Read(nonce) // never fails: crypto/rand ends the program instead
	return s.aead.Seal(nonce, nonce, []byte(clear), nil)
}

func (s *sealer) open(sealed []byte) (string, error) {
	n := s.aead.NonceSize()
	if len(sealed) < n {
		return "", errors.New("a stored secret is too short")
	}
	clear, err := s.aead.Open(nil, sealed[:n], sealed[n:], nil)
	if err != nil {
		return "", errors.New("a stored secret does not open: the key file is not the one it was sealed with")
	}
	return string(clear), nil
}
