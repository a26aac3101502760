package master

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
)

// Config is everything a master is told. The zero value of an optional field means its default.
type Config struct {
	// Meta is the metadata server as user:password@tcp(host:port)/, with one writable primary. Schema ballast_meta is made if it is missing. Required.
	Meta string `yaml:"meta"`
	// MetaFile names a file that holds Meta, so that the password stays out of the configuration. Optional: Meta is used without it.
	MetaFile string `yaml:"meta_file"`
	// KeyFile holds the secret (32 characters or more) that the nodes' passwords in the metadata are sealed with. The same for all masters. Required.
	KeyFile string `yaml:"key_file"`
	// Listen is the address of the API, the metrics and the health page. Default 127.0.0.1:7800.
	Listen string `yaml:"listen"`
	// Advertise is the URL under which routers and other masters reach this one. Default: made from Listen.
	Advertise string `yaml:"advertise"`
	// TokenFile holds the bearer token that API calls must carry. Without it only a client certificate, or Development, lets a caller in.
	TokenFile string `yaml:"token_file"`
	// TLS secures the API.
	TLS TLSConfig `yaml:"tls"`
	// NodeTLS secures the connections to the db nodes.
	NodeTLS NodeTLSConfig `yaml:"node_tls"`
	// Development allows users without a password and an API without a token. Only with Listen on a loopback address. Default false.
	Development bool `yaml:"development"`
	// LeaseStill is how long the leader's lease must stand still before this master takes over. Less takes over sooner and by mistake more often. Default 3s.
	LeaseStill time.Duration `yaml:"lease_still"`
	// AckWait is how long a definition waits for routers to take it over; one that stays silent is then left behind or evicted. Default 10s.
	AckWait time.Duration `yaml:"ack_wait"`
	// AccountPool is how many router accounts are made ahead on the nodes, so that a router can start while a node is down. Default 4.
	AccountPool int `yaml:"account_pool"`
}

// TLSConfig secures what listens.
type TLSConfig struct {
	// CertFile and KeyFile are the certificate of the API, PEM. Both empty means no TLS, allowed on loopback addresses only.
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
	// ClientCAFile lets in callers with a certificate of this authority, without a token (mutual TLS).
	ClientCAFile string `yaml:"client_ca_file"`
}

// NodeTLSConfig secures connections to db nodes.
type NodeTLSConfig struct {
	// CAFile is the authority that the nodes' certificates must come from. Empty means no TLS to the nodes.
	CAFile string `yaml:"ca_file"`
	// CertFile and KeyFile are this master's own certificate, for nodes that ask for one.
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
}

// Default gives the configuration with every default filled in.
func Default() Config {
	return Config{Listen: "127.0.0.1:7800", LeaseStill: 3 * time.Second, AckWait: 10 * time.Second, AccountPool: 4}
}

// Validate names all faults at once.
func (c *Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if c.Meta == "" && c.MetaFile == "" {
		fault("meta (or meta_file) is missing: where is the metadata server?")
	}
	if c.KeyFile == "" {
		fault("key_file is missing: the nodes' passwords must be sealed with something")
	}
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		fault("listen %q is no host:port", c.Listen)
	}
	loopback := isLoopback(host)
	if c.Development && !loopback {
		fault("development is for loopback addresses only, listen is %s", c.Listen)
	}
	if (c.TLS.CertFile == "") != (c.TLS.KeyFile == "") {
		fault("tls.cert_file and tls.key_file belong together")
	}
	if c.TLS.CertFile == "" && !loopback {
		fault("listen %s is not a loopback address: tls.cert_file and tls.key_file are needed", c.Listen)
	}
	if c.TokenFile == "" && c.TLS.ClientCAFile == "" && !c.Development {
		fault("nothing lets callers in: give token_file or tls.client_ca_file (or development on loopback)")
	}
	if c.Advertise != "" {
		if u, err := url.Parse(c.Advertise); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			fault("advertise %q is no http or https URL", c.Advertise)
		}
	}
	if c.LeaseStill < 500*time.Millisecond {
		fault("lease_still is %s, want at least 500ms", c.LeaseStill)
	}
	if c.AccountPool < 1 || c.AccountPool > 1000 {
		fault("account_pool is %d, want 1 to 1000", c.AccountPool)
	}
	if c.AckWait <= 0 {
		fault("ack_wait is %s, want more than 0", c.AckWait)
	}
	return errors.Join(faults...)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func readSecret(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if secret == "" {
		return "", fmt.Errorf("%s is empty", file)
	}
	return secret, nil
}

// server makes the TLS settings of the API; nil without TLS.
func (c TLSConfig) server() (*tls.Config, error) {
	if c.CertFile == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read the API's certificate: %w", err)
	}
	out := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	if c.ClientCAFile != "" {
		out.ClientCAs, err = readAuthorities(c.ClientCAFile)
		if err != nil {
			return nil, err
		}
		out.ClientAuth = tls.VerifyClientCertIfGiven
	}
	return out, nil
}

func (c NodeTLSConfig) client() (*tls.Config, error) {
	if c.CAFile == "" {
		return nil, nil
	}
	roots, err := readAuthorities(c.CAFile)
	if err != nil {
		return nil, err
	}
	out := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	if c.CertFile != "" {
		cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("read the certificate for the nodes: %w", err)
		}
		out.Certificates = []tls.Certificate{cert}
	}
	return out, nil
}

func readAuthorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", file)
	}
	return pool, nil
}
