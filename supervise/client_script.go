package supervise

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ballast/dbserver"
)

// clientScript writes .ballast/bin/mysql, which runs the client that came with the server, for machines that have none.
func (o Options) clientScript(install *dbserver.Install) error {
	client := install.Client()
	if client == "" {
		return nil
	}
	dir := o.path("bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make a folder for the client: %w", err)
	}
	var quoted []string
	for _, arg := range install.Command(client).Args {
		quoted = append(quoted, "'"+strings.ReplaceAll(arg, "'", `'\''`)+"'")
	}
	script := "#!/bin/sh\nexec " + strings.Join(quoted, " ") + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "mysql"), []byte(script), 0o755); err != nil {
		return fmt.Errorf("write the client's script: %w", err)
	}
	return nil
}

// clientCommand is what a person types to run the client: the system's own, else ours.
func (o Options) clientCommand() string {
	for _, name := range []string{"mysql", "mariadb"} {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	if _, err := os.Stat(o.path("bin", "mysql")); err != nil {
		return "mysql"
	}
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, o.path("bin", "mysql")); err == nil {
			return rel
		}
	}
	return o.path("bin", "mysql")
}
