package router

import (
	"strings"

	"ballast/router/plan"
)

// policy says what a session variable means to Ballast.
type policy uint8

const (
	// passed on: the nodes' own business, kept in the session's settings.
	passed policy = iota
	// refused: it would break a promise of Ballast, or reach beyond the session.
	refused
	// fixed: may be set to the values listed only.
	fixed
	// own: kept by the session itself and not shown to nodes.
	own
)

type variableRule struct {
	policy policy
	allow  []string // for fixed, in lower case and unquoted
	why    string   // for refused and fixed: completes "Ballast …"
}

// ruleOf says how SET treats a session variable; the name is in lower case.
func ruleOf(name string) variableRule {
	switch name {
	case "auto_increment_increment", "auto_increment_offset":
		return variableRule{fixed, []string{"1", "default"}, "numbers AUTO_INCREMENT columns by sequences"}
	case "completion_type":
		return variableRule{fixed, []string{"0", "no_chain", "default"}, "ends transactions without chaining; say AND CHAIN or RELEASE instead"}
	case "sql_auto_is_null":
		return variableRule{fixed, []string{"0", "off", "default"}, "can't find the last row by IS NULL over several nodes"}
	case "gtid_next", "pseudo_thread_id", "sql_log_bin", "pseudo_slave_mode", "pseudo_replica_mode", "server_id", "gtid_domain_id",
		"gtid_seq_no", "skip_replication", "original_commit_timestamp", "binlog_format", "binlog_row_image", "wsrep_on",
		"default_storage_engine", "storage_engine", "default_tmp_storage_engine", "rand_seed1", "rand_seed2", "insert_id",
		"session_track_gtids", "transaction_write_set_extraction", "use_secondary_engine", "enforce_storage_engine",
		"xa_detach_on_prepare", "lc_time_names_native", "proxy_user", "external_user", "resultset_metadata":
		return variableRule{refused, nil, "needs it as it is"}
	case "last_insert_id", "identity":
		return variableRule{policy: own}
	}
	return variableRule{policy: passed}
}

// modesRefused change what a value means, and so where its row is.
var modesRefused = map[string]string{
	"EMPTY_STRING_IS_NULL":      "reads '' as ''",
	"ORACLE":                    "parses MySQL's own syntax",
	"TIME_ROUND_FRACTIONAL":     "places rows by the server's default for fractions of seconds",
	"TIME_TRUNCATE_FRACTIONAL":  "places rows by the server's default for fractions of seconds",
	"SIMULTANEOUS_ASSIGNMENT":   "reads assignments from left to right",
	"NO_ZERO_DATE_IN_FRACTIONS": "does not know it",
}

// modeFlags gives the planner's view of an sql_mode; bad is a mode that can't be set, or "".
func modeFlags(mode string) (flags plan.Flags, bad string) {
	for m := range strings.SplitSeq(mode, ",") {
		m = strings.ToUpper(strings.TrimSpace(m))
		if _, no := modesRefused[m]; no {
			return 0, m
		}
		switch m {
		case "ANSI_QUOTES":
			flags |= plan.ANSIQuotes
		case "NO_BACKSLASH_ESCAPES":
			flags |= plan.NoBackslashEscapes
		case "PIPES_AS_CONCAT":
			flags |= plan.PipesAsConcat
		case "HIGH_NOT_PRECEDENCE":
			flags |= plan.HighNotPrecedence
		case "IGNORE_SPACE":
			flags |= plan.IgnoreSpace
		case "STRICT_TRANS_TABLES", "STRICT_ALL_TABLES":
			flags |= plan.Strict
		case "NO_AUTO_VALUE_ON_ZERO":
			flags |= plan.NoAutoValueOnZero
		case "ONLY_FULL_GROUP_BY":
			flags |= plan.OnlyFullGroupBy
		}
	}
	return flags, ""
}

const modeMask = plan.ANSIQuotes | plan.NoBackslashEscapes | plan.PipesAsConcat | plan.HighNotPrecedence | plan.IgnoreSpace |
	plan.Strict | plan.NoAutoValueOnZero | plan.OnlyFullGroupBy

// safeCharset says whether statements in a client character set can be read byte by byte: no byte of a longer character looks like
// ASCII. It is a list of what is, not of what isn't.
func safeCharset(name string) bool {
	switch name {
	case "utf8mb4", "utf8mb3", "utf8", "latin1", "ascii", "binary":
		return true
	}
	return false
}

// unquote gives the text of an SQL literal as MySQL prints it, for the few values that the session itself reads.
func unquote(literal string) string {
	if len(literal) >= 2 && literal[0] == '\'' {
		return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `''`, `'`).Replace(literal[1 : len(literal)-1])
	}
	return literal
}
