package master

import (
	"context"
	"fmt"
	"maps"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/rules/catalog"
)

// changeUser adds, changes or drops a client account.
func (t *term) changeUser(ctx context.Context, q api.UserRequest, by why) error {
	if q.Name == "" || len(q.Name) > 128 {
		return errBadName.New(q.Name, "user")
	}
	_, _, err := t.commit(ctx, change{what: fmt.Sprintf("user %s: %s", q.Name, q.Op), by: by, draft: func(d *core.Draft) error {
		u, err := t.editedUser(d.Base().Users[q.Name], q)
		if err != nil {
			return err
		}
		d.PutUser(q.Name, u)
		return nil
	}})
	return err
}

// editedUser gives the account after the change, nil when it is dropped. old is nil for a new one.
func (t *term) editedUser(old *catalog.User, q api.UserRequest) (*catalog.User, error) {
	if q.Op == "add" {
		if old != nil {
			return nil, errUserExists.New(q.Name)
		}
		old = &catalog.User{Name: q.Name}
	}
	if old == nil {
		return nil, errUserUnknown.New(q.Name)
	}
	u := *old
	u.Rights = maps.Clone(old.Rights)
	if u.Rights == nil {
		u.Rights = map[string]catalog.Right{}
	}
	switch q.Op {
	case "drop":
		return nil, nil
	case "add", "password":
		if len(q.Native) == 0 && len(q.CachingSHA2) == 0 && !t.m.cfg.Development {
			return nil, errUserPassword.New()
		}
		if n := len(q.Native); n != 0 && n != 20 {
			return nil, errBadCall.New("a native verifier has 20 bytes")
		}
		if n := len(q.CachingSHA2); n != 0 && n != 32 {
			return nil, errBadCall.New("a caching_sha2 verifier has 32 bytes")
		}
		u.Native, u.CachingSHA2 = q.Native, q.CachingSHA2
		if q.Op == "add" {
			u.SafeUpdates = q.SafeUpdates
			if q.Rights != 0 {
				u.Rights[schemaOrAll(q.Schema)] = q.Rights
			}
		}
	case "grant":
		u.Rights[schemaOrAll(q.Schema)] |= q.Rights
	case "revoke":
		left := u.Rights[schemaOrAll(q.Schema)] &^ q.Rights
		if left == 0 {
			delete(u.Rights, schemaOrAll(q.Schema))
		} else {
			u.Rights[schemaOrAll(q.Schema)] = left
		}
	default:
		return nil, errUserOperation.New(q.Op)
	}
	return &u, nil
}

func schemaOrAll(s string) string {
	if s == "" {
		return "*"
	}
	return s
}
