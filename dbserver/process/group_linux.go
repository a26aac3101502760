package process

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"time"
)

// attributes puts the child into a process group of its own, so that an interrupt at the terminal reaches only its owner, and
// has the kernel end it if the owner dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitStopped waits until every thread of a process that was sent SIGSTOP has stopped; a second is far more than that takes.
func awaitStopped(pid int) {
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); {
		// pid (name) state …
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return
		}
		if end := bytes.LastIndexByte(text, ')'); end > 0 && end+2 < len(text) && text[end+2] == 'T' {
			return
		}
		<-time.After(time.Millisecond)
	}
}
