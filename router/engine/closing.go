package engine

import (
	"errors"
	"fmt"
)

// closeWith closes rows because of err, and gives err; a failure to close is added to its text.
func closeWith(rows Rows, err error) error {
	if closing := rows.Close(); closing != nil && !errors.Is(closing, err) {
		return fmt.Errorf("%w (and closing the rows: %w)", err, closing)
	}
	return err
}

// closeAll closes every input and joins what went wrong.
func closeAll(inputs []Rows) error {
	var errs []error
	for _, in := range inputs {
		if in != nil {
			errs = append(errs, in.Close())
		}
	}
	return errors.Join(errs...)
}
