package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ballast/master/api"
)

func newNodeAdd(a *app) *cobra.Command {
	var q api.AddNodeRequest
	var passwordFile string
	cmd := &cobra.Command{
		Use: "add NAME HOST:PORT", Short: "Add a db node", Args: args(cobra.ExactArgs(2)),
		Long: `Add a db node: a MySQL or MariaDB server's writable primary.

The server is checked first, and everything that is wrong is named at once: InnoDB, ROW binlog with full images, durable settings, GTIDs, the
account's rights, and that it agrees with the other nodes. All databases, tables and accounts are then made on it; no row moves.
The password comes from a file or from BALLAST_NODE_PASSWORD, never from the command line.`,
		Example: `  rulectl node add n4 10.0.0.14:3306 --user ballast_admin --password-file pw --zone b
  BALLAST_NODE_PASSWORD=… rulectl node add n4 10.0.0.14:3306`,
		RunE: func(cmd *cobra.Command, list []string) error {
			q.Name, q.Addr = list[0], list[1]
			q.Password = a.env("BALLAST_NODE_PASSWORD")
			if passwordFile != "" {
				text, err := os.ReadFile(passwordFile)
				if err != nil {
					return misuse{fmt.Errorf("read the password: %w", err)}
				}
				q.Password = strings.TrimRight(string(text), "\r\n")
			}
			c, err := a.client()
			if err != nil {
				return err
			}
			n, err := c.AddNode(cmd.Context(), q)
			if err != nil {
				return err
			}
			return a.print(n, func() grid {
				return grid{below: []string{fmt.Sprintf("node %s is in service: %s, %s", n.Name, n.Addr, n.ServerVersion)}}
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&q.User, "user", "root", "administrator's account on the server")
	f.StringVar(&passwordFile, "password-file", "", "file that holds its password (default $BALLAST_NODE_PASSWORD)")
	f.StringVar(&q.Zone, "zone", "", "zone that the server stands in")
	f.IntVar(&q.Weight, "weight", 100, "share of the node relative to 100")
	f.BoolVar(&q.AcceptNonDurable, "accept-nondurable", false, "take a node whose settings may lose committed transactions when its host crashes")
	return cmd
}
