package rulestest

import (
	"hash/crc32"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// TimesOfCRC says how many times as long f takes as the CRC32 of the texts: a measure of speed that hardly depends on the machine, or on
// what else it does. The CRC is that of crc32.ChecksumIEEE, summed up as it is where the processor has no instructions for it: eight bytes
// at a time through tables. So it feels a neighbor on the same core much as other code does. f and the CRC take turns, and the median of
// many turns counts; of three such medians the least, since something else may be in the way for a while. Not for tests under the race
// detector, which slows f down only, nor for parallel ones.
//
// No garbage is collected meanwhile, since that makes writing pointers dearer; so f must allocate little.
func TimesOfCRC(texts [][]byte, f func()) float64 {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	y := newYardstick()
	return min(y.median(texts, f), y.median(texts, f), y.median(texts, f))
}

// yardstick sums up. after[n][c] is the CRC of the byte c with n zero bytes behind it.
type yardstick struct {
	after [8][256]uint32
	sum   uint32
}

func newYardstick() *yardstick {
	y := &yardstick{after: [8][256]uint32{*crc32.IEEETable}}
	for c := range 256 {
		for n := 1; n < 8; n++ {
			before := y.after[n-1][c]
			y.after[n][c] = y.after[0][byte(before)] ^ before>>8
		}
	}
	return y
}

func (y *yardstick) crc(b []byte) uint32 {
	t, crc := &y.after, ^uint32(0)
	for ; len(b) >= 8; b = b[8:] {
		crc ^= uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		crc = t[0][b[7]] ^ t[1][b[6]] ^ t[2][b[5]] ^ t[3][b[4]] ^ t[4][crc>>24] ^ t[5][crc>>16&0xFF] ^ t[6][crc>>8&0xFF] ^ t[7][crc&0xFF]
	}
	for _, c := range b {
		crc = t[0][byte(crc)^c] ^ crc>>8
	}
	return ^crc
}

func (y *yardstick) median(texts [][]byte, f func()) float64 {
	const turns, perTurn = 101, 20
	ratios := make([]float64, 0, turns)
	for range turns {
		began := time.Now()
		for range perTurn {
			f()
		}
		between := time.Now()
		for range perTurn {
			for _, text := range texts {
				y.sum ^= y.crc(text)
			}
		}
		ended := time.Now()
		ratios = append(ratios, float64(between.Sub(began))/float64(max(1, ended.Sub(between))))
	}
	slices.Sort(ratios)
	return ratios[turns/2]
}
