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

// certificates are the certificates with which a gateway identified itself.
type certificates struct {
	roots *x509.CertPool

	mu                   sync.Mutex
	leaves, issuers      map[string]bool // by serial number
	connections, refused int
	example              error
}

// trust reads the root of the internal issuer from the data folder of Caddy.
func (c *certificates) trust(folder string) error {
	root, err := os.ReadFile(filepath.Join(folder, "caddy", "pki", "authorities", "local", "root.crt"))
	if err != nil {
		return err
	}
	c.roots, c.leaves, c.issuers = x509.NewCertPool(), make(map[string]bool), make(map[string]bool)
	if !c.roots.AppendCertsFromPEM(root) {
		return errors.New("the root of the internal issuer is no certificate")
	}
	return nil
}

// client is the configuration of a client that verifies certificates at the time of a clock.
func (c *certificates) client(now func() time.Time) *tls.Config {
	return &tls.Config{RootCAs: c.roots, Time: now, ServerName: "localhost", VerifyConnection: c.see}
}

// see records the certificates of a verified connection.
func (c *certificates) see(s tls.ConnectionState) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connections++
	for i, certificate := range s.VerifiedChains[0] {
		switch i {
		case 0:
			c.leaves[certificate.SerialNumber.String()] = true
		case 1:
			c.issuers[certificate.SerialNumber.String()] = true
		}
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
