package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// trust makes TLS settings that trust the authority in the file; nil for the system's authorities.
func trust(file string) (*tls.Config, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, misuse{fmt.Errorf("read the authority: %w", err)}
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, misuse{fmt.Errorf("%s holds no certificate", file)}
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}
