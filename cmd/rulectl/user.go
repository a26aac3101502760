package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ballast/master/api"
	"ballast/rules/catalog"
)

var errNoTable = errors.New("name a table, or --all")

func newUser(a *app) *cobra.Command {
	return group("user", "Manage the accounts that clients log in with", newUserAdd(a), newUserPassword(a), newUserGrant(a), newUserRevoke(a), newUserList(a), newUserDrop(a))
}

// rightNames are the rights in the order of their bits.
var rightNames = []struct {
	name  string
	right catalog.Right
}{{"read", catalog.Read}, {"write", catalog.Write}, {"ddl", catalog.DDL}, {"admin", catalog.Admin}}

func parseRights(list []string) (catalog.Right, error) {
	var out catalog.Right
	for _, word := range list {
		found := false
		for _, r := range rightNames {
			if strings.EqualFold(word, r.name) {
				out |= r.right
				found = true
			}
		}
		if strings.EqualFold(word, "all") {
			out |= catalog.Read | catalog.Write | catalog.DDL | catalog.Admin
			found = true
		}
		if !found {
			return 0, misuse{fmt.Errorf("%q is no right: read, write, ddl, admin or all", word)}
		}
	}
	return out, nil
}

func formatRights(r catalog.Right) string {
	var out []string
	for _, n := range rightNames {
		if r&n.right != 0 {
			out = append(out, n.name)
		}
	}
	return strings.Join(out, ",")
}

// password reads a new password from the file, the environment, or one line of standard input.
func (a *app) password(file string) (string, error) {
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", misuse{fmt.Errorf("read the password: %w", err)}
		}
		return strings.TrimRight(string(text), "\r\n"), nil
	}
	return a.env("BALLAST_USER_PASSWORD"), nil
}

// changeUser sends one change and says that it is done.
func (a *app) changeUser(cmd *cobra.Command, q api.UserRequest, done string) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	if err := c.ChangeUser(cmd.Context(), q); err != nil {
		return err
	}
	return a.say("user %s: %s", q.Name, done)
}
