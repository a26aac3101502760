package dbserver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
)

// Install is a server that can be run on this machine.
type Install struct {
	// Flavour and Version are what the program says of itself.
	Flavour Flavour
	Version Version
	// Program is the server's executable.
	Program string
	// Root is the folder into which packages were unpacked; empty for a server of the system.
	Root string
	// Origin says in a few words where the server was found; for people.
	Origin string

	loader      string // the unpacked dynamic loader; empty for a server of the system
	libraryPath string
	templates   string // folder for template data folders
}

// Command makes the command that runs one of the install's programs (an absolute path), through the unpacked loader where there is one.
func (in *Install) Command(program string, args ...string) *exec.Cmd {
	return in.prepare(exec.Command(in.argv(program)[0], append(in.argv(program)[1:], args...)...)) //nolint:noctx // a server outlives the call that starts it
}

// CommandContext is Command bound to a context: when ctx ends the program is killed.
func (in *Install) CommandContext(ctx context.Context, program string, args ...string) *exec.Cmd {
	return in.prepare(exec.CommandContext(ctx, in.argv(program)[0], append(in.argv(program)[1:], args...)...))
}

func (in *Install) argv(program string) []string {
	if in.loader == "" {
		return []string{program}
	}
	return []string{in.loader, "--library-path", in.libraryPath, program}
}

func (in *Install) prepare(cmd *exec.Cmd) *exec.Cmd {
	if in.loader != "" {
		// The host's OpenSSL settings may name modules of another version.
		cmd.Env = append(os.Environ(), "OPENSSL_CONF=/dev/null", "OPENSSL_MODULES="+filepath.Join(filepath.Dir(in.loader), "ossl-modules"))
	}
	return cmd
}

// Client gives the path of the command line client that came with the server, or "" if there is none; run it with Command.
func (in *Install) Client() string {
	return in.find([]string{"mysql", "mariadb"}, "bin")
}

// Tool gives the path of another program of the install by name, or "".
func (in *Install) Tool(names ...string) string { return in.find(names, "bin", "sbin") }

// find looks for a program beside the server, then (for a server of the system) on PATH.
func (in *Install) find(names []string, folders ...string) string {
	prefix := in.prefix()
	for _, name := range names {
		for _, folder := range folders {
			if p := filepath.Join(prefix, folder, name); isProgram(p) {
				return p
			}
		}
		if in.Root == "" {
			if p, err := exec.LookPath(name); err == nil {
				return p
			}
		}
	}
	return ""
}

// prefix is the folder that holds bin and sbin: /usr, or Root/usr.
func (in *Install) prefix() string { return filepath.Dir(filepath.Dir(in.Program)) }

// zoneinfo gives the folder of compiled time zones, or "".
func (in *Install) zoneinfo() string {
	for _, dir := range []string{filepath.Join(in.prefix(), "share", "zoneinfo"), "/usr/share/zoneinfo"} {
		if _, err := os.Stat(filepath.Join(dir, "Europe")); err == nil {
			return dir
		}
	}
	return ""
}

// support gives the folder of the server's own SQL files and messages, or "".
func (in *Install) support() string {
	for _, name := range []string{"mysql", "mariadb", "."} {
		dir := filepath.Join(in.prefix(), "share", name)
		if _, err := os.Stat(filepath.Join(dir, "english", "errmsg.sys")); err == nil {
			return dir
		}
	}
	return ""
}

// locationFlags tells an unpacked server where its own files are; a server of the system knows.
func (in *Install) locationFlags() []string {
	if in.Root == "" {
		return nil
	}
	share := in.support()
	return []string{
		"--basedir=" + in.prefix(),
		"--lc-messages-dir=" + share,
		"--character-sets-dir=" + filepath.Join(share, "charsets"),
		"--plugin-dir=" + filepath.Join(in.prefix(), "lib", "mysql", "plugin"),
	}
}

func isProgram(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0
}
