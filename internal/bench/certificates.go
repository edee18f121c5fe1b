package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// certificates records the certificates that a gateway has presented.
type certificates struct {
	roots *x509.CertPool

	mu                   sync.Mutex
	leaves, issuers      map[string]bool // by serial number
	connections, refused int
	example              error
}

// trust accepts the certificates of the gateway's internal issuer.
func (c *certificates) trust(folder string) (err error) {
	c.leaves, c.issuers = make(map[string]bool), make(map[string]bool)
	c.roots, err = internalRoots(folder)
	return err
}

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

// client returns a TLS configuration that verifies certificates at the time that a clock shows.
func (c *certificates) client(now func() time.Time) *tls.Config {
	return &tls.Config{
		RootCAs: c.roots, Time: now, ServerName: "localhost", VerifyConnection: c.see, MinVersion: tls.VersionTLS13,
	}
}

// see records the certificates of a verified connection.
func (c *certificates) see(s tls.ConnectionState) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connections++
	chain := s.VerifiedChains[0]
	c.leaves[chain[0].SerialNumber.String()] = true
	if len(chain) > 1 {
		c.issuers[chain[1].SerialNumber.String()] = true
	}

	return nil
}

// refuse records a connection whose certificates are invalid.
func (c *certificates) refuse(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused++
	if c.example == nil {
		c.example = err
	}
}
