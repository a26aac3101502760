package dbserver

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
)

// DefaultCollation is the servers' default collation. Both flavours have it, so that a schema made without saying anything is the
// same on both; MySQL's own default, utf8mb4_0900_ai_ci, is unknown to MariaDB 10.11.
const DefaultCollation = "utf8mb4_general_ci"

// RequiredFlags lists the settings that every Ballast node must run with, whoever starts it: InnoDB, a row binlog with full images,
// durable commits, GTIDs, one way to compare names and strings. docker-compose.yml is tested against this list.
func RequiredFlags(f Flavour) []string {
	flags := []string{
		"--default-storage-engine=InnoDB",
		"--log-bin=binlog",
		"--binlog-format=ROW",
		"--binlog-row-image=FULL",
		"--binlog-row-metadata=FULL",
		"--sync-binlog=1",
		"--innodb-flush-log-at-trx-commit=1",
		"--character-set-server=utf8mb4",
		"--collation-server=" + DefaultCollation,
		"--lower-case-table-names=0",
		"--max-allowed-packet=128M",
		"--skip-name-resolve",
	}
	if f == MariaDB {
		return append(flags, "--gtid-strict-mode=ON", "--log-slave-updates=ON")
	}
	return append(flags, "--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--mysqlx=OFF")
}

// sizeFlags keep a server small: about 150 MB of memory when idle.
func sizeFlags(f Flavour, bufferPoolMB int) []string {
	flags := []string{
		fmt.Sprintf("--innodb-buffer-pool-size=%dM", bufferPoolMB),
		"--innodb-buffer-pool-dump-at-shutdown=OFF",
		"--innodb-buffer-pool-load-at-startup=OFF",
		"--max-connections=2000",
		"--table-open-cache=1000",
	}
	if f == MariaDB {
		return append(flags, "--innodb-log-file-size=128M")
	}
	return append(flags, "--innodb-redo-log-capacity=256M")
}

// identityFlags say who may run the program, where its own files are, and how it reads and writes its data.
func identityFlags(in *Install, dataDir string) []string {
	flags := append([]string{"--no-defaults"}, in.locationFlags()...)
	if os.Geteuid() == 0 {
		name := "root"
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
		flags = append(flags, "--user="+name) // servers refuse to run as root unless told to
	}
	// Native asynchronous I/O draws on a small budget of the whole machine (fs.aio-max-nr), which a few clusters side by side use up.
	return append(flags, "--datadir="+dataDir, "--tmpdir="+filepath.Dir(dataDir), "--secure-file-priv=", "--innodb-use-native-aio=OFF")
}

// flags is the whole command line of a running server.
func (s *Server) flags() []string {
	performance := "OFF"
	if s.cfg.PerformanceSchema {
		performance = "ON"
	}
	flags := append(identityFlags(s.cfg.Install, s.dataDir()),
		fmt.Sprintf("--port=%d", s.cfg.Port),
		"--bind-address=127.0.0.1",
		"--socket="+s.socket,
		"--pid-file="+filepath.Join(s.cfg.Dir, "server.pid"),
		fmt.Sprintf("--server-id=%d", s.cfg.ServerID),
		"--performance-schema="+performance,
	)
	flags = append(flags, RequiredFlags(s.cfg.Install.Flavour)...)
	flags = append(flags, sizeFlags(s.cfg.Install.Flavour, s.cfg.BufferPoolMB)...)
	return append(flags, s.cfg.Extra...)
}
