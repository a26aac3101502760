package core

import "fmt"

// JobState is where a definition job stands.
type JobState string

// The states.
const (
	// Checked: tried out and found good; nothing has changed yet.
	Checked JobState = "checked"
	// Hiding: routers are told that the object is gone (drops only).
	Hiding JobState = "hiding"
	// Changing: nodes are changed one by one.
	Changing JobState = "changing"
	// Undoing: a node refused; those that had been changed are changed back.
	Undoing JobState = "undoing"
	// Publishing: all nodes have it; the new version is committed and waits for the routers.
	Publishing JobState = "publishing"
	// Done and Failed are ends.
	Done   JobState = "done"
	Failed JobState = "failed"
)

// JobEvent moves a job on.
type JobEvent string

// The events.
const (
	Begin       JobEvent = "begin"
	Hide        JobEvent = "hide"
	Hidden      JobEvent = "hidden"
	NodesDone   JobEvent = "nodes done"
	NodeRefused JobEvent = "node refused"
	Undone      JobEvent = "undone"
	Published   JobEvent = "published"
)

// jobTable is the whole life of a definition job. A pair that is not listed is refused. In Hiding, Changing, Undoing and Publishing a job
// survives its master: the next leader goes on from there.
var jobTable = map[JobState]map[JobEvent]JobState{
	Checked:    {Begin: Changing, Hide: Hiding},
	Hiding:     {Hidden: Changing},
	Changing:   {NodesDone: Publishing, NodeRefused: Undoing},
	Undoing:    {Undone: Failed},
	Publishing: {Published: Done},
	Done:       {},
	Failed:     {},
}

// Next gives the state after an event, or an error for a pair that the table does not have.
func (s JobState) Next(e JobEvent) (JobState, error) {
	if next, ok := jobTable[s][e]; ok {
		return next, nil
	}
	return s, fmt.Errorf("a definition job that is %s can't take %q", s, e)
}

// Over says whether a job has ended.
func (s JobState) Over() bool { return s == Done || s == Failed }
