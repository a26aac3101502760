package auth

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
)

// NativeResponse is a client's answer to a scramble under mysql_native_password; nil for an empty password.
func NativeResponse(password string, scramble []byte) []byte {
	if password == "" {
		return nil
	}
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	mask := sha1.New()
	mask.Write(scramble)
	mask.Write(twice[:])
	out := mask.Sum(nil)
	subtle.XORBytes(out, out, once[:])
	return out
}

// CachingSHA2Response is a client's first answer to a scramble under caching_sha2_password; nil for an empty password.
func CachingSHA2Response(password string, scramble []byte) []byte {
	if password == "" {
		return nil
	}
	once := sha256.Sum256([]byte(password))
	twice := sha256.Sum256(once[:])
	mask := sha256.New()
	mask.Write(twice[:])
	mask.Write(scramble)
	out := mask.Sum(nil)
	subtle.XORBytes(out, out, once[:])
	return out
}
