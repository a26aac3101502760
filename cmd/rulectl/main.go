// Command rulectl looks at a Ballast cluster and changes it, through the leading master.
//
// One command, one file. What a command answers goes to standard output (a table, or -o json|yaml for programs), talk and errors to standard
// error. It ends with 0 when it is done, 1 when it failed or a check did not hold, 2 when it was misused.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// misuse is an error of the command line.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// errDoesNotHold ends a check that found something; what it found has been printed.
var errDoesNotHold = errors.New("the check does not hold")

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: os.Getenv}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	hint := ""
	if a.guessed {
		hint = "there is no cluster in this folder: make up starts one, --master names another\n"
	}
	if _, werr := fmt.Fprintf(stderr, "rulectl: %v\n%s", err, hint); werr != nil {
		return 1
	}
	var wrong misuse
	if errors.As(err, &wrong) {
		return 2
	}
	return 1
}
