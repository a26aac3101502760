package router

import (
	"sync"

	"ballast/router/backend"
)

// settingsSeen remembers what SET statements of constants lead to, so that the statements which every new connection of a driver begins
// with are answered without asking a node.
type settingsSeen struct {
	mu   sync.Mutex
	next map[settingKey]*backend.Settings
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

func (c *settingsSeen) get(k settingKey) (*backend.Settings, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.next[k]
	return s, ok
}

func (c *settingsSeen) put(k settingKey, s *backend.Settings) {
	if len(k.sql) > maxSettingText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil || len(c.next) >= maxSettingsSeen {
		c.next = map[settingKey]*backend.Settings{}
	}
	c.next[k] = s
}
