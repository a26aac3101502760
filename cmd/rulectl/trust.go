package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// trust makes TLS settings that trust the authority in the file and show the certificate; nil for the system's authorities and none.
func trust(authority, cert, key string) (*tls.Config, error) {
	if (cert == "") != (key == "") {
		return nil, misuse{errors.New("--cert-file and --key-file belong together")}
	}
	if authority == "" && cert == "" {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		pem, err := os.ReadFile(authority)
		if err != nil {
			return nil, misuse{fmt.Errorf("read the authority: %w", err)}
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, misuse{fmt.Errorf("%s holds no certificate", authority)}
		}
	}
	if cert != "" {
		own, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, misuse{fmt.Errorf("read the certificate: %w", err)}
		}
		cfg.Certificates = []tls.Certificate{own}
	}
	return cfg, nil
}
