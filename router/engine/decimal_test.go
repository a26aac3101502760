package engine

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func dec(s string) decimal {
	d, ok := parseDecimal([]byte(s))
	if !ok {
		panic(s)
	}
	return d
}

func TestDecimalArithmetic(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{dec("1.5").add(dec("-2.25")).String(), "-0.75"},
		{dec("0.00").neg().String(), "0.00"},
		{dec("-0.004").round(2).String(), "0.00"},
		{dec("-0.005").round(2).String(), "-0.01"},
		{dec("2.5").round(0).String(), "3"},
		{dec("99999999999999999999999999999999999.99").mul(dec("10")).String(), "999999999999999999999999999999999999.90"},
		{dec("10").quo(dec("3")).String(), "3.333333333"},
		{dec("-10").quo(dec("3")).round(4).String(), "-3.3333"},
		{dec("1.00").quo(dec("7.0")).String(), "0.142857142857142857"},
		{dec("-7.5").quoInt(dec("2")).String(), "-3"},
		{dec("-7.5").rem(dec("2")).String(), "-1.5"},
		{dec("7").sub(dec("7.000")).String(), "0.000"},
		{dec("18446744073709551615").String(), decimalOfUint(1<<64 - 1).String()},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	for _, bad := range []string{"", "-", "1e3", "1.2.3", "a", "."} {
		if _, ok := parseDecimal([]byte(bad)); ok {
			t.Errorf("%q is no decimal", bad)
		}
	}
}

func TestCompareDecimalText(t *testing.T) {
	text := rapid.StringMatching(`-?[0-9]{1,4}(\.[0-9]{1,3})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := compareDecimalText([]byte(a), []byte(b)), x.Cmp(y); got != want {
			t.Fatalf("%s and %s: %d, want %d", a, b, got, want)
		}
		if got, want := dec(a).cmp(dec(b)), x.Cmp(y); got != want {
			t.Fatalf("%s and %s: %d, want %d", a, b, got, want)
		}
		same := string(identity(nil, value{kind: exact, b: []byte(a)})) == string(identity(nil, value{kind: exact, b: []byte(b)}))
		if same != (x.Cmp(y) == 0) {
			t.Fatalf("identity of %s and %s", a, b)
		}
	})
}

func TestFormatDouble(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 0.1: "0.1", -2: "-2", 1e14: "100000000000000", 1e15: "1e15", 1e300: "1e300", 1.5e-7: "0.00000015", 123456.789: "123456.789"} {
		if got := formatDouble(f); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
