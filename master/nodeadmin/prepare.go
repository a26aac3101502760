package nodeadmin

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"ballast/rules/catalog"
	"ballast/rules/failure"
)

// SysSchema is Ballast's own schema on every node; ScratchSchema is where definitions are tried out. Both are closed to clients.
const (
	SysSchema     = "ballast_sys"
	ScratchSchema = "ballast_scratch"
)

var (
	errForeignNode = failure.Define("BL6010", 1105, "HY000", "node %s at %s belongs to another cluster (%s)",
		"a server can serve one cluster; DROP DATABASE ballast_sys on it if that cluster is gone")
	errNodeAhead = failure.Define("BL6011", 1105, "HY000", "node %s has been led under epoch %d, this master leads under %d",
		"another master has taken over; if the metadata was restored from an older backup, stop: the newer metadata must come back")
)

// ErrDeposed says that the node has been written by a later leader.
var ErrDeposed = errors.New("a later leader has written this node")

// Prepare makes ballast_sys, if it is missing, and gives the server's identity: server_uuid on MySQL, one kept in ballast_sys on MariaDB.
func (n *Node) Prepare(ctx context.Context, cluster string, flavor catalog.Flavor) (uuid string, err error) {
	for _, statement := range []string{
		"CREATE DATABASE IF NOT EXISTS ballast_sys CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
		"CREATE DATABASE IF NOT EXISTS ballast_scratch CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
		`CREATE TABLE IF NOT EXISTS ballast_sys.server (id TINYINT UNSIGNED NOT NULL PRIMARY KEY, uuid CHAR(36) NOT NULL, cluster_uuid CHAR(36) NOT NULL, name VARCHAR(64) NOT NULL) ENGINE=InnoDB`,
		`CREATE TABLE IF NOT EXISTS ballast_sys.leader (id TINYINT UNSIGNED NOT NULL PRIMARY KEY, epoch BIGINT UNSIGNED NOT NULL, n BIGINT UNSIGNED NOT NULL) ENGINE=InnoDB`,
		"INSERT IGNORE INTO ballast_sys.leader (id, epoch, n) VALUES (1, 0, 0)",
	} {
		if _, err := n.db.ExecContext(ctx, statement); err != nil {
			return "", fmt.Errorf("prepare node %s: %w", n.Name, err)
		}
	}
	uuid = randomUUID()
	if flavor == catalog.MySQL {
		if err := n.db.QueryRowContext(ctx, "SELECT @@server_uuid").Scan(&uuid); err != nil {
			return "", fmt.Errorf("read the identity of node %s: %w", n.Name, err)
		}
	}
	if _, err := n.db.ExecContext(ctx, "INSERT IGNORE INTO ballast_sys.server (id, uuid, cluster_uuid, name) VALUES (1, ?, ?, ?)", uuid, cluster, n.Name); err != nil {
		return "", fmt.Errorf("write the identity of node %s: %w", n.Name, err)
	}
	stored, owner, err := n.Identity(ctx)
	if err != nil {
		return "", err
	}
	if owner != cluster {
		return "", errForeignNode.New(n.Name, n.Addr, owner)
	}
	if flavor == catalog.MySQL {
		return uuid, nil
	}
	return stored, nil
}

// Identity reads what an earlier Prepare wrote: the server's uuid and its cluster's. Both are empty on a server that never was a node.
func (n *Node) Identity(ctx context.Context) (uuid, cluster string, err error) {
	err = n.db.QueryRowContext(ctx, "SELECT uuid, cluster_uuid FROM ballast_sys.server WHERE id = 1").Scan(&uuid, &cluster)
	if errors.Is(err, sql.ErrNoRows) || IsServerError(err, 1146, 1049) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("read the identity of node %s: %w", n.Name, err)
	}
	return uuid, cluster, nil
}

// RaiseEpoch makes this leader's epoch the node's; an older leader can change nothing here from then on.
func (n *Node) RaiseEpoch(ctx context.Context, epoch uint64) error {
	if _, err := n.db.ExecContext(ctx, "UPDATE ballast_sys.leader SET epoch = ?, n = n + 1 WHERE id = 1 AND epoch < ?", epoch, epoch); err != nil {
		return fmt.Errorf("raise the epoch on node %s: %w", n.Name, err)
	}
	var now uint64
	if err := n.db.QueryRowContext(ctx, "SELECT epoch FROM ballast_sys.leader WHERE id = 1").Scan(&now); err != nil {
		return fmt.Errorf("read the epoch of node %s: %w", n.Name, err)
	}
	if now > epoch {
		return errNodeAhead.Wrap(ErrDeposed, n.Name, now, epoch)
	}
	return nil
}

// Forget takes Ballast's own schemas off a node that leaves.
func (n *Node) Forget(ctx context.Context) error {
	for _, schema := range []string{ScratchSchema, SysSchema} {
		if _, err := n.db.ExecContext(ctx, "DROP DATABASE IF EXISTS "+schema); err != nil {
			return fmt.Errorf("clean up node %s: %w", n.Name, err)
		}
	}
	return nil
}

func randomUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
