package supervise

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ballast/dbserver"
)

// Ports says where the parts of a local cluster listen, all on 127.0.0.1.
type Ports struct {
	Router, RouterAdmin, Master, Metadata int
	// Nodes has one port per db node: n0, n1, …
	Nodes []int
}

// DefaultPorts gives the ports that the documentation names.
func DefaultPorts() Ports {
	return Ports{Router: 3307, RouterAdmin: 7801, Master: 7800, Metadata: 3310, Nodes: []int{3311, 3312, 3313, 3314}}
}

// String gives the ports as ParsePorts reads them.
func (p Ports) String() string {
	text := fmt.Sprintf("%d,%d,%d,%d", p.Router, p.RouterAdmin, p.Master, p.Metadata)
	for _, n := range p.Nodes {
		text += "," + strconv.Itoa(n)
	}
	return text
}

// ParsePorts reads numbers separated by commas: router, router admin, master, metadata server, then each node. Empty gives no ports:
// those of the data that is there, else the defaults.
func ParsePorts(text string) (Ports, error) {
	if text == "" {
		return Ports{}, nil
	}
	var numbers []int
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 || n > 65535 {
			return Ports{}, errPorts.New(text)
		}
		numbers = append(numbers, n)
	}
	if len(numbers) < 5 {
		return Ports{}, errPorts.New(text)
	}
	return Ports{Router: numbers[0], RouterAdmin: numbers[1], Master: numbers[2], Metadata: numbers[3], Nodes: numbers[4:]}, nil
}

// Options describe a local cluster. The zero value is the one of the current folder.
type Options struct {
	// Dir is the folder in which .ballast lies. Default: the current folder.
	Dir string
	// Flavour is mysql or mariadb. Default: the flavour of the data that is there, else MySQL.
	Flavour dbserver.Flavour
	// Ports default to those of the data that is there, else to DefaultPorts.
	Ports Ports
	// Program is the ballast executable that runs the roles. Default: the running one.
	Program string
	// NoSample leaves the sample tables out.
	NoSample bool
	// Out gets progress and the page. Default: standard output.
	Out io.Writer
}

func (o Options) withDefaults() (Options, error) {
	if o.Dir == "" {
		o.Dir = "."
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("find the folder of the cluster: %w", err)
	}
	o.Dir = dir
	if o.Program == "" {
		if o.Program, err = os.Executable(); err != nil {
			return o, fmt.Errorf("find the ballast program: %w", err)
		}
	}
	if o.Ports.Router == 0 {
		o.Ports = DefaultPorts()
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	return o, nil
}

func (o Options) say(format string, args ...any) error {
	_, err := fmt.Fprintf(o.Out, format+"\n", args...)
	return err
}

// home is the folder of everything that the cluster keeps.
func (o Options) home() string { return filepath.Join(o.Dir, ".ballast") }

func (o Options) path(name ...string) string {
	return filepath.Join(append([]string{o.home()}, name...)...)
}

func (o Options) logFile(role string) string { return o.path("logs", role+".log") }

func (o Options) tokenFile() string { return o.path("token") }

// masterURL is where rulectl and the router reach the master.
func (o Options) masterURL() string { return "http://" + loopback(o.Ports.Master) }

func (o Options) routerAdminURL() string { return "http://" + loopback(o.Ports.RouterAdmin) }

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// nodeName gives the name of the i-th db node.
func nodeName(i int) string { return "n" + strconv.Itoa(i) }
