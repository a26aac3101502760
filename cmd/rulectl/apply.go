package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ballast/master/api"
)

func newApply(a *app) *cobra.Command {
	var file string
	var yes bool
	cmd := &cobra.Command{
		Use: "apply -f FILE", Short: "Bring the rules to what a file says", Args: args(cobra.NoArgs),
		Long: `Bring the rules to what a file says. The changes are shown and must be agreed to, unless --yes.

On an empty table a new rule applies at once. A table with rows is refused: moving rows needs jobs, which come with a later release. Rules for
tables that do not exist yet are kept for their CREATE TABLE.`,
		Example: "  rulectl apply -f rules.yaml\n  rulectl apply -f rules.yaml --yes --why 'two new nodes'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := a.readFile(file)
			if err != nil {
				return err
			}
			c, err := a.client()
			if err != nil {
				return err
			}
			if !yes {
				planned, err := c.Apply(cmd.Context(), api.ApplyRequest{YAML: text, DryRun: true})
				if err != nil {
					return err
				}
				if err := a.printChanges(planned); err != nil {
					return err
				}
				if len(planned.Changes) == 0 {
					return nil
				}
				if file == "-" {
					return misuse{errors.New("the file comes from standard input, so nobody can be asked: add --yes")}
				}
				if ok, err := a.agree("apply these changes?"); err != nil || !ok {
					return errors.Join(err, errors.New("nothing was changed"))
				}
			}
			reply, err := c.Apply(cmd.Context(), api.ApplyRequest{YAML: text})
			if err != nil {
				return err
			}
			if yes {
				if err := a.printChanges(reply); err != nil {
					return err
				}
			}
			return a.say("applied: version %s", reply.Version)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "rules file, - for standard input")
	cmd.Flags().BoolVar(&yes, "yes", false, "don't ask")
	return cmd
}

// agree asks the person.
func (a *app) agree(question string) (bool, error) {
	if _, err := fmt.Fprintf(a.stderr, "%s [y/N] ", question); err != nil {
		return false, err
	}
	line := bufio.NewScanner(a.stdin)
	if !line.Scan() {
		return false, line.Err()
	}
	answer := strings.ToLower(strings.TrimSpace(line.Text()))
	return answer == "y" || answer == "yes", nil
}
