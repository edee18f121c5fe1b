package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rodata/rodata"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// serveTLS gives a program a configuration with certificates in a shared folder, issued by its own authority there.
func (p *program) serveTLS(t *testing.T, shared string) {
	t.Helper()
	options := fmt.Sprintf("{\n\tstorage file_system %q\n\tlocal_certs\n\tskip_install_trust\n"+
		"\tauto_https disable_redirects\n", shared)
	config := strings.Replace(string(rodata.Caddyfile), "\n{\n", "\n"+options, 1)
	testkit.NoError(t, os.WriteFile(filepath.Join(p.dir, "Caddyfile"), []byte(config), 0o600))

	address, err := url.Parse(p.url)
	testkit.NoError(t, err)

	p.url = "https://localhost:" + address.Port()
}

// certificate returns the certificate shown to clients of localhost, once there is one.
func (p *program) certificate(t *testing.T) *x509.Certificate {
	t.Helper()
	var shown *x509.Certificate
	testkit.Until(t, "the certificate is there", func() bool {
		// The authority is untrusted; only the certificate's identity matters.
		connection, err := tls.Dial("tcp", "127.0.0.1:"+p.url[strings.LastIndex(p.url, ":")+1:],
			&tls.Config{ServerName: "localhost", InsecureSkipVerify: true})
		if err != nil {
			return false
		}
		defer connection.Close()

		shown = connection.ConnectionState().PeerCertificates[0]
		return true
	})
	return shown
}

// Edges with the same storage folder share one certificate, which the first of them obtains. Edges with separate
// folders each obtain one.
func TestEdgesShareCertificatesLong(t *testing.T) {
	long.Only(t, "starts processes and waits for them")
	t.Parallel()
	shared := t.TempDir()
	var shown []*x509.Certificate
	for _, folder := range []string{shared, shared, t.TempDir()} {
		p := newProgram(t)
		p.serveTLS(t, folder)
		p.launch(t)
		shown = append(shown, p.certificate(t))
	}

	if !bytes.Equal(shown[0].Raw, shown[1].Raw) {
		t.Errorf("on one storage the certificates are %x and %x", shown[0].SerialNumber, shown[1].SerialNumber)
	}
	if bytes.Equal(shown[0].Raw, shown[2].Raw) {
		t.Errorf("an edge with its own storage has the certificate %x of another edge", shown[2].SerialNumber)
	}
}
