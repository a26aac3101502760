package plan

// SplitStatements cuts a text of several statements at its ';', leaving out empty ones; it knows quotes and comments. The pieces share
// sql's memory.
func SplitStatements(sql []byte, opt LexOptions) ([][]byte, error) {
	var (
		l   Lexer
		out [][]byte
	)
	for at := 0; at < len(sql); at = l.Next() {
		if err := l.Lex(sql, at, opt); err != nil {
			return nil, err
		}
		if !l.Empty() {
			out = append(out, sql[at:l.end])
		}
	}
	return out, nil
}

// The limits of one statement: the depth of parentheses, the names and operators, and the literals, rows of the same form not counted.
// Trees are walked recursively, so what a client sends must not decide how deep.
const (
	maxDepth    = 1_000
	maxWords    = 200_000
	maxLiterals = 1_000_000
)

// tooComplex says which limit the statement is beyond.
func (l *Lexer) tooComplex() error {
	switch {
	case l.deepest > maxDepth:
		return errComplex.New("parentheses", maxDepth)
	case l.words > maxWords:
		return errComplex.New("names and operators", maxWords)
	}
	return errComplex.New("literals", maxLiterals)
}
