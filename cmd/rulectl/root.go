package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ballast/master/client"
	"ballast/rules/catalog"
)

// app is what all commands share: the flags of the root, and the way to the master.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string

	masters   []string
	tokenFile string
	caFile    string
	certFile  string
	keyFile   string
	output    string
	why       string

	// guessed says that nothing named a master and this folder has no cluster: the default address is a guess.
	guessed bool
}

// The defaults, for a cluster that `make up` started in this folder.
const (
	localMaster = "http://127.0.0.1:7800"
	localToken  = ".ballast/token"
)

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "rulectl",
		Short: "Look at a Ballast cluster and change it",
		Long: `Look at a Ballast cluster and change it.

Without flags rulectl finds the cluster that "make up" started in this folder. For another one, name a master and a file with its token:
BALLAST_MASTER and BALLAST_TOKEN (the token itself) do the same as --master and --token-file.`,
		Example: `  rulectl status
  rulectl explain shop.orders 4711
  rulectl diff -f rules.yaml
  rulectl apply -f rules.yaml
  rulectl --master https://m1:7800,https://m2:7800 --token-file token node list -o json`,
		SilenceUsage: true, SilenceErrors: true, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, list []string) error {
			if len(list) > 0 {
				return misuse{fmt.Errorf("there is no command %q; see rulectl --help", list[0])}
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			switch a.output {
			case "table", "json", "yaml":
				return nil
			}
			return misuse{fmt.Errorf("-o is table, json or yaml, not %q", a.output)}
		},
	}
	f := root.PersistentFlags()
	f.StringSliceVar(&a.masters, "master", nil, "addresses of the masters (default $BALLAST_MASTER, then the cluster of this folder, then "+localMaster+")")
	f.StringVar(&a.tokenFile, "token-file", "", "file that holds the token (default $BALLAST_TOKEN, then "+localToken+")")
	f.StringVar(&a.caFile, "ca-file", "", "authority of the masters' certificates, PEM (default the system's)")
	f.StringVar(&a.certFile, "cert-file", "", "own certificate, in place of a token, PEM")
	f.StringVar(&a.keyFile, "key-file", "", "its key, PEM")
	f.StringVarP(&a.output, "output", "o", "table", "how to print: table, json or yaml")
	f.StringVar(&a.why, "why", "", "reason of a change, for the audit log")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return misuse{err} })
	root.AddCommand(
		newStatus(a), newNode(a), newTable(a), newExplain(a), newDiff(a), newApply(a), newCheck(a), newUser(a), newAudit(a), newDDL(a), newSequence(a),
	)
	return root
}

// args turns cobra's complaint about arguments into a misuse.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, list []string) error {
		if err := check(cmd, list); err != nil {
			return misuse{fmt.Errorf("%w; see rulectl %s --help", err, strings.TrimPrefix(cmd.CommandPath(), "rulectl "))}
		}
		return nil
	}
}

// group is a command that only has others below it.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, list []string) error {
			if len(list) > 0 {
				return misuse{fmt.Errorf("%s has no command %q; see rulectl %s --help", use, list[0], use)}
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(children...)
	return cmd
}

// client makes the way to the master.
func (a *app) client() (*client.Client, error) {
	cfg := client.Config{URLs: a.masters, Actor: actor(), Why: a.why}
	if len(cfg.URLs) == 0 {
		if env := a.env("BALLAST_MASTER"); env != "" {
			cfg.URLs = strings.Split(env, ",")
		} else {
			url, found, err := local()
			if err != nil {
				return nil, misuse{err}
			}
			a.guessed = !found
			cfg.URLs = []string{url}
		}
	}
	for i, u := range cfg.URLs {
		if u = strings.TrimSpace(u); !strings.Contains(u, "://") {
			u = "http://" + u
		}
		cfg.URLs[i] = u
	}
	var err error
	if cfg.Token, err = a.token(); err != nil {
		return nil, err
	}
	if cfg.TLS, err = trust(a.caFile, a.certFile, a.keyFile); err != nil {
		return nil, err
	}
	c, err := client.New(cfg)
	if err != nil {
		return nil, misuse{err}
	}
	return c, nil
}

func (a *app) token() (string, error) {
	file := a.tokenFile
	if file == "" {
		if env := a.env("BALLAST_TOKEN"); env != "" {
			return strings.TrimSpace(env), nil
		}
		file = filepath.FromSlash(localToken)
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && a.tokenFile == "" {
		return "", nil // a master that wants none, or the refusal says what to give
	}
	if err != nil {
		return "", misuse{fmt.Errorf("read the token: %w", err)}
	}
	return strings.TrimSpace(string(text)), nil
}

// actor is who is at the keyboard, for the audit log.
func actor() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return name + "@" + host
}

// tableName reads schema.table; the table itself may hold dots.
func tableName(s string) (catalog.Name, error) {
	schema, table, ok := strings.Cut(s, ".")
	if !ok || schema == "" || table == "" {
		return catalog.Name{}, misuse{fmt.Errorf("%q is no table: write schema.table", s)}
	}
	return catalog.Name{Schema: schema, Table: table}, nil
}
