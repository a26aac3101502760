//go:build !linux

package process

import "syscall"

// attributes puts the child into a process group of its own, so that an interrupt at the terminal reaches only its owner.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitStopped has nothing to ask here; a signal is delivered at once for practical purposes.
func awaitStopped(int) {}
