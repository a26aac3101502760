// Package process runs a child process: its output passes through to a log while its last words are remembered, its end can be
// waited for, and it can be stopped, killed and frozen.
//
// A child has a process group of its own, so that an interrupt at the terminal reaches only its owner, and on Linux the kernel ends
// it when the owner dies, however that happens.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// Process is one life of a child. Its methods may be used by several goroutines.
type Process struct {
	cmd  *exec.Cmd
	log  *logTail
	done chan struct{} // closed when the process has ended
}

// Start runs the command with its output going to out, which is closed when the process has ended or could not be started. It sets
// the command's output and system attributes.
func Start(cmd *exec.Cmd, out io.WriteCloser) (*Process, error) {
	p := &Process{cmd: cmd, log: &logTail{out: out}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.log, p.log
	cmd.WaitDelay = 5 * time.Second
	cmd.SysProcAttr = attributes()
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	go func() {
		defer close(p.done)
		p.log.ended(cmd.Wait())
	}()
	return p, nil
}

// Alive tells whether the process runs; a nil Process does not.
func (p *Process) Alive() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// PID gives the process id, or 0 when the process has ended.
func (p *Process) PID() int {
	if !p.Alive() {
		return 0
	}
	return p.cmd.Process.Pid
}

// Exited gives a channel that is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} {
	if p == nil {
		gone := make(chan struct{})
		close(gone)
		return gone
	}
	return p.done
}

// LastWords words why the process ended, or what it said last.
func (p *Process) LastWords() string {
	if p == nil {
		return ""
	}
	return p.log.reason()
}

// Signal sends to the process; one that has just ended is no fault.
func (p *Process) Signal(sig syscall.Signal) {
	if !p.Alive() {
		return
	}
	if err := p.cmd.Process.Signal(sig); err != nil {
		return
	}
}

// Stop asks the process to end in good order and returns when it is gone. When ctx ends first, the process is killed, which is an error.
func (p *Process) Stop(ctx context.Context) error {
	if !p.Alive() {
		return nil
	}
	p.Signal(syscall.SIGTERM)
	p.Signal(syscall.SIGCONT) // a frozen process could not end
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		p.Kill()
		return fmt.Errorf("the process had to be killed: %w", ctx.Err())
	}
}

// Kill ends the process at once, as a crash would, and returns when it is gone.
func (p *Process) Kill() {
	if !p.Alive() {
		return
	}
	p.Signal(syscall.SIGKILL)
	<-p.done
}

// Pause freezes the process and returns when it stands still; Resume lets it go on.
func (p *Process) Pause() {
	if pid := p.PID(); pid != 0 {
		p.Signal(syscall.SIGSTOP)
		awaitStopped(pid)
	}
}

// Resume undoes Pause.
func (p *Process) Resume() { p.Signal(syscall.SIGCONT) }
