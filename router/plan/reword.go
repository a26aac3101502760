package plan

import (
	"regexp"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// Some statements are read by the parser in another form only. reworded tries those forms after the parser gave up; what the other form
// lost is put back into the tree, or noted in the context.

var (
	workWord      = regexp.MustCompile(`(?i)^(begin|commit|rollback)\s+work\b`)
	beginWords    = regexp.MustCompile(`(?i)^start\s+transaction\s+(with\s+consistent\s+snapshot|read\s+only|read\s+write)(\s*,\s*(with\s+consistent\s+snapshot|read\s+only|read\s+write))*$`)
	warningsLimit = regexp.MustCompile(`(?i)^(show\s+(?:warnings|errors))\s+limit\s+(\d+)(?:\s*(,|offset)\s*(\d+))?$`)
	explainFormat = regexp.MustCompile(`(?i)^(explain|describe|desc|analyze)((?:\s+analyze)?\s+format\s*=\s*)([a-z_]+)\s`)
	explainOld    = regexp.MustCompile(`(?i)^(explain|describe|desc)\s+(extended|partitions)\s`)
	showLocal     = regexp.MustCompile(`(?i)^show\s+local\s`)
	showStorage   = regexp.MustCompile(`(?i)^show\s+storage\s+engines`)
	intoVariables = regexp.MustCompile("(?i)\\s+into\\s+@(?:[\\w.$]+|`[^`]+`)(?:\\s*,\\s*@(?:[\\w.$]+|`[^`]+`))*")
	variableName  = regexp.MustCompile("@(?:([\\w.$]+)|`([^`]+)`)")
	rowAlias      = regexp.MustCompile("(?i)\\)\\s*as\\s+(`[^`]+`|[\\w$]+)\\s*(\\([^()]*\\))?\\s*on\\s+duplicate\\s")
)

// reworded parses text in another form; err is nil if one was found.
func (pc *planCtx) reworded(text string, cause error) (ast.StmtNode, error) {
	switch {
	case workWord.MatchString(text):
		return pc.planner.parse(workWord.ReplaceAllString(text, "$1"), pc.env)
	case beginWords.MatchString(text):
		return &ast.BeginStmt{ReadOnly: strings.Contains(strings.ToLower(text), "read only")}, nil
	case showLocal.MatchString(text):
		return pc.planner.parse(showLocal.ReplaceAllString(text, "SHOW SESSION "), pc.env)
	case showStorage.MatchString(text):
		return pc.planner.parse(showStorage.ReplaceAllString(text, "SHOW ENGINES"), pc.env)
	case explainOld.MatchString(text):
		return pc.planner.parse(explainOld.ReplaceAllString(text, "$1 "), pc.env)
	case explainFormat.MatchString(text):
		return pc.planner.parse(explainFormat.ReplaceAllString(text, "$1$2'$3' "), pc.env)
	}
	if m := warningsLimit.FindStringSubmatch(text); m != nil {
		return pc.showLimit(m)
	}
	if m := intoVariables.FindAllStringIndex(text, 2); len(m) == 1 && !pc.exact && pc.args.lex.verb == kwSelect {
		return pc.selectInto(text, m[0])
	}
	if m := rowAlias.FindStringSubmatchIndex(text); m != nil && !pc.exact && pc.args.lex.verb == kwInsert && !pc.mariaDB {
		return pc.insertAlias(text, m)
	}
	return nil, cause
}

func (pc *planCtx) showLimit(m []string) (ast.StmtNode, error) {
	stmt, err := pc.planner.parse(m[1], pc.env)
	show, ok := stmt.(*ast.ShowStmt)
	if err != nil || !ok {
		return stmt, err
	}
	count, offset := m[2], m[4]
	if m[3] == "," {
		count, offset = m[4], m[2]
	}
	sel, err := pc.planner.parse("SELECT 1 LIMIT "+count, pc.env)
	if offset != "" {
		sel, err = pc.planner.parse("SELECT 1 LIMIT "+count+" OFFSET "+offset, pc.env)
	}
	if s, ok := sel.(*ast.SelectStmt); ok && err == nil {
		show.Limit = s.Limit
	}
	return show, err
}

// selectInto reads SELECT … INTO @a, @b.
func (pc *planCtx) selectInto(text string, at []int) (ast.StmtNode, error) {
	pc.into = text[at[0]:at[1]]
	for _, v := range variableName.FindAllStringSubmatch(pc.into, -1) {
		pc.plan.AssignsVars = appendOnce(pc.plan.AssignsVars, strings.ToLower(v[1]+v[2]))
	}
	pc.norm = text[:at[0]] + text[at[1]:]
	return pc.planner.parse(pc.norm, pc.env)
}

// addInto writes the INTO clause behind a text of ours.
func (pc *planCtx) addInto(t *Template) {
	if t != nil && pc.into != "" {
		last := &t.parts[len(t.parts)-1]
		last.text += pc.into
	}
}

// insertAlias reads INSERT … VALUES (…) AS new ON DUPLICATE KEY UPDATE v = new.v. The alias is put back behind the rows of texts of ours.
func (pc *planCtx) insertAlias(text string, at []int) (ast.StmtNode, error) {
	pc.rowAlias = " AS " + text[at[2]:at[3]]
	if at[4] >= 0 {
		pc.rowAlias += text[at[4]:at[5]]
	}
	pc.norm = text[:at[0]] + ") on duplicate " + text[at[1]:]
	return pc.planner.parse(pc.norm, pc.env)
}

// unread names a statement that the parser can't read at all: by its leading words if they are known, else by where the parser stopped.
func unread(err error, norm, text string) error {
	words := strings.Fields(strings.ToUpper(norm))
	if len(words) == 0 {
		return notParsed(err, []byte(text))
	}
	switch words[0] {
	case "XA", "HANDLER", "CHECK", "CHECKSUM", "REPAIR", "BACKUP", "INSTALL", "UNINSTALL", "CHANGE", "RESET", "PURGE", "STOP", "CACHE", "CLONE", "GET",
		"SIGNAL", "RESIGNAL", "IMPORT", "SHUTDOWN", "RESTART", "LOAD":
		return errRefused.New(statementName(nil, norm))
	case "SHOW":
		if len(words) > 1 {
			switch words[1] {
			case "BINARY", "ENGINE", "RELAYLOG", "REPLICAS", "SLAVE", "ALL", "EXPLAIN", "PACKAGE", "USER_STATISTICS", "INDEX_STATISTICS":
				return errRefused.New(statementName(nil, norm))
			}
		}
	case "CREATE", "ALTER", "DROP":
		for _, w := range words[1:min(len(words), 8)] {
			switch w {
			case "TRIGGER", "FUNCTION", "PROCEDURE", "EVENT", "VIEW", "SERVER", "TABLESPACE", "LOGFILE", "PACKAGE", "ROLE":
				return errRefused.New(words[0] + " " + w)
			case "TABLE", "DATABASE", "SCHEMA", "INDEX":
				return notParsed(err, []byte(text))
			}
		}
	}
	return notParsed(err, []byte(text))
}

// countMarkers gives the parser's markers of a tree.
func countMarkers(n ast.Node) []*test_driver.ParamMarkerExpr {
	c := &markerCount{}
	n.Accept(c)
	return c.all
}
