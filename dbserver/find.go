package dbserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// FindOptions say which server is wanted and where to look. The zero value finds a MySQL server for the current folder's checkout.
type FindOptions struct {
	// Flavour is the wanted kind. Default MySQL.
	Flavour Flavour
	// ServerBin is a server program, or a folder that holds one, to be used and nothing else. Default: the environment's BALLAST_SERVER_BIN.
	ServerBin string
	// CacheDir is where packages are unpacked and templates kept. Default: see CacheDir.
	CacheDir string
	// Offline forbids the download.
	Offline bool
	// Progress, if set, gets a line for people whenever a long step begins or advances.
	Progress func(line string)
}

func (o *FindOptions) say(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// CacheDir gives the folder where unpacked servers are kept: the environment's BALLAST_CACHE; else .cache of the checkout that dir
// lies in; else the user's cache folder.
func CacheDir(dir string) (string, error) {
	if env := os.Getenv("BALLAST_CACHE"); env != "" {
		return filepath.Abs(env)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	for d := dir; ; d = filepath.Dir(d) {
		if mod, err := os.ReadFile(filepath.Join(d, "go.mod")); err == nil && strings.HasPrefix(string(mod), "module ballast\n") {
			return filepath.Join(d, ".cache"), nil
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	return userCacheDir()
}

func userCacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	return filepath.Join(dir, "ballast"), nil
}

// Find gives a server of the wanted flavour, in this order: ServerBin, PATH and the usual folders, what an earlier run unpacked (here
// or in the user's cache folder), and at last a download. Errors name what was tried.
func Find(ctx context.Context, o FindOptions) (*Install, error) {
	if o.Flavour == "" {
		o.Flavour = MySQL
	}
	if o.CacheDir == "" {
		dir, err := CacheDir(".")
		if err != nil {
			return nil, err
		}
		o.CacheDir = dir
	}
	if o.ServerBin == "" {
		o.ServerBin = os.Getenv("BALLAST_SERVER_BIN")
	}
	if o.ServerBin != "" {
		return fromServerBin(ctx, o)
	}
	in, tried := fromSystem(ctx, o)
	if in != nil {
		return in, nil
	}
	caches := []string{o.CacheDir}
	if user, err := userCacheDir(); err == nil && user != o.CacheDir {
		caches = append(caches, user)
	}
	for _, cache := range caches {
		if in := fromUnpacked(ctx, o, cache); in != nil {
			return in, nil
		}
	}
	if o.Offline {
		return nil, errNoServer.New(o.Flavour.Title(), strings.Join(append(tried, "no download wanted"), "; "))
	}
	return fetch(ctx, o, tried)
}

func fromServerBin(ctx context.Context, o FindOptions) (*Install, error) {
	program, err := filepath.Abs(o.ServerBin)
	if err != nil {
		return nil, fmt.Errorf("read BALLAST_SERVER_BIN: %w", err)
	}
	if st, err := os.Stat(program); err == nil && st.IsDir() {
		for _, name := range programNames(o.Flavour) {
			if p := filepath.Join(program, name); isProgram(p) {
				program = p
				break
			}
		}
	}
	in, why := probe(ctx, o.Flavour, program)
	if in == nil {
		return nil, errUnfitServer.New(program, why)
	}
	in.Origin, in.templates = "BALLAST_SERVER_BIN", templateDir(o.CacheDir)
	return in, nil
}

func fromSystem(ctx context.Context, o FindOptions) (in *Install, tried []string) {
	folders := append(filepath.SplitList(os.Getenv("PATH")),
		"/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/usr/local/libexec", "/usr/local/mysql/bin", "/opt/homebrew/bin", "/opt/local/bin")
	seen := map[string]bool{}
	for _, name := range programNames(o.Flavour) {
		for _, folder := range folders {
			program := filepath.Join(folder, name)
			real, err := filepath.EvalSymlinks(program)
			if err != nil || seen[real] || !isProgram(real) {
				continue
			}
			seen[real] = true
			found, why := probe(ctx, o.Flavour, program)
			if found == nil {
				tried = append(tried, program+": "+why)
				continue
			}
			found.Origin, found.templates = "found at "+program, templateDir(o.CacheDir)
			return found, tried
		}
	}
	if len(tried) == 0 {
		tried = []string{"none on PATH"}
	}
	return nil, tried
}

func fromUnpacked(ctx context.Context, o FindOptions, cache string) *Install {
	root := unpackedDir(cache, o.Flavour)
	if _, err := os.Stat(filepath.Join(root, completeMark)); err != nil {
		return nil
	}
	in, _ := openUnpacked(ctx, o.Flavour, root)
	if in != nil {
		in.templates = templateDir(cache)
	}
	return in
}

// openUnpacked makes an Install of a folder into which packages were unpacked.
func openUnpacked(ctx context.Context, f Flavour, root string) (*Install, string) {
	in := &Install{Flavour: f, Root: root, Origin: "unpacked in " + root}
	loaders, err := filepath.Glob(filepath.Join(root, "usr", "lib", "*", "ld-linux*.so.*"))
	if err == nil && len(loaders) == 0 {
		loaders, err = filepath.Glob(filepath.Join(root, "lib", "*", "ld-linux*.so.*"))
	}
	if err != nil || len(loaders) == 0 {
		return nil, "it has no dynamic loader"
	}
	in.loader = loaders[0]
	arch := filepath.Base(filepath.Dir(in.loader))
	in.libraryPath = strings.Join([]string{filepath.Join(root, "usr", "lib", arch), filepath.Join(root, "lib", arch)}, ":")
	for _, name := range programNames(f) {
		if p := filepath.Join(root, "usr", "sbin", name); isProgram(p) {
			in.Program = p
			break
		}
	}
	if in.Program == "" {
		return nil, "it holds no server program"
	}
	if why := in.ask(ctx); why != "" {
		return nil, why
	}
	return in, ""
}

// probe asks a program of the system what it is; nil and a reason if it does not fit.
func probe(ctx context.Context, f Flavour, program string) (*Install, string) {
	if !isProgram(program) {
		return nil, "there is no such program"
	}
	in := &Install{Flavour: f, Program: program}
	if why := in.ask(ctx); why != "" {
		return nil, why
	}
	return in, ""
}

// ask runs the program with --version and fills in Version; it answers why the program does not fit, or "".
func (in *Install) ask(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := in.CommandContext(ctx, in.Program, "--no-defaults", "--version").Output()
	if err != nil {
		return "it does not run: " + commandError(err)
	}
	flavour, version, ok := parseVersionLine(string(out))
	switch {
	case !ok:
		return "its version can't be read"
	case flavour != in.Flavour:
		return "it is " + flavour.Title() + ", not " + in.Flavour.Title()
	case !version.AtLeast(in.Flavour.Minimum()):
		return fmt.Sprintf("it is version %s and at least %s is needed", version, in.Flavour.Minimum())
	}
	in.Version = version
	return ""
}

func programNames(f Flavour) []string {
	if f == MariaDB {
		return []string{"mariadbd", "mysqld"}
	}
	return []string{"mysqld"}
}

// commandError words the failure of a command by the last line that it wrote, which says more than its exit code.
func commandError(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return lastLine(string(exit.Stderr))
	}
	return err.Error()
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
