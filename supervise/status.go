package supervise

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"ballast/dbserver"
)

// State is where a role stands.
type State string

// The states of a role.
const (
	StateWaiting  State = "waiting"  // for other roles
	StateStarting State = "starting" // its process was started
	StateReady    State = "ready"    // it answers
	StateDown     State = "down"     // it ended, or failed to start, and will be started again
	StateStopped  State = "stopped"  // on purpose
)

// RoleStatus is what the supervisor knows of one role.
type RoleStatus struct {
	Name  string `json:"name"`
	Port  int    `json:"port"`
	State State  `json:"state"`
	// PID is 0 while no process runs.
	PID int `json:"pid"`
	// Restarts counts the starts after the first one.
	Restarts int `json:"restarts"`
	// LastError is why the process ended last, or why it did not start.
	LastError string `json:"last_error,omitempty"`
	// Since is when State was entered.
	Since time.Time `json:"since"`
}

// ClusterStatus is the content of status.json.
type ClusterStatus struct {
	PID     int              `json:"pid"`
	Flavour dbserver.Flavour `json:"flavour"`
	Roles   []RoleStatus     `json:"roles"`
}

// ready tells whether all roles answer.
func (c ClusterStatus) ready() bool {
	for _, r := range c.Roles {
		if r.State != StateReady {
			return false
		}
	}
	return len(c.Roles) > 0
}

// board holds the status and writes it to its file after each change.
type board struct {
	path string

	mu     sync.Mutex
	status ClusterStatus
}

func newBoard(path string, flavour dbserver.Flavour, roles []*role) *board {
	b := &board{path: path, status: ClusterStatus{PID: os.Getpid(), Flavour: flavour}}
	for _, r := range roles {
		b.status.Roles = append(b.status.Roles, RoleStatus{Name: r.name, Port: r.port, State: StateWaiting, Since: time.Now()})
	}
	return b
}

// set changes one role's status and writes the file.
func (b *board) set(name string, change func(*RoleStatus)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.status.Roles {
		if r := &b.status.Roles[i]; r.Name == name {
			before := r.State
			change(r)
			if r.State != before {
				r.Since = time.Now()
			}
		}
	}
	return b.write()
}

// write replaces the file in one step, so that a reader never sees half of it. The caller holds mu.
func (b *board) write() error {
	text, err := json.MarshalIndent(b.status, "", "  ")
	if err != nil {
		return fmt.Errorf("write the status: %w", err)
	}
	if err := os.WriteFile(b.path+".new", append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the status: %w", err)
	}
	if err := os.Rename(b.path+".new", b.path); err != nil {
		return fmt.Errorf("write the status: %w", err)
	}
	return nil
}

// Status reads what the supervisor of the cluster says; running is false, with an empty status, if there is none.
func Status(o Options) (status ClusterStatus, running bool, err error) {
	if o, err = o.withDefaults(); err != nil {
		return ClusterStatus{}, false, err
	}
	held, err := o.supervised()
	if err != nil || !held {
		return ClusterStatus{}, false, err
	}
	text, err := os.ReadFile(o.path("status.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return ClusterStatus{}, true, nil
	}
	if err != nil {
		return ClusterStatus{}, true, fmt.Errorf("read the status: %w", err)
	}
	if err := json.Unmarshal(text, &status); err != nil {
		return ClusterStatus{}, true, fmt.Errorf("read the status: %w", err)
	}
	return status, true, nil
}

// supervised tells whether a supervisor runs: it holds the lock as long as it lives.
func (o Options) supervised() (bool, error) {
	if _, err := os.Stat(o.home()); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	unlock, held, err := dbserver.TryLock(o.path("supervisor.lock"))
	if err != nil {
		return false, err
	}
	if !held {
		unlock()
	}
	return held, nil
}
