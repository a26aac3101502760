package supervise

import (
	"strings"
	"unicode/utf8"
)

// grid draws a table of text with aligned columns, without a newline at its end; columns that hold only numbers are aligned to the right.
func grid(header []string, body [][]string) string {
	width := make([]int, len(header))
	number := make([]bool, len(header))
	for i, h := range header {
		width[i], number[i] = utf8.RuneCountInString(h), len(body) > 0
		for _, line := range body {
			width[i] = max(width[i], utf8.RuneCountInString(line[i]))
			number[i] = number[i] && strings.Trim(line[i], "0123456789.-") == ""
		}
	}
	var b strings.Builder
	row := func(cells []string) {
		var line strings.Builder
		for i, c := range cells {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			line.WriteString("  ")
			if number[i] {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	row(header)
	rule := make([]string, len(header))
	for i := range rule {
		rule[i] = strings.Repeat("-", width[i])
	}
	row(rule)
	for _, line := range body {
		row(line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
