package core

import (
	"fmt"

	"ballast/rules/catalog"
)

// Facts are what all nodes of a cluster have in common. The first node sets them.
type Facts struct {
	Flavor         catalog.Flavor `json:"flavor,omitempty"`
	SQLMode        string         `json:"sql_mode"`
	Charset        string         `json:"character_set_server"`
	Collation      string         `json:"collation_server"`
	LowerCaseNames int            `json:"lower_case_table_names"`
	TimeZone       string         `json:"time_zone"`
	// ZoneOffset is what the server's own zone makes of a fixed instant, so that two SYSTEM zones can be told apart.
	ZoneOffset string `json:"zone_offset"`
	// ZoneTables says whether named time zones are loaded.
	ZoneTables bool `json:"zone_tables"`
}

// Known says whether a first node has set the facts.
func (f Facts) Known() bool { return f.Flavor != "" }

// Differences names what g has otherwise than the cluster, one line each.
func (f Facts) Differences(g Facts) []string {
	var out []string
	for _, c := range []struct {
		name      string
		want, got any
	}{
		{"server", f.Flavor, g.Flavor},
		{"sql_mode", f.SQLMode, g.SQLMode},
		{"character_set_server", f.Charset, g.Charset},
		{"collation_server", f.Collation, g.Collation},
		{"lower_case_table_names", f.LowerCaseNames, g.LowerCaseNames},
		{"time_zone", f.TimeZone, g.TimeZone},
		{"offset of the server's time zone", f.ZoneOffset, g.ZoneOffset},
		{"time zone tables loaded", f.ZoneTables, g.ZoneTables},
	} {
		if c.want != c.got {
			out = append(out, fmt.Sprintf("%s is %v, the cluster has %v", c.name, c.got, c.want))
		}
	}
	return out
}
