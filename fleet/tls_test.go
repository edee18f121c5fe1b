package fleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/process"
	"github.com/rodata/rodata/testkit/redis"
)

// certify writes a self-signed certificate for 127.0.0.1, and its key.
func certify(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testkit.NoError(t, err)

	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	testkit.NoError(t, err)

	secret, err := x509.MarshalPKCS8PrivateKey(private)
	testkit.NoError(t, err)

	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: public},
		key: {Type: "PRIVATE KEY", Bytes: secret}} {
		testkit.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}

	return certificate, key
}

// rediss:// connects only to a server whose certificate is signed by one of the system's authorities, which
// SSL_CERT_FILE can extend. They are read once per process, so each case runs in a separate process.
func TestTLS(t *testing.T) {
	if url := os.Getenv("RODATA_TEST_REDISS"); url != "" {
		reachByTLS(t, url)
		return
	}

	certificate, key := certify(t)
	_, port, _ := net.SplitHostPort(loopback.FreeAddress())
	redis.Start(t, "--tls-port", port, "--tls-cert-file", certificate, "--tls-key-file", key, "--tls-auth-clients",
		"no")
	for name, c := range map[string]struct {
		authorities string
		reached     bool
	}{
		"vouched for": {certificate, true},
		"unknown":     {os.DevNull, false},
	} {
		t.Run(name, func(t *testing.T) {
			output, err := process.Test(t, "TestTLS", "RODATA_TEST_REDISS=rediss://127.0.0.1:"+port,
				"SSL_CERT_FILE="+c.authorities, "SSL_CERT_DIR="+os.DevNull).CombinedOutput()
			if err != nil || strings.Contains(string(output), "reached: true") != c.reached {
				t.Errorf("%v, want reached: %t\n%s", err, c.reached, output)
			}
		})
	}
}

// reachByTLS prints whether a server is reachable, and takes a token from it. A busy machine may need more than the
// first attempt; there is one per second.
func reachByTLS(t *testing.T, url string) {
	f, err := Open(Options{URL: url, Edges: 1, Logger: slog.Default(), budgets: patient})
	testkit.NoError(t, err)
	defer f.Close()

	again, patience := time.NewTicker(10*time.Millisecond), time.After(5*retryEvery)
	defer again.Stop()
	for !f.Stats().Up {
		select {
		case <-again.C:
		case <-patience:
			t.Log("reached: false")
			return
		}
	}

	t.Log("reached: true")
	if _, _, err := f.Take(t.Context(), []metering.RemoteBucket{{Name: "a", Rate: metering.Anonymous}}, 1); err != nil {
		t.Error(err)
	}
}
