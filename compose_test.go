package ballast

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"ballast/dbserver"
	"ballast/master"
	"ballast/supervise"
)

// compose is what these tests read of docker-compose.yml.
type compose struct {
	Services map[string]service
	Volumes  map[string]any
	Secrets  map[string]struct{ File string }
	Configs  map[string]struct{ File string }
}

type service struct {
	Image       string
	Build       string
	Command     []string
	Environment map[string]string
	Secrets     []string
	Configs     []struct{ Source, Target string }
	Ports       []string
	Volumes     []string
	Restart     string
	Healthcheck struct{ Test []string }
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
}

func readCompose(t *testing.T) compose {
	t.Helper()
	text, err := os.ReadFile("docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var c compose
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// databases gives the servers with their ports on the host.
func databases() map[string]int {
	ports := supervise.DefaultPorts()
	all := map[string]int{"metadata": ports.Metadata}
	for i, port := range ports.Nodes {
		all[fmt.Sprintf("n%d", i)] = port
	}
	return all
}

func TestComposeServersAreWhatANodeMustBe(t *testing.T) {
	c := readCompose(t)
	ids := map[string]string{}
	for name, port := range databases() {
		s, ok := c.Services[name]
		if !ok {
			t.Errorf("there is no service %s", name)
			continue
		}
		if s.Image != "mysql:8.4" {
			t.Errorf("%s runs %s", name, s.Image)
		}
		var flags []string
		for _, flag := range s.Command {
			if id, ok := strings.CutPrefix(flag, "--server-id="); ok {
				if other, dup := ids[id]; dup {
					t.Errorf("%s and %s share server id %s", name, other, id)
				}
				ids[id] = name
				continue
			}
			flags = append(flags, flag)
		}
		if want := dbserver.RequiredFlags(dbserver.MySQL); !slices.Equal(flags, want) {
			t.Errorf("%s runs with\n%s\nwant\n%s", name, strings.Join(flags, "\n"), strings.Join(want, "\n"))
		}
		if want := []string{fmt.Sprintf("127.0.0.1:%d:3306", port)}; !slices.Equal(s.Ports, want) {
			t.Errorf("%s publishes %v, want %v", name, s.Ports, want)
		}
		if want := []string{name + ":/var/lib/mysql"}; !slices.Equal(s.Volumes, want) {
			t.Errorf("%s keeps its data in %v, want %v", name, s.Volumes, want)
		}
		if _, ok := c.Volumes[name]; !ok {
			t.Errorf("volume %s is not declared", name)
		}
	}
	if len(ids) != len(databases()) {
		t.Errorf("%d server ids for %d servers", len(ids), len(databases()))
	}
}

func TestComposeRoles(t *testing.T) {
	c, ports := readCompose(t), supervise.DefaultPorts()
	for name, want := range map[string][]int{"master": {ports.Master}, "router": {ports.Router, ports.RouterAdmin}} {
		s, ok := c.Services[name]
		if !ok {
			t.Errorf("there is no service %s", name)
			continue
		}
		if s.Build != "." || len(s.Command) == 0 || s.Command[0] != name {
			t.Errorf("%s: build %q, command %v", name, s.Build, s.Command)
		}
		var published []string
		for _, port := range want {
			published = append(published, fmt.Sprintf("127.0.0.1:%d:%d", port, port))
		}
		if !slices.Equal(s.Ports, published) {
			t.Errorf("%s publishes %v, want %v", name, s.Ports, published)
		}
	}
	for name, waits := range map[string]string{"master": "metadata", "router": "master"} {
		if got := c.Services[name].DependsOn[waits].Condition; got != "service_healthy" {
			t.Errorf("%s waits for %s to be %q", name, waits, got)
		}
	}
}

// TestComposeSettingsAreUnderstood has the roles themselves read their files: a key they don't know is an error.
func TestComposeSettingsAreUnderstood(t *testing.T) {
	c := readCompose(t)
	for _, role := range []string{"master", "router"} {
		mounted := false
		for _, config := range c.Services[role].Configs {
			mounted = mounted || c.Configs[config.Source].File == "./docker/"+role+".yaml" && slices.Contains(c.Services[role].Command, "--config="+config.Target)
		}
		if !mounted {
			t.Errorf("%s does not get docker/%s.yaml as its settings", role, role)
		}
		out, err := exec.CommandContext(t.Context(), "go", "run", "./cmd/ballast", role, "--config=docker/"+role+".yaml", "--print-config").CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		text, err := os.ReadFile("docker/" + role + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`/run/secrets/(\w+)`).FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(c.Services[role].Secrets, m[1]) {
				t.Errorf("%s reads secret %s, which it is not given", role, m[1])
			}
		}
	}
	text, err := os.ReadFile("docker/master.yaml")
	if err != nil {
		t.Fatal(err)
	}
	settings := master.Default()
	if err := yaml.Unmarshal(text, &settings); err != nil {
		t.Fatal(err)
	}
	if err := settings.Validate(); err != nil {
		t.Error(err)
	}
}

// TestComposeSetupRegistersEachNode reads the script of the setup service.
func TestComposeSetupRegistersEachNode(t *testing.T) {
	c := readCompose(t)
	s := c.Services["setup"]
	script := strings.Join(s.Command, "\n")
	if !strings.Contains(script, "for n in n0 n1 n2 n3; do") || !strings.Contains(script, `node add "$$n" "$$n:3306"`) {
		t.Errorf("the script is\n%s", script)
	}
	for name := range databases() {
		if got := s.DependsOn[name].Condition; name != "metadata" && got != "service_healthy" {
			t.Errorf("setup waits for %s to be %q", name, got)
		}
	}
	if got := c.Services["router"].DependsOn["setup"].Condition; got != "service_completed_successfully" {
		t.Errorf("the router waits for setup to be %q", got)
	}
}

func TestComposeIsClosed(t *testing.T) {
	c := readCompose(t)
	script, err := os.ReadFile("docker/secrets.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range c.Services {
		if s.Restart == "unless-stopped" && len(s.Healthcheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
		for key, value := range s.Environment {
			if strings.Contains(key, "EMPTY") || strings.Contains(key, "PASSWORD") && !strings.HasSuffix(key, "_FILE") {
				t.Errorf("%s gets %s=%s: passwords come from secrets only", name, key, value)
			}
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s publishes %s beyond loopback", name, port)
			}
		}
		for _, secret := range s.Secrets {
			if _, ok := c.Secrets[secret]; !ok {
				t.Errorf("%s wants secret %s, which is not declared", name, secret)
			}
		}
		for _, config := range s.Configs {
			if _, ok := c.Configs[config.Source]; !ok {
				t.Errorf("%s wants config %s, which is not declared", name, config.Source)
			}
		}
	}
	for name, secret := range c.Secrets {
		base := strings.TrimPrefix(secret.File, "./secrets/")
		if base == secret.File || !bytes.Contains(script, []byte(base)) {
			t.Errorf("secret %s: docker/secrets.sh does not make %s", name, secret.File)
		}
	}
	ignored, err := os.ReadFile(".gitignore")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(ignored, []byte("/secrets/\n")) {
		t.Error("git does not ignore secrets/")
	}
}

func TestDockerfileBuildsWithTheModulesGo(t *testing.T) {
	read := func(name, pattern string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s has nothing like %s", name, pattern)
		}
		return string(m[1])
	}
	if image, module := read("Dockerfile", `FROM golang:(\d+\.\d+)`), read("go.mod", `(?m)^go (\d+\.\d+)`); image != module {
		t.Errorf("the image has Go %s, the module wants %s", image, module)
	}
}
