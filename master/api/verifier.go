package api

import (
	"crypto/sha1"
	"crypto/sha256"
)

// Verifiers gives what is kept of a password: SHA1(SHA1(p)) for mysql_native_password and SHA256(SHA256(p)) for caching_sha2_password.
// An empty password has none.
func Verifiers(password string) (native, cachingSHA2 []byte) {
	if password == "" {
		return nil, nil
	}
	a := sha1.Sum([]byte(password))
	a = sha1.Sum(a[:])
	b := sha256.Sum256([]byte(password))
	b = sha256.Sum256(b[:])
	return a[:], b[:]
}
