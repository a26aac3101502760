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
