package engine

import (
	"testing"

	"ballast/sqlfront/wire"
)

func TestScanMalformedRows(t *testing.T) {
	text := shape{columns: fakeColumns("a:int s:text"), format: wire.Text}
	bin := shape{columns: fakeColumns("a:int s:text t:time"), format: wire.Binary}
	for _, row := range [][]byte{nil, {1}, {1, '1'}, {5, '1'}, {0xfb}, {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, {0xff, 0}} {
		if _, err := text.scan(row, 2, nil); err == nil {
			t.Errorf("text %x passes", row)
		}
	}
	for _, row := range [][]byte{nil, {0}, {1, 0}, {0, 0, 1, 2}, {0, 0, 1, 2, 3, 4, 9}, {0, 0, 1, 2, 3, 4, 0, 12, 1}} {
		if _, err := bin.scan(row, 3, nil); err == nil {
			t.Errorf("binary %x passes", row)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 3, 4, 1, 'x', 0}, true)
	f.Add([]byte{1, '1', 0xfb, 8, '0', '0', ':', '0', '0', ':', '0', '0'}, false)
	f.Fuzz(func(t *testing.T, row []byte, inBinary bool) {
		s := shape{columns: fakeColumns("a:int s:text t:time d:datetime x:dec2 f:double"), format: wire.Text}
		if inBinary {
			s.format = wire.Binary
		}
		fields, err := s.scan(row, len(s.columns), nil)
		if err != nil {
			return
		}
		for i, at := range fields {
			if _, err := s.decode(row, at, i, classOf(s.columns[i])); err != nil {
				return
			}
		}
	})
}
