package wire

// The flags of the server status word.
const (
	StatusInTrans            Status = 0x0001
	StatusAutocommit         Status = 0x0002
	StatusMoreResults        Status = 0x0008
	StatusNoGoodIndexUsed    Status = 0x0010
	StatusNoIndexUsed        Status = 0x0020
	StatusCursorExists       Status = 0x0040
	StatusLastRowSent        Status = 0x0080
	StatusDBDropped          Status = 0x0100
	StatusNoBackslashEscapes Status = 0x0200
	StatusMetadataChanged    Status = 0x0400
	StatusQueryWasSlow       Status = 0x0800
	StatusPSOutParams        Status = 0x1000
	StatusInTransReadonly    Status = 0x2000
	StatusSessionChanged     Status = 0x4000
)

// Has tells whether all flags of want are set.
func (s Status) Has(want Status) bool { return s&want == want }
