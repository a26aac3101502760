package supervise

import (
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"
)

// masterRole is the master: its metadata lies in schema ballast_meta of the metadata server.
func (o Options) masterRole() *role {
	args := []string{"--config=" + o.path("master.yaml")}
	return o.programRole("master", o.Ports.Master, args, httpReady(o.masterURL()+"/healthz"))
}

// routerRole is the router. It answers its health check while it still waits for the master; then the supervisor lets it be.
func (o Options) routerRole() *role {
	args := []string{"--config=" + o.path("router.yaml")}
	return o.programRole("router", o.Ports.Router, args, httpReady(o.routerAdminURL()+"/healthz"))
}

// writeConfigs writes the settings of master and router; they are written anew at each start, so edits belong elsewhere.
func (o Options) writeConfigs() error {
	for name, settings := range map[string]any{
		"master": map[string]any{
			"meta":        fmt.Sprintf("root@tcp(%s)/", loopback(o.Ports.Metadata)),
			"key_file":    o.path("seal.key"),
			"listen":      loopback(o.Ports.Master),
			"token_file":  o.tokenFile(),
			"development": true, // a root account without a password, on loopback only
		},
		"router": map[string]any{
			"name":       "router",
			"listen":     []string{loopback(o.Ports.Router)},
			"admin":      loopback(o.Ports.RouterAdmin),
			"master":     []string{o.masterURL()},
			"token_file": o.tokenFile(),
		},
	} {
		text, err := yaml.Marshal(settings)
		if err != nil {
			return fmt.Errorf("write the settings of the %s: %w", name, err)
		}
		text = append([]byte("# written by ballast up; `ballast "+name+" --print-config` explains every key\n"), text...)
		if err := os.WriteFile(o.path(name+".yaml"), text, 0o600); err != nil {
			return fmt.Errorf("write the settings of the %s: %w", name, err)
		}
	}
	return nil
}
