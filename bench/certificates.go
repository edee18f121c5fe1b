package main

import (
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
)

// internalRoots reads the root of the internal issuer from the data folder of Caddy.
func internalRoots(folder string) (*x509.CertPool, error) {
	root, err := os.ReadFile(filepath.Join(folder, "caddy", "pki", "authorities", "local", "root.crt"))
	if err != nil {
		return nil, err
	}

	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(root) {
		return nil, errors.New("the root of the internal issuer is not a certificate")
	}

	return roots, nil
}
