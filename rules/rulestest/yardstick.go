package rulestest

import (
	"hash/crc32"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// TimesOfCRC says how many times as long f takes as the CRC32 of the texts: a measure of speed that hardly depends on the machine, or on
// what else it does. The CRC goes byte by byte, as code that reads text does; the IEEE polynomial would be summed up by instructions of its
// own, which some machines lack. f and the CRC take turns, and the median of many turns counts. Not for tests under the race detector,
// which slows f down only, nor for parallel ones.
//
// No garbage is collected meanwhile, since that makes writing pointers dearer; so f must allocate little.
func TimesOfCRC(texts [][]byte, f func()) float64 {
	const turns, perTurn = 201, 20
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	table := crc32.MakeTable(crc32.Koopman)
	ratios := make([]float64, 0, turns)
	sum := uint32(0)
	for range turns {
		began := time.Now()
		for range perTurn {
			f()
		}
		between := time.Now()
		for range perTurn {
			for _, text := range texts {
				sum = crc32.Update(sum, table, text)
			}
		}
		ended := time.Now()
		ratios = append(ratios, float64(between.Sub(began))/float64(max(1, ended.Sub(between))))
	}
	slices.Sort(ratios)
	if sum == 0 { // so that the sum is needed
		return 0
	}
	return ratios[turns/2]
}
