package sqlfront

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"ballast/sqlfront/wire"
)

// spool keeps packets: in memory up to a bound, the rest in a temporary file that has no name. First all is written, then all is read once.
type spool struct {
	memory     []byte
	file       *os.File
	size       int64
	cfg        *Config
	reader     *bufio.Reader
	memoryRead int
}

func newSpool(cfg *Config) *spool { return &spool{cfg: cfg} }

// write adds bytes.
func (s *spool) write(p []byte) error {
	s.size += int64(len(p))
	if s.size > s.cfg.CursorMemory+s.cfg.CursorDisk {
		return failCursorSize.New(s.cfg.CursorMemory + s.cfg.CursorDisk)
	}
	if s.file == nil && s.size <= s.cfg.CursorMemory {
		s.memory = append(s.memory, p...)
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp(s.cfg.CursorFolder, "ballast-cursor-*")
		if err != nil {
			return fmt.Errorf("make a cursor's file: %w", err)
		}
		s.file = f
		if err := os.Remove(f.Name()); err != nil {
			return fmt.Errorf("unlink a cursor's file: %w", err)
		}
	}
	if _, err := s.file.Write(p); err != nil {
		return fmt.Errorf("write a cursor's file: %w", err)
	}
	return nil
}

// next reads one payload, into into's memory where it fits. io.EOF follows the last.
func (s *spool) next(into []byte) ([]byte, error) {
	if s.reader == nil {
		if s.file != nil {
			if _, err := s.file.Seek(0, io.SeekStart); err != nil {
				return nil, fmt.Errorf("rewind a cursor's file: %w", err)
			}
		}
		s.reader = bufio.NewReaderSize(s, 4<<10)
	}
	into = into[:0]
	for {
		var head [wire.HeaderSize]byte
		if _, err := io.ReadFull(s.reader, head[:]); err != nil {
			return nil, err
		}
		n, _ := wire.Header(head[:])
		at := len(into)
		into = append(into, make([]byte, n)...)
		if _, err := io.ReadFull(s.reader, into[at:]); err != nil {
			return nil, err
		}
		if n < wire.MaxPayload {
			return into, nil
		}
	}
}

// Read gives the bytes that were written, for the buffered reader.
func (s *spool) Read(p []byte) (int, error) {
	if s.memoryRead < len(s.memory) {
		n := copy(p, s.memory[s.memoryRead:])
		s.memoryRead += n
		return n, nil
	}
	if s.file == nil {
		return 0, io.EOF
	}
	return s.file.Read(p)
}

// each reads all that is left.
func (s *spool) each(do func(payload []byte) error) error {
	var payload []byte
	for {
		var err error
		if payload, err = s.next(payload); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := do(payload); err != nil {
			return err
		}
	}
}

// close frees the memory and the file.
func (s *spool) close() {
	s.memory = nil
	if s.file == nil {
		return
	}
	file := s.file
	s.file = nil
	if err := file.Close(); err != nil {
		s.cfg.Logger.Warn("closing a cursor's file failed", logError, err)
	}
}
