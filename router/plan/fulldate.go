package plan

import "strings"

// fullDate writes a date, or a date with its time, in the full form YYYY-MM-DD[ hh:mm:ss[.f…]] where it has one of the other forms that servers take
// without doubt: parts without leading zeros ('2024-3-5 7:08:09'), a T before the time, no separators at all (20240305, 20240305070809). Any other
// text is given back as it is.
func fullDate(text string) string {
	if len(text) >= 10 && text[4] == '-' && text[7] == '-' && (len(text) == 10 || text[10] == ' ') {
		return text // mostly it is in the full form
	}
	if digits(text) {
		switch len(text) {
		case len("20060102"):
			return text[:4] + "-" + text[4:6] + "-" + text[6:]
		case len("20060102150405"):
			return text[:4] + "-" + text[4:6] + "-" + text[6:8] + " " + text[8:10] + ":" + text[10:12] + ":" + text[12:]
		}
		return text
	}
	date, clock := text, ""
	if at := strings.IndexAny(text, " T"); at >= 0 {
		date, clock = text[:at], text[at+1:]
	}
	d, ok := padded(date, '-', 4)
	if !ok {
		return text
	}
	if clock == "" {
		if len(date) != len(text) {
			return text // a blank or a T with nothing behind it
		}
		return d
	}
	whole, fraction, dot := strings.Cut(clock, ".")
	c, ok := padded(whole, ':', 2)
	if !ok || dot && !digits(fraction) {
		return text
	}
	if dot {
		c += "." + fraction
	}
	return d + " " + c
}

// padded fills up three numbers between separators: the first to the given width, which it must have if that is 4, the others to two digits.
func padded(text string, separator byte, first int) (string, bool) {
	parts := strings.Split(text, string(separator))
	if len(parts) != 3 || first == 4 && len(parts[0]) != 4 {
		return "", false
	}
	for i, p := range parts {
		if !digits(p) || len(p) > 2 && !(i == 0 && first == 4) {
			return "", false
		}
		if len(p) == 1 {
			parts[i] = "0" + p
		}
	}
	return strings.Join(parts, string(separator)), true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
