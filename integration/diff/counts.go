package diff

import "fmt"

// Counts is what a run saw, for its report.
type Counts struct {
	// Statements were compared; WithRows of them answered at least one row on the plain server; Refused were refused by Ballast.
	Statements, Queries, WithRows, Errors, Refused int
	// Differences are reports for people; a correct Ballast has none.
	Differences []string
	// Refusals counts refused statements by message id.
	Refusals map[string]int
	// RefusedStatements are they, with the messages.
	RefusedStatements []string
}

// Add takes the counts of another run in.
func (c *Counts) Add(o Counts) {
	c.Statements += o.Statements
	c.Queries += o.Queries
	c.WithRows += o.WithRows
	c.Errors += o.Errors
	c.Refused += o.Refused
	c.Differences = append(c.Differences, o.Differences...)
	c.RefusedStatements = append(c.RefusedStatements, o.RefusedStatements...)
	for k, n := range o.Refusals {
		c.refusal(k, n)
	}
}

func (c *Counts) refusal(id string, n int) {
	if c.Refusals == nil {
		c.Refusals = map[string]int{}
	}
	c.Refusals[id] += n
}

func (c *Counts) see(plain Answer) {
	c.Statements++
	switch {
	case plain.Number != 0:
		c.Errors++
	case plain.Columns != nil:
		c.Queries++
		if len(plain.Rows) > 0 {
			c.WithRows++
		}
	}
}

// String is the line that a run prints.
func (c *Counts) String() string {
	return fmt.Sprintf("%d statements: %d queries (%.0f%% of them with rows), %d answered an error by the plain server, %d (%.1f%%) refused by Ballast %v, %d differences",
		c.Statements, c.Queries, 100*float64(c.WithRows)/float64(max(c.Queries, 1)), c.Errors, c.Refused,
		100*float64(c.Refused)/float64(max(c.Statements, 1)), c.Refusals, len(c.Differences))
}

func (c *Counts) refused(b Answer, sql string) {
	c.Refused++
	c.refusal(b.Message[len(b.Message)-7:len(b.Message)-1], 1)
	c.RefusedStatements = append(c.RefusedStatements, sql+"\n  "+b.Message)
}

func (c *Counts) note(st Generated, b, pl Answer) {
	if d := Difference(b, pl, st.Ordered); d != "" {
		c.Differences = append(c.Differences, fmt.Sprintf("%s %q (after: %s)\n  %s\n  ballast %s\n  plain   %s", st.SQL, st.Args, st.last, d, b, pl))
	}
}
