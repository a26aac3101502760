package wire

// Command is the first byte of what a client sends after its handshake.
type Command uint8

// The commands. Those of replication and of compression are named only to be refused.
const (
	ComSleep            Command = 0x00
	ComQuit             Command = 0x01
	ComInitDB           Command = 0x02
	ComQuery            Command = 0x03
	ComFieldList        Command = 0x04
	ComCreateDB         Command = 0x05
	ComDropDB           Command = 0x06
	ComRefresh          Command = 0x07
	ComShutdown         Command = 0x08
	ComStatistics       Command = 0x09
	ComProcessInfo      Command = 0x0a
	ComConnect          Command = 0x0b
	ComProcessKill      Command = 0x0c
	ComDebug            Command = 0x0d
	ComPing             Command = 0x0e
	ComTime             Command = 0x0f
	ComDelayedInsert    Command = 0x10
	ComChangeUser       Command = 0x11
	ComBinlogDump       Command = 0x12
	ComTableDump        Command = 0x13
	ComConnectOut       Command = 0x14
	ComRegisterSlave    Command = 0x15
	ComStmtPrepare      Command = 0x16
	ComStmtExecute      Command = 0x17
	ComStmtSendLongData Command = 0x18
	ComStmtClose        Command = 0x19
	ComStmtReset        Command = 0x1a
	ComSetOption        Command = 0x1b
	ComStmtFetch        Command = 0x1c
	ComDaemon           Command = 0x1d
	ComBinlogDumpGTID   Command = 0x1e
	ComResetConnection  Command = 0x1f
	ComClone            Command = 0x20
)

var commandNames = [...]string{
	"sleep", "quit", "init_db", "query", "field_list", "create_db", "drop_db", "refresh", "shutdown", "statistics", "process_info",
	"connect", "process_kill", "debug", "ping", "time", "delayed_insert", "change_user", "binlog_dump", "table_dump", "connect_out",
	"register_slave", "stmt_prepare", "stmt_execute", "stmt_send_long_data", "stmt_close", "stmt_reset", "set_option", "stmt_fetch",
	"daemon", "binlog_dump_gtid", "reset_connection", "clone",
}

// String is the command's name in lower case, "unknown" for a byte that is no command; fit for a metric label.
func (c Command) String() string {
	if int(c) < len(commandNames) {
		return commandNames[c]
	}
	return "unknown"
}
