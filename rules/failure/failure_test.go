package failure_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ballast/rules/failure"
)

var errSample = failure.Define("BL1999", 1105, "HY000", "%s is %d", "make it less")

func TestErrorsCarryWhatClientsNeed(t *testing.T) {
	err := fmt.Errorf("while testing: %w", errSample.Wrap(io.EOF, "x", 3))
	var f *failure.Error
	if !errors.As(err, &f) || !errors.Is(err, io.EOF) || !errors.Is(err, errSample.New("y", 4)) {
		t.Fatalf("%v is not found in its wrapping", err)
	}
	if number, state := f.MySQL(); number != 1105 || state != "HY000" || f.Hint() != "make it less" {
		t.Errorf("%d %s %s", number, state, f.Hint())
	}
	if got := f.Error(); got != "x is 3 (make it less) [BL1999]" {
		t.Error(got)
	}
}

func TestIDsAreUnique(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an id is defined twice")
		}
	}()
	failure.Define("BL1999", 1105, "HY000", "again", "")
}

func TestCatalogueIsSorted(t *testing.T) {
	last := ""
	for _, k := range failure.Catalogue() {
		if k.ID <= last || !strings.HasPrefix(k.ID, "BL") || len(k.State) != 5 || k.Number == 0 {
			t.Errorf("%+v after %s", k, last)
		}
		last = k.ID
	}
}
