package supervise

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"gopkg.in/natefinch/lumberjack.v2"

	"ballast/dbserver"
	"ballast/dbserver/process"
)

// rotated opens a log that is renamed at 16 MB; three old files are kept.
func rotated(path string) *lumberjack.Logger {
	return &lumberjack.Logger{Filename: path, MaxSize: 16, MaxBackups: 3}
}

// roles lists the parts of the cluster in start order: what stands in one phase starts together.
func (o Options) roles(ctx context.Context) ([][]*role, error) {
	install, err := dbserver.Find(ctx, o.findOptions())
	if err != nil {
		return nil, err
	}
	servers := []*role{o.serverRole(install, "metadata", o.Ports.Metadata, 100)}
	for i, port := range o.Ports.Nodes {
		servers = append(servers, o.serverRole(install, nodeName(i), port, uint32(i+1)))
	}
	return [][]*role{servers, {o.masterRole()}, {o.routerRole()}}, nil
}

func (o Options) findOptions() dbserver.FindOptions {
	return dbserver.FindOptions{Flavour: o.Flavour}
}

func (o Options) serverRole(install *dbserver.Install, name string, port int, id uint32) *role {
	srv := dbserver.New(dbserver.ServerConfig{
		Install: install, Name: name, Dir: o.path(name), Port: port, ServerID: id, Output: rotated(o.logFile(name)),
	})
	return &role{name: name, port: port, start: func(ctx context.Context) (child, error) {
		if err := srv.Init(ctx); err != nil {
			return nil, err
		}
		return srv, srv.Start(ctx)
	}}
}

// programRole is a role of the ballast program itself; ready tells when it answers.
func (o Options) programRole(name string, port int, args []string, ready func(ctx context.Context) error) *role {
	return &role{name: name, port: port, start: func(ctx context.Context) (child, error) {
		if err := dbserver.CheckPort(port, "the "+name); err != nil {
			return nil, err
		}
		cmd := exec.Command(o.Program, append([]string{name}, args...)...) //nolint:noctx // the process outlives the call
		cmd.Dir = o.home()
		cmd.Env = withoutBallast(os.Environ())
		p, err := process.Start(cmd, rotated(o.logFile(name)))
		if err != nil {
			return nil, fmt.Errorf("start the %s: %w", name, err)
		}
		if err := awaitAnswer(ctx, p, ready); err != nil {
			p.Kill()
			return nil, err
		}
		return p, nil
	}}
}
