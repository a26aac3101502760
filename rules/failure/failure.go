// Package failure holds the errors that a client of Ballast may see: each has an id of ours, a MySQL error number, an SQLSTATE,
// a message and a hint that says what to do.
//
// Packages declare their failures once, as package variables, with Define; the catalogue in docs is generated from Catalogue.
// At the edge (the front end, the API) errors.As finds the *Error inside a wrapped error; anything else is answered as 1105/HY000.
package failure

import (
	"fmt"
	"sort"
	"sync"
)

// Kind is one entry of the catalogue: everything about a failure except the facts of one occurrence.
type Kind struct {
	// ID is ours and unique: "BL" and four digits.
	ID string
	// Number is the MySQL error number, State its SQLSTATE.
	Number uint16
	State  string
	// Format is the message, with fmt verbs for the facts.
	Format string
	// Hint says what to do about it; may be empty for errors that MySQL itself words the same way.
	Hint string
}

// Error is one occurrence of a Kind.
type Error struct {
	Kind    *Kind
	Message string
	cause   error
}

var (
	mu        sync.Mutex
	catalogue = map[string]*Kind{}
)

// Define registers a kind; it is called from package variable declarations only. A second definition of an id panics at start-up,
// so it can't reach a release.
func Define(id string, number uint16, state, format, hint string) *Kind {
	mu.Lock()
	defer mu.Unlock()
	if _, dup := catalogue[id]; dup {
		panic("failure " + id + " is defined twice")
	}
	k := &Kind{ID: id, Number: number, State: state, Format: format, Hint: hint}
	catalogue[id] = k
	return k
}

// Catalogue lists all kinds by id.
func Catalogue() []*Kind {
	mu.Lock()
	defer mu.Unlock()
	out := make([]*Kind, 0, len(catalogue))
	for _, k := range catalogue {
		out = append(out, k)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// New makes an occurrence from the facts that Format names.
func (k *Kind) New(facts ...any) *Error {
	return &Error{Kind: k, Message: fmt.Sprintf(k.Format, facts...)}
}

// Wrap is New with the error that caused it; the cause is for logs and errors.Is, it is not part of what the client reads.
func (k *Kind) Wrap(cause error, facts ...any) *Error {
	e := k.New(facts...)
	e.cause = cause
	return e
}

// Error gives the text that a client reads: the message, and the hint in parentheses.
func (e *Error) Error() string {
	if e.Kind.Hint == "" {
		return e.Message
	}
	return e.Message + " (" + e.Kind.Hint + ") [" + e.Kind.ID + "]"
}

// MySQL gives the error number and the SQLSTATE.
func (e *Error) MySQL() (uint16, string) { return e.Kind.Number, e.Kind.State }

// Hint gives the advice of the kind.
func (e *Error) Hint() string { return e.Kind.Hint }

// Unwrap gives the cause, if any.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is(err, someKind.New(…)) true for equal kinds.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind
}
