package rules

import "math/bits"

// spreadIndex gives n × nodes / outcomes without overflow, for n < outcomes.
func spreadIndex(n, nodes, outcomes uint64) int {
	hi, lo := bits.Mul64(n, nodes)
	if hi == 0 {
		return int(lo / outcomes)
	}
	q, _ := bits.Div64(hi, lo, outcomes)
	return int(q)
}

// spreadStart gives the first number of a place where outcomes are spread over nodes: the least n with n × nodes / outcomes ≥ place.
func spreadStart(place, nodes int, outcomes uint64) uint64 {
	return mulDivUp(uint64(place), outcomes, uint64(nodes))
}

// mulDivUp gives a × b / c, rounded up.
func mulDivUp(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	lo, carry := bits.Add64(lo, c-1, 0)
	q, _ := bits.Div64(hi+carry, lo, c)
	return q
}
