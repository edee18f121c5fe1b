package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

// Over TLS every answer, including errors, has HSTS; with RODATA_HSTS=off or over plain HTTP none has it.
func TestStrictTransportSecurity(t *testing.T) {
	for name, c := range map[string]struct{ host, setting, want string }{
		"a domain":   {"api.example.ro", "", "max-age=31536000"},
		"localhost":  {"localhost", "", "max-age=300"},
		"off":        {"api.example.ro", "off", ""},
		"plain HTTP": {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, "RODATA_HSTS="+c.setting)
			plain := strings.TrimPrefix(p.url, "http://")
			if c.host != "" {
				p.serveTLS(t, t.TempDir())
				p.url = strings.Replace(p.url, "localhost", c.host, 1)
			}

			client := &http.Client{Transport: &http.Transport{
				DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
					return new(net.Dialer).DialContext(ctx, network, plain)
				},
				TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the authority is the test's own
			}}
			defer client.CloseIdleConnections()
			p.launch(t)
			for _, path := range []string{"/health", "/", "/v1/plans", "/mcp", "/nothing", "/openapi.json"} {
				var res *http.Response
				testkit.Until(t, "the page answers", func() (ok bool) {
					var err error
					res, err = client.Get(p.url + path)
					return err == nil
				})
				res.Body.Close()
				if got := res.Header.Get("Strict-Transport-Security"); got != c.want {
					t.Errorf("%s (%d): got %q, want %q", path, res.StatusCode, got, c.want)
				}
			}
		})
	}
}
