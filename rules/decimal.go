package rules

import "strings"

// isDecimal says whether s is a decimal number: digits, at most one point, an optional minus.
func isDecimal(s string) bool {
	s = strings.TrimPrefix(s, "-")
	digits, point := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && !point:
			point = true
		default:
			return false
		}
	}
	return digits > 0
}

// plainDecimal strips what a canonical text may carry beyond the value: zeros at the end of the fraction, the sign of zero.
// So equal values of different scales have one text, and it is the text of the integer where the value is one.
func plainDecimal(s string) string {
	if strings.IndexByte(s, '.') >= 0 {
		s = strings.TrimRight(s, "0")
		s = strings.TrimSuffix(s, ".")
	}
	if s == "-0" || s == "" || s == "-" {
		return "0"
	}
	return s
}

// splitDecimal gives the parts of a plain decimal: integer digits without leading zeros, fraction digits without trailing ones.
func splitDecimal(s string) (neg bool, whole, frac string) {
	s = plainDecimal(s)
	if strings.HasPrefix(s, "-") {
		neg, s = true, s[1:]
	}
	if i := strings.IndexByte(s, '.'); i >= 0 {
		s, frac = s[:i], s[i+1:]
	}
	return neg, strings.TrimLeft(s, "0"), frac
}

// canonicalDecimal gives the one plain text of a decimal number as it may be written in a rule ("+007.50" is "7.5").
func canonicalDecimal(s string) string {
	neg, whole, frac := splitDecimal(s)
	if whole == "" {
		whole = "0"
	}
	if frac != "" {
		whole += "." + frac
	}
	if neg && whole != "0" {
		whole = "-" + whole
	}
	return whole
}

// decimalFloor rounds down to an integer; the caller made sure that it has at most maxNumberDigits digits before the point.
func decimalFloor(s string) number {
	neg, whole, frac := splitDecimal(s)
	var n int64
	for i := 0; i < len(whole); i++ {
		n = n*10 + int64(whole[i]-'0')
	}
	if neg {
		n = -n
		if frac != "" {
			n--
		}
	}
	return intNumber(n)
}

// compareDecimal orders two decimal texts by value.
func compareDecimal(a, b string) int {
	an, aw, af := splitDecimal(a)
	bn, bw, bf := splitDecimal(b)
	if an != bn {
		if an {
			return -1
		}
		return 1
	}
	c := len(aw) - len(bw)
	if c == 0 {
		c = strings.Compare(aw, bw)
	}
	if c == 0 {
		c = strings.Compare(af, bf) // fractions without trailing zeros order as texts
	}
	if an {
		c = -c
	}
	switch {
	case c < 0:
		return -1
	case c > 0:
		return 1
	}
	return 0
}
