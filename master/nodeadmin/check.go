package nodeadmin

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ballast/master/core"
	"ballast/rules/catalog"
)

// Report is what a check found. Problems refuse a node, Weak ones may be accepted.
type Report struct {
	Facts   core.Facts
	Version string
	// Problems are named and complete: all that is wrong at once.
	Problems []string
	// Weak are settings that can lose committed transactions when the node's host crashes.
	Weak []string
}

// Check looks at everything a node must have. The error is for a node that can't be asked.
func (n *Node) Check(ctx context.Context) (*Report, error) {
	flavor, version, err := n.Flavor(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{Version: version}
	r.Facts.Flavor = flavor
	v, err := n.variables(ctx, "log_bin", "binlog_format", "binlog_row_image", "sync_binlog", "innodb_flush_log_at_trx_commit", "gtid_mode",
		"enforce_gtid_consistency", "sql_mode", "character_set_server", "collation_server", "lower_case_table_names", "time_zone", "system_time_zone",
		"wsrep_on", "default_storage_engine", "read_only", "super_read_only", "skip_name_resolve", "group_replication_group_name",
		"group_replication_single_primary_mode", "partial_revokes")
	if err != nil {
		return nil, err
	}
	r.version(flavor, version)
	r.settings(flavor, v)
	r.durability(v)
	for _, step := range []func(context.Context, catalog.Flavor, *Report) error{n.checkEngines, n.checkRights, n.checkZones, n.checkAnonymous} {
		if err := step(ctx, flavor, r); err != nil {
			return nil, fmt.Errorf("check node %s: %w", n.Name, err)
		}
	}
	return r, nil
}

func (r *Report) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// version compares with the oldest servers supported: MySQL 8.4, MariaDB 10.11.
func (r *Report) version(flavor catalog.Flavor, version string) {
	least := [2]int{8, 4}
	if flavor == catalog.MariaDB {
		least = [2]int{10, 11}
		version = strings.TrimPrefix(version, "5.5.5-")
	}
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		r.problem("version %q can't be read", version)
		return
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil || major < least[0] || major == least[0] && minor < least[1] {
		r.problem("version is %s, want at least %s %d.%d", version, flavor, least[0], least[1])
	}
}

func (r *Report) settings(flavor catalog.Flavor, v map[string]string) {
	for _, want := range []struct{ name, value string }{{"log_bin", "ON"}, {"binlog_format", "ROW"}, {"binlog_row_image", "FULL"}} {
		// binlog_format is deprecated: a server without it knows only ROW.
		if got, there := v[want.name]; !strings.EqualFold(got, want.value) && (there || want.name != "binlog_format") {
			r.problem("%s is %s, want %s", want.name, got, want.value)
		}
	}
	if flavor == catalog.MySQL { // MariaDB always has GTIDs
		for _, name := range []string{"gtid_mode", "enforce_gtid_consistency"} {
			if !strings.EqualFold(v[name], "ON") {
				r.problem("%s is %s, want ON", name, v[name])
			}
		}
	}
	if strings.EqualFold(v["wsrep_on"], "ON") {
		r.problem("wsrep_on is ON: Galera can't be a db node (it has several writable primaries)")
	}
	if v["group_replication_group_name"] != "" && strings.EqualFold(v["group_replication_single_primary_mode"], "OFF") {
		r.problem("group_replication_single_primary_mode is OFF, want ON")
	}
	for _, name := range []string{"read_only", "super_read_only"} {
		if strings.EqualFold(v[name], "ON") || v[name] == "1" {
			r.problem("%s is ON: give the address of the writable primary", name)
		}
	}
	r.Facts.SQLMode, r.Facts.Charset, r.Facts.Collation = v["sql_mode"], v["character_set_server"], v["collation_server"]
	r.Facts.TimeZone = v["time_zone"]
	if strings.EqualFold(r.Facts.TimeZone, "SYSTEM") {
		r.Facts.TimeZone = "SYSTEM, which is " + v["system_time_zone"]
	}
	names, err := strconv.Atoi(v["lower_case_table_names"])
	if err != nil || names > 1 {
		r.problem("lower_case_table_names is %s, want 0 or 1", v["lower_case_table_names"])
	}
	r.Facts.LowerCaseNames = names
	if strings.EqualFold(v["partial_revokes"], "ON") {
		r.problem("partial_revokes is ON, want OFF (rights by schema need escaped names)")
	}
}

func (r *Report) durability(v map[string]string) {
	for _, name := range []string{"sync_binlog", "innodb_flush_log_at_trx_commit"} {
		if v[name] != "1" {
			r.Weak = append(r.Weak, fmt.Sprintf("%s is %s, want 1", name, v[name]))
		}
	}
}

func (n *Node) checkEngines(ctx context.Context, _ catalog.Flavor, r *Report) error {
	engines, err := n.strings(ctx, "SELECT CONCAT(ENGINE, ':', SUPPORT) FROM information_schema.ENGINES WHERE ENGINE = 'InnoDB'")
	if err != nil {
		return err
	}
	switch {
	case len(engines) == 0 || strings.HasSuffix(engines[0], ":NO") || strings.HasSuffix(engines[0], ":DISABLED"):
		r.problem("InnoDB is not available")
	case !strings.HasSuffix(engines[0], ":DEFAULT"):
		r.problem("default_storage_engine is not InnoDB")
	}
	return nil
}

// checkAnonymous: an account ”@'localhost' would catch the routers' logins when they come from the same machine.
func (n *Node) checkAnonymous(ctx context.Context, _ catalog.Flavor, r *Report) error {
	hosts, err := n.strings(ctx, "SELECT Host FROM mysql.user WHERE User = '' AND Host <> '%'")
	if err != nil {
		return err
	}
	for _, h := range hosts {
		r.problem("there is an anonymous account ''@'%s', which shadows others: DROP USER ''@'%s'", h, h)
	}
	return nil
}

// checkZones finds out what the server's own zone makes of fixed instants in winter and summer, and whether named zones are known.
func (n *Node) checkZones(ctx context.Context, _ catalog.Flavor, r *Report) error {
	var named *string
	err := n.db.QueryRowContext(ctx, "SELECT CONCAT(FROM_UNIXTIME(1700000000), ' ', FROM_UNIXTIME(1720000000)), CONVERT_TZ('2024-01-01 12:00:00', 'UTC', 'Europe/Paris')").
		Scan(&r.Facts.ZoneOffset, &named)
	r.Facts.ZoneTables = named != nil
	return err
}
