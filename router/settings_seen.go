package router

import (
	"sync"

	"ballast/router/backend"
)

// settingsSeen remembers what SET statements of constants lead to, so that the statements which every new connection of a driver begins
// with are answered without asking a node.
type settingsSeen struct {
	mu   sync.Mutex
	next map[settingKey]settingsOutcome
}

// settingsOutcome is what a SET statement leads to.
type settingsOutcome struct {
	next   *backend.Settings
	warned []warning
}

type settingKey struct {
	from *backend.Settings
	sql  string
}

// The bounds of the memory kept.
const (
	maxSettingsSeen = 512
	maxSettingText  = 512
)

func (c *settingsSeen) get(k settingKey) (settingsOutcome, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.next[k]
	return s, ok
}

func (c *settingsSeen) put(k settingKey, s settingsOutcome) {
	if len(k.sql) > maxSettingText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil || len(c.next) >= maxSettingsSeen {
		c.next = map[settingKey]settingsOutcome{}
	}
	c.next[k] = s
}
