package dbserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// templateLayout is raised whenever templates are made differently, so that older ones are not used.
const templateLayout = 1

// Init gives the server a data folder if it has none: a copy of the install's template. A folder with data is left as it is.
func (s *Server) Init(ctx context.Context) error {
	data := s.dataDir()
	if _, err := os.Stat(data); err == nil {
		return nil
	}
	template, err := s.cfg.Install.Template(ctx, nil)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.cfg.Dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of server %s: %w", s.cfg.Name, err)
	}
	// Copied under another name first: an interrupted copy must not pass for data.
	partial := data + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return fmt.Errorf("make the data folder of server %s: %w", s.cfg.Name, err)
	}
	if err := copyTree(template, partial); err != nil {
		return fmt.Errorf("make the data folder of server %s: %w", s.cfg.Name, err)
	}
	if err := os.Rename(partial, data); err != nil {
		return fmt.Errorf("make the data folder of server %s: %w", s.cfg.Name, err)
	}
	return nil
}

// Template gives the folder with a fresh data folder of this install: system tables, time zones, and the root account usable from
// loopback without a password. It is made on first use, which takes about five seconds; processes that need it meanwhile wait.
func (in *Install) Template(ctx context.Context, progress func(line string)) (string, error) {
	stamp, err := os.Stat(in.Program)
	if err != nil {
		return "", fmt.Errorf("look at the server program: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s %d %d", templateLayout, in.Program, in.Version, stamp.Size(), stamp.ModTime().UnixNano()))
	dir := filepath.Join(in.templates, fmt.Sprintf("%s-%s-%s", in.Flavour, in.Version, hex.EncodeToString(sum[:6])))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	unlock, err := Lock(ctx, dir+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if progress != nil {
		progress(in.Flavour.Title() + ": preparing an empty data folder with system tables and time zones")
	}
	// Sockets need a short path, so the work is done in the system's temporary folder.
	work, err := os.MkdirTemp("", "ballast-template-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the template: %w", err)
	}
	defer removeAll(work)
	if err := in.makeTemplate(ctx, work); err != nil {
		return "", err
	}
	partial := dir + ".partial"
	if err := errors.Join(os.RemoveAll(partial), copyTree(filepath.Join(work, "data"), partial), os.Rename(partial, dir)); err != nil {
		return "", errTemplate.Wrap(err, in.Flavour.Title(), "keeping it", err.Error())
	}
	return dir, nil
}

func (in *Install) makeTemplate(ctx context.Context, work string) error {
	data := filepath.Join(work, "data")
	var err error
	if in.Flavour == MariaDB {
		err = in.bootstrapMariaDB(ctx, data)
	} else {
		err = in.bootstrapMySQL(ctx, data)
	}
	if err != nil {
		return errTemplate.Wrap(err, in.Flavour.Title(), "making the system tables", commandError(err))
	}
	if err := in.furnish(ctx, work); err != nil {
		return errTemplate.Wrap(err, in.Flavour.Title(), "loading time zones and accounts", err.Error())
	}
	// A copy must not share the identity of the template.
	for _, name := range []string{"auto.cnf", "server.log", "ib_buffer_pool"} {
		if err := os.Remove(filepath.Join(data, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("tidy the template: %w", err)
		}
	}
	return nil
}

func (in *Install) bootstrapMySQL(ctx context.Context, data string) error {
	flags := append(identityFlags(in, data), "--initialize-insecure", "--mysqlx=OFF", "--lower-case-table-names=0",
		"--character-set-server=utf8mb4", "--collation-server="+DefaultCollation, "--innodb-redo-log-capacity=64M", "--log-error-verbosity=1")
	_, err := in.CommandContext(ctx, in.Program, flags...).Output()
	return err
}

// bootstrapMariaDB feeds the server's own SQL files to its bootstrap mode, in the order in which mariadb-install-db does.
func (in *Install) bootstrapMariaDB(ctx context.Context, data string) error {
	if err := os.MkdirAll(filepath.Join(data, "mysql"), 0o750); err != nil {
		return err
	}
	script := []io.Reader{strings.NewReader("create database if not exists mysql;\nuse mysql;\nSET @auth_root_socket=NULL;\n")}
	for _, name := range []string{"system_tables", "performance_tables", "system_tables_data"} {
		text, err := in.supportFile("mysql_"+name+".sql", "mariadb_"+name+".sql")
		if err != nil {
			return err
		}
		script = append(script, strings.NewReader(text))
	}
	for _, names := range [][]string{{"fill_help_tables.sql"}, {"maria_add_gis_sp_bootstrap.sql"}, {"mysql_sys_schema.sql", "mariadb_sys_schema.sql"}} {
		text, err := in.supportFile(names...)
		if err != nil {
			return err
		}
		script = append(script, strings.NewReader(text))
	}
	flags := append(identityFlags(in, data), "--bootstrap", "--log-warnings=0", "--enforce-storage-engine=", "--max-allowed-packet=8M",
		"--net-buffer-length=16K", "--lower-case-table-names=0", "--character-set-server=utf8mb4", "--collation-server="+DefaultCollation,
		"--innodb-log-file-size=16M")
	cmd := in.CommandContext(ctx, in.Program, flags...)
	cmd.Stdin = io.MultiReader(script...)
	_, err := cmd.Output()
	return err
}

// supportFile reads one of the server's own SQL files, under the first of the names that exists.
func (in *Install) supportFile(names ...string) (string, error) {
	var errs []error
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(in.support(), name))
		if err == nil {
			return string(text), nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// copyTree copies a folder with its permissions. Sockets and the like are left out.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), info.Mode().Perm()|0o700)
		case entry.Type().IsRegular():
			return copyFile(path, filepath.Join(to, rel), info.Mode().Perm())
		}
		return nil
	})
}

func copyFile(from, to string, mode fs.FileMode) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	_, err = io.Copy(dst, src)
	return err
}
