package auth

import (
	"crypto/rand"
	"fmt"

	"ballast/sqlfront/wire"
)

// NewScramble makes the random bytes of one login: printable ASCII without '$', which servers avoid as well.
func NewScramble() (s [wire.ScrambleSize]byte, err error) {
	if _, err := rand.Read(s[:]); err != nil {
		return s, fmt.Errorf("make a scramble: %w", err)
	}
	for i, b := range s {
		b = 0x21 + b%93 // '!' to '}'
		if b == '$' {
			b = '~'
		}
		s[i] = b
	}
	return s, nil
}
