package wire

import (
	"errors"
	"fmt"
)

// ErrMalformed is in the chain of every decoding error: the bytes are not what the protocol says.
var ErrMalformed = errors.New("malformed packet")

// ErrSequence is in the chain of the error for a packet whose sequence number is not the expected one.
var ErrSequence = errors.New("packets out of order")

// ErrTooLarge is in the chain of the error for a payload above the allowed size.
var ErrTooLarge = errors.New("packet larger than allowed")

func malformed(message, what string) error {
	return fmt.Errorf("%s: %s: %w", message, what, ErrMalformed)
}
