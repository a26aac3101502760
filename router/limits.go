package router

import (
	"errors"
	"fmt"
	"time"
)

// Limits bounds what a client can make the router spend. All of it reloads on SIGHUP.
type Limits struct {
	// MaxStatementBytes is the longest statement taken. More lets bigger bulk INSERTs through; each is held in memory whole. Default 64 MiB.
	MaxStatementBytes int `yaml:"max_statement_bytes"`
	// QueryMemory bounds the bytes that merging one statement's rows may hold. More lets bigger sorts and groups through; statements
	// that merge at the same time may each take as much. Default 64 MiB.
	QueryMemory int64 `yaml:"query_memory"`
	// MaxStatements bounds the text-prepared statements (PREPARE) of a session; over it error 1461. Each holds its text in memory. Default 1024.
	MaxStatements int `yaml:"max_statements"`
	// SlowStatement is the time from which a statement is written to the slow log, by digest. 0 switches the log off. Default 1s.
	SlowStatement time.Duration `yaml:"slow_statement"`
	// LogScatter writes statements that ran on several nodes to the log, each digest at most once a minute. Default false.
	LogScatter bool `yaml:"log_scatter"`
}

// DefaultLimits gives the defaults.
func DefaultLimits() Limits {
	return Limits{MaxStatementBytes: 64 << 20, QueryMemory: 64 << 20, MaxStatements: 1024, SlowStatement: time.Second}
}

// Validate names all faults at once.
func (l Limits) Validate() error {
	var errs []error
	if l.MaxStatementBytes < 1024 {
		errs = append(errs, fmt.Errorf("limits.max_statement_bytes is %d, the least is 1024", l.MaxStatementBytes))
	}
	if l.QueryMemory < 64<<10 {
		errs = append(errs, fmt.Errorf("limits.query_memory is %d, the least is %d", l.QueryMemory, 64<<10))
	}
	if l.MaxStatements < 1 {
		errs = append(errs, fmt.Errorf("limits.max_statements is %d, the least is 1", l.MaxStatements))
	}
	if l.SlowStatement < 0 {
		errs = append(errs, fmt.Errorf("limits.slow_statement is %v, negative", l.SlowStatement))
	}
	return errors.Join(errs...)
}
