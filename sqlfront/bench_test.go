package sqlfront_test

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ballast/sqlfront/wire"
)

// BenchmarkSmallAnswer is one COM_QUERY and one small answer, over loopback with a client that makes one read and one write a query itself.
// It reports the server's own reads and writes a query, and the allocations of both sides.
func BenchmarkSmallAnswer(b *testing.B) {
	r := start(b, nil)
	p := peer(b, r, "root", "", usual)
	file, err := p.Conn.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		b.Fatal(err)
	}
	closing(b, file)
	fd := int(file.Fd())
	if err := syscall.SetNonblock(fd, false); err != nil {
		b.Fatal(err)
	}
	query, _ := wire.AppendPacket(nil, 0, []byte("\x03commit"))
	answer := make([]byte, 4096)
	ask := func() {
		if _, err := syscall.Write(fd, query); err != nil {
			b.Fatal(err)
		}
		if _, err := syscall.Read(fd, answer); err != nil {
			b.Fatal(err)
		}
	}
	ask()
	b.ReportAllocs()
	r0, w0 := systemCalls(b)
	for b.Loop() {
		ask()
	}
	r1, w1 := systemCalls(b)
	b.ReportMetric(float64(r1-r0)/float64(b.N)-1, "reads/op")
	b.ReportMetric(float64(w1-w0)/float64(b.N)-1, "writes/op")
}

// systemCalls reads how many reads and writes this process has made.
func systemCalls(b *testing.B) (reads, writes int64) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		switch name {
		case "syscr":
			reads = n
		case "syscw":
			writes = n
		}
	}
	return reads, writes
}

// TestIdleConnectionMemory bounds what an idle client costs, its goroutine included.
func TestIdleConnectionMemory(t *testing.T) {
	r := start(t, nil)
	const clients = 200
	measure := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	files := make([]int, 0, clients)
	addr := syscallAddr(t, r.addr)
	before := measure()
	for range clients {
		files = append(files, rawLogin(t, addr))
	}
	defer func() {
		for _, fd := range files {
			if err := syscall.Close(fd); err != nil {
				t.Error(err)
			}
		}
	}()
	each := (measure() - before) / clients
	t.Logf("an idle connection costs %d bytes", each)
	if each > 20<<10 {
		t.Errorf("an idle connection costs %d bytes, more than 20 KiB", each)
	}
}

func syscallAddr(t *testing.T, addr string) *syscall.SockaddrInet4 {
	_, port, _ := strings.Cut(addr, ":")
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.SockaddrInet4{Port: n, Addr: [4]byte{127, 0, 0, 1}}
}

// rawLogin logs in as root over a blocking socket that costs this process nothing but a file descriptor, and runs one statement.
func rawLogin(t *testing.T, addr *syscall.SockaddrInet4) int {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Connect(fd, addr); err != nil {
		t.Fatal(err)
	}
	var buf [512]byte
	m := wire.HandshakeResponse{Capabilities: usual | wire.ClientProtocol41 | wire.ClientSecureConnection | wire.ClientPluginAuth, User: "root", Plugin: "caching_sha2_password"}
	response, _ := wire.AppendPacket(nil, 1, m.Append(nil))
	query, _ := wire.AppendPacket(nil, 0, []byte("\x03rows 1"))
	for _, send := range [][]byte{response, query, nil} {
		n, err := syscall.Read(fd, buf[:])
		if err != nil || n < 7 {
			t.Fatal(n, err)
		}
		if send == nil {
			break
		}
		if _, err := syscall.Write(fd, send); err != nil {
			t.Fatal(err)
		}
	}
	return fd
}
