package dbserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Lock takes an exclusive lock on a file (made if absent, with its folder) and gives the function that releases it. The system
// releases it too when the process ends. While another process holds it, Lock waits until ctx ends.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	for {
		unlock, held, err := TryLock(path)
		if err != nil || !held {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for another process that holds %s: %w", path, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// TryLock is Lock without waiting: held is true if another holder has the lock.
func TryLock(path string) (unlock func(), held bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, false, fmt.Errorf("make the folder of a lock: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		return nil, false, fmt.Errorf("open a lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return func() { release(f) }, false, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, true, f.Close()
	}
	return nil, false, fmt.Errorf("lock %s: %w", path, errors.Join(err, f.Close()))
}

// release closes a locked file, which unlocks it; closing a file that was only locked has nothing to lose.
func release(f *os.File) {
	if err := f.Close(); err != nil {
		return
	}
}
