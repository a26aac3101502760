package auth

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
)

// Verifier is what is kept of a password: enough to check it, too little to log in with. Both fields nil mean an empty password.
type Verifier struct {
	// Native is SHA1(SHA1(password)), CachingSHA2 is SHA256(SHA256(password)). Either may be missing.
	Native, CachingSHA2 []byte
}

// NewVerifier makes both hashes of a password.
func NewVerifier(password string) Verifier {
	if password == "" {
		return Verifier{}
	}
	return Verifier{Native: doubleSHA1([]byte(password)), CachingSHA2: doubleSHA256([]byte(password))}
}

// Dummy is a verifier that no password matches, for logins by unknown users; made once by each server.
func Dummy() (Verifier, error) {
	v := Verifier{Native: make([]byte, sha1.Size), CachingSHA2: make([]byte, sha256.Size)}
	for _, b := range [][]byte{v.Native, v.CachingSHA2} {
		if _, err := rand.Read(b); err != nil {
			return Verifier{}, fmt.Errorf("make a dummy verifier: %w", err)
		}
	}
	return v, nil
}

func (v Verifier) empty() bool { return len(v.Native) == 0 && len(v.CachingSHA2) == 0 }

// clear checks a clear password.
func (v Verifier) clear(password []byte) bool {
	if len(v.CachingSHA2) > 0 {
		return subtle.ConstantTimeCompare(doubleSHA256(password), v.CachingSHA2) == 1
	}
	return subtle.ConstantTimeCompare(doubleSHA1(password), v.Native) == 1
}

// native checks SHA1(password) XOR SHA1(scramble + SHA1(SHA1(password))).
func (v Verifier) native(scramble, response []byte) bool {
	if len(response) != sha1.Size || len(v.Native) != sha1.Size {
		return false
	}
	mask := sha1.New()
	mask.Write(scramble)
	mask.Write(v.Native)
	var once, mix [sha1.Size]byte
	subtle.XORBytes(once[:], response, mask.Sum(mix[:0]))
	twice := sha1.Sum(once[:])
	return subtle.ConstantTimeCompare(twice[:], v.Native) == 1
}

// cachingSHA2 checks SHA256(password) XOR SHA256(SHA256(SHA256(password)) + scramble).
func (v Verifier) cachingSHA2(scramble, response []byte) bool {
	if len(response) != sha256.Size || len(v.CachingSHA2) != sha256.Size {
		return false
	}
	mask := sha256.New()
	mask.Write(v.CachingSHA2)
	mask.Write(scramble)
	var once, mix [sha256.Size]byte
	subtle.XORBytes(once[:], response, mask.Sum(mix[:0]))
	twice := sha256.Sum256(once[:])
	return subtle.ConstantTimeCompare(twice[:], v.CachingSHA2) == 1
}

func doubleSHA1(password []byte) []byte {
	once := sha1.Sum(password)
	twice := sha1.Sum(once[:])
	return twice[:]
}

func doubleSHA256(password []byte) []byte {
	once := sha256.Sum256(password)
	twice := sha256.Sum256(once[:])
	return twice[:]
}
