package master_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ballast/integration/cluster"
	"ballast/master"
	"ballast/master/client"
)

// authority signs certificates for a test.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	File string
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.File, _, a.cert, a.key = a.sign(template, name)
	return a
}

func (a *authority) sign(template *x509.Certificate, name string) (certFile, keyFile string, cert *x509.Certificate, key *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(der); err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	return certFile, keyFile, cert, key
}

func (a *authority) leaf(name string) (certFile, keyFile string) {
	certFile, keyFile, _, _ = a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, name)
	return certFile, keyFile
}

func TestCertificatesInPlaceOfTheToken(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	ours, strange := newAuthority(t, "ours"), newAuthority(t, "strange")
	m := startMaster(t, s, func(c *master.Config) {
		c.Development = false
		c.TLS.CertFile, c.TLS.KeyFile = ours.leaf("master")
		c.TLS.ClientCAFile = ours.File
	})
	roots := x509.NewCertPool()
	roots.AddCert(ours.cert)
	try := func(token string, leaf func() (string, string)) error {
		cfg := client.Config{URLs: []string{m.m.URL()}, Token: token, TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
		if leaf != nil {
			certFile, keyFile := leaf()
			cert, err := tls.LoadX509KeyPair(certFile, keyFile)
			if err != nil {
				t.Fatal(err)
			}
			cfg.TLS.Certificates = []tls.Certificate{cert}
		}
		c, err := client.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseIdle()
		_, err = c.Status(t.Context())
		return err
	}
	if err := try("", func() (string, string) { return ours.leaf("router") }); err != nil {
		t.Errorf("our certificate: %v", err)
	}
	if err := try(token, nil); err != nil {
		t.Errorf("the token over TLS: %v", err)
	}
	if err := try("", nil); number(err) != 1045 {
		t.Errorf("neither: %v", err)
	}
	if err := try("", func() (string, string) { return strange.leaf("router") }); err == nil {
		t.Error("a strange certificate was taken")
	}
}
