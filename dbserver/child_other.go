//go:build !linux

package dbserver

import "syscall"

// childAttributes puts the server into a process group of its own, so that an interrupt at the terminal reaches only its owner.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitStopped has nothing to ask here; a signal is delivered at once for practical purposes.
func awaitStopped(int) {}
