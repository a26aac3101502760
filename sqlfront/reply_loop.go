package sqlfront

// loopSide is the connection's part in a command that a Launcher has launched.
type loopSide interface {
	full() bool
	finish(err error)
	block(f func() error)
	repeat()
	panicked(p any)
}

// Full tells whether the client has not read what was written: a launched command then waits for Launcher.Resume before it writes more. What
// is written nevertheless is kept.
func (r *Reply) Full() bool { return r.loop.full() }

// Finish ends a launched command, as returning err from Query would. It must be called on the loop.
func (r *Reply) Finish(err error) { r.loop.finish(err) }

// Block carries a launched command on by f, on a goroutine, where everything may block; its error ends the command. It must be called on the
// loop, as the last thing that is done there for the command.
func (r *Reply) Block(f func() error) { r.loop.block(f) }

// Repeat has a launched command of which nothing was done, and nothing answered, run as if it had not been launched: on a goroutine. It must be
// called on the loop.
func (r *Reply) Repeat() { r.loop.repeat() }

// Recovered ends a launched command in which a panic was met, as one in Query would: only this connection ends. It must be called on the loop,
// with what recover gave.
func (r *Reply) Recovered(p any) { r.loop.panicked(p) }
