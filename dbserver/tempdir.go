package dbserver

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// fastRoom is how much free memory a memory-backed folder must have before test data goes there, in bytes.
const fastRoom = 4 << 30

// FastTempDir gives an existing folder for short-lived test data: in memory where the system has room for that, since durable
// commits on a disk are slow, else the system's temporary folder.
func FastTempDir() (string, error) {
	const memory = "/dev/shm"
	var st syscall.Statfs_t
	if err := syscall.Statfs(memory, &st); err == nil && st.Bavail*uint64(st.Bsize) >= fastRoom {
		if dir, err := makeOwn(filepath.Join(memory, fmt.Sprintf("ballast-%d", os.Getuid()))); err == nil {
			return dir, nil
		}
	}
	return makeOwn(filepath.Join(os.TempDir(), fmt.Sprintf("ballast-%d", os.Getuid())))
}

func makeOwn(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a temporary folder: %w", err)
	}
	return dir, nil
}
