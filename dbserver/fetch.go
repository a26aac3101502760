package dbserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// completeMark is written into an unpacked folder last; its number is raised when other packages are wanted than before.
const completeMark = "complete-2"

func unpackedDir(cache string, f Flavour) string { return filepath.Join(cache, "servers", f.String()) }

func templateDir(cache string) string { return filepath.Join(cache, "templates") }

// fetch downloads and unpacks Debian's packages of the flavour into the cache. Processes that do so at the same time wait for one another.
func fetch(ctx context.Context, o FindOptions, tried []string) (*Install, error) {
	root := unpackedDir(o.CacheDir, o.Flavour)
	for _, tool := range []string{"apt-get", "apt-cache", "apt-config", "dpkg"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, errNoServer.New(o.Flavour.Title(), strings.Join(append(tried, "this system has no "+tool+", so none can be fetched"), "; "))
		}
	}
	unlock, err := Lock(ctx, root+".lock")
	if err != nil {
		return nil, err
	}
	defer unlock()
	if in := fromUnpacked(ctx, o, o.CacheDir); in != nil {
		return in, nil // another process was faster
	}
	work, err := os.MkdirTemp(filepath.Dir(root), "fetch-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the download: %w", err)
	}
	defer removeAll(work)
	a := &privateApt{dir: work, say: o.say}
	if err := a.run(ctx, o.Flavour, root); err != nil {
		return nil, err
	}
	in, why := openUnpacked(ctx, o.Flavour, root)
	if in == nil {
		return nil, errUnfitServer.New(root, why)
	}
	in.templates = templateDir(o.CacheDir)
	o.say("%s %s is ready in %s", o.Flavour.Title(), in.Version, root)
	return in, nil
}

// privateApt runs apt-get with a configuration, lists and a package state of its own under dir; the system's are only read.
type privateApt struct {
	dir    string
	say    func(format string, args ...any)
	config string
	title  string
}

func (a *privateApt) fail(step string, err error) error {
	return errDownload.Wrap(err, a.title, step, commandError(err))
}

func (a *privateApt) run(ctx context.Context, f Flavour, root string) error {
	a.title = f.Title()
	a.say("%s: no server on this machine, fetching Debian's packages (nothing is installed in the system)", a.title)
	keyring, err := a.keyring(ctx)
	if err != nil {
		return err
	}
	sources, want := wantsFor(f, systemMirror(), keyring)
	if err := a.configure(ctx, sources); err != nil {
		return err
	}
	a.say("%s: reading the list of packages", a.title)
	if _, err := a.output(ctx, a.dir, "apt-get", "-q", "update"); err != nil {
		return a.fail("reading the list of packages", err)
	}
	packages, total, err := a.resolve(ctx, want)
	if err != nil {
		return err
	}
	a.say("%s: downloading %d packages, about %d MB", a.title, len(packages), total>>20)
	debs := filepath.Join(a.dir, "debs")
	if err := os.Mkdir(debs, 0o755); err != nil {
		return fmt.Errorf("make a folder for the download: %w", err)
	}
	if err := a.download(ctx, debs, packages); err != nil {
		return err
	}
	return a.unpack(ctx, debs, root)
}

// configure writes the private configuration. Of the system's settings it takes those about fetching (proxies, time-outs).
func (a *privateApt) configure(ctx context.Context, sources string) error {
	arch, err := a.output(ctx, a.dir, "dpkg", "--print-architecture")
	if err != nil {
		return a.fail("asking for the architecture", err)
	}
	system, err := a.output(ctx, a.dir, "apt-config", "dump")
	if err != nil {
		return a.fail("reading apt's settings", err)
	}
	var conf strings.Builder
	for line := range strings.Lines(system) {
		if strings.HasPrefix(line, "Acquire::") && !strings.HasPrefix(line, "Acquire::IndexTargets") && !strings.HasPrefix(line, "Acquire::Changelogs") {
			conf.WriteString(line)
		}
	}
	path := func(name string) string { return filepath.Join(a.dir, name) }
	for _, dir := range []string{"etc/apt/preferences.d", "lists/partial", "cache/archives/partial", "state"} {
		if err := os.MkdirAll(path(dir), 0o755); err != nil {
			return fmt.Errorf("prepare the download: %w", err)
		}
	}
	for key, value := range map[string]string{
		"Dir": a.dir + "/", "Dir::State": path("state") + "/", "Dir::State::lists": path("lists") + "/", "Dir::State::status": path("status"),
		"Dir::Cache": path("cache") + "/", "Dir::Cache::archives": path("cache/archives") + "/", "Dir::Etc::sourcelist": path("sources.list"),
		"Dir::Etc::sourceparts": "/dev/null", "Dir::Etc::parts": "/dev/null", "Dir::Etc::netrc": "/etc/apt/auth.conf",
		"Dir::Etc::netrcparts": "/etc/apt/auth.conf.d", "Dir::Log": a.dir + "/", "APT::Architecture": strings.TrimSpace(arch),
		"APT::Install-Recommends": "0", "APT::Update::Error-Mode": "any", "APT::Sandbox::User": "root", "Debug::NoLocking": "1",
		"Acquire::Languages": "none", "Acquire::Retries": "3", "Acquire::http::Timeout": "30",
	} {
		fmt.Fprintf(&conf, "%s %q;\n", key, value)
	}
	a.config = path("apt.conf")
	for name, text := range map[string]string{"apt.conf": conf.String(), "sources.list": sources, "status": ""} {
		if err := os.WriteFile(path(name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("prepare the download: %w", err)
		}
	}
	return nil
}

// keyring gives the file with Debian's archive keys; Ubuntu has it as a package of its own, signed by keys that are there.
func (a *privateApt) keyring(ctx context.Context) (string, error) {
	for _, file := range keyrings {
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	a.say("%s: fetching Debian's archive keys", a.title)
	dir := filepath.Join(a.dir, "keys")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("prepare the download: %w", err)
	}
	if _, err := a.output(ctx, dir, "apt-get", "-q", "download", "debian-archive-keyring"); err != nil {
		return "", a.fail("fetching Debian's archive keys (package debian-archive-keyring)", err)
	}
	if err := a.extract(ctx, dir, dir); err != nil {
		return "", err
	}
	for _, file := range keyrings {
		if _, err := os.Stat(dir + file); err == nil {
			return dir + file, nil
		}
	}
	return "", errDownload.New(a.title, "looking for Debian's archive keys", "the package debian-archive-keyring holds none")
}

// resolve lists the packages to download and their size in bytes.
func (a *privateApt) resolve(ctx context.Context, w wants) (packages []string, bytes int64, err error) {
	out, err := a.output(ctx, a.dir, "apt-get", append([]string{"install", "--print-uris", "-qq"}, w.closure...)...)
	if err != nil {
		return nil, 0, a.fail("working out what is needed", err)
	}
	packages = append(packages, w.alone...)
	for line := range strings.Lines(out) {
		// 'address' name_version_arch.deb size hash
		fields := strings.Fields(line)
		if len(fields) < 3 || !strings.HasSuffix(fields[1], ".deb") {
			continue
		}
		name, _, _ := strings.Cut(fields[1], "_")
		if !needed(name) {
			continue
		}
		var size int64
		if _, err := fmt.Sscan(fields[2], &size); err != nil {
			return nil, 0, fmt.Errorf("read apt's list of addresses: %w", err)
		}
		packages, bytes = append(packages, name), bytes+size
	}
	return packages, bytes, nil
}

func (a *privateApt) download(ctx context.Context, dir string, packages []string) error {
	cmd := a.command(ctx, dir, "apt-get", append([]string{"-q", "download"}, packages...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start the download: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return a.fail("downloading", err)
	}
	lines, got := bufio.NewScanner(out), 0
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "Get:") {
			if got++; got%20 == 0 {
				a.say("%s: %d of %d packages", a.title, got, len(packages))
			}
		}
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		return errDownload.Wrap(err, a.title, "downloading", lastLine(stderr.String()+"\n"+err.Error()))
	}
	return nil
}

// unpack extracts all packages beside root, drops what a server never reads, and gives the folder its name when it is whole.
func (a *privateApt) unpack(ctx context.Context, debs, root string) error {
	a.say("%s: unpacking", a.title)
	tree := filepath.Join(a.dir, "tree")
	if err := a.extract(ctx, debs, tree); err != nil {
		return err
	}
	for _, dir := range []string{"doc", "man", "locale", "lintian", "perl5"} {
		if err := os.RemoveAll(filepath.Join(tree, "usr", "share", dir)); err != nil {
			return fmt.Errorf("tidy the unpacked packages: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(tree, completeMark), nil, 0o644); err != nil {
		return fmt.Errorf("finish unpacking: %w", err)
	}
	if err := os.RemoveAll(root); err != nil {
		return fmt.Errorf("finish unpacking: %w", err)
	}
	if err := os.Rename(tree, root); err != nil {
		return fmt.Errorf("finish unpacking: %w", err)
	}
	return nil
}

func (a *privateApt) extract(ctx context.Context, debs, tree string) error {
	files, err := filepath.Glob(filepath.Join(debs, "*.deb"))
	if err != nil {
		return fmt.Errorf("list the downloaded packages: %w", err)
	}
	for _, deb := range files {
		if _, err := a.output(ctx, debs, "dpkg", "-x", deb, tree); err != nil {
			return a.fail("unpacking "+filepath.Base(deb), err)
		}
	}
	return nil
}

func (a *privateApt) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	if a.config != "" {
		cmd.Env = append(cmd.Env, "APT_CONFIG="+a.config)
	}
	return cmd
}

func (a *privateApt) output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := a.command(ctx, dir, name, args...)
	cmd.Stdin = io.MultiReader() // never ask
	out, err := cmd.Output()
	return string(out), err
}

// removeAll removes a temporary folder; what can't be removed lies in the ignored cache and harms nobody.
func removeAll(dir string) {
	if err := os.RemoveAll(dir); err != nil {
		return
	}
}
