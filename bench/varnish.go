package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rodata/rodata/testkit/loopback"
)

var errNoVarnish = errors.New("varnishd is not installed, so the comparison with Varnish is left out; apt-get " +
	"install --no-install-recommends varnish")

// varnish starts Varnish with the body for a path in its memory. Its backend is stopped on return, so each answer is a
// hit or an error.
func (s *testbed) varnish(ctx context.Context, path string, body []byte) (*server, error) {
	varnishd, err := exec.LookPath("varnishd")
	if err != nil {
		if varnishd, err = exec.LookPath("/usr/sbin/varnishd"); err != nil {
			return nil, errNoVarnish
		}
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}

	backend := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "public, max-age=86400")
		w.Write(body)
	})}

	served := make(chan error, 1)
	go func() { served <- backend.Serve(l) }()
	defer func() {
		backend.Close()
		<-served
	}()

	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, err
	}

	file := filepath.Join(s.folder, "varnish.vcl")
	vcl := fmt.Sprintf("vcl 4.1;\nbackend default { .host = %q; .port = %q; }\n", host, port)
	if err := os.WriteFile(file, []byte(vcl), 0o600); err != nil {
		return nil, err
	}

	address := loopback.FreeAddress()
	v, err := s.start(ctx, "varnish", address, varnishd, "-F", "-j", "none", "-n", filepath.Join(s.folder, "varnish"),
		"-a", address, "-T", "none", "-f", file, "-s", "malloc,64m")
	if err != nil {
		return nil, err
	}

	return v, eventually(ctx, func() error {
		_, err := fetch(address, get(address, path))
		return err
	})
}
