package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rodata/rodata/testkit/loopback"
	"github.com/rodata/rodata/testkit/standin"
)

// testbed is the environment of a measurement: the built gateway, the stand-ins of the registries, a folder, and the
// servers it started.
type testbed struct {
	folder, binary string
	registries     *standin.Registries
	companies      []standin.Company
	servers        []*server
}

// newTestbed builds the gateway and starts the stand-ins.
func newTestbed(ctx context.Context, o standin.Options) (s *testbed, err error) {
	s = new(testbed)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()

	if s.folder, err = os.MkdirTemp("", "rodata-bench"); err != nil {
		return s, err
	}

	s.binary = filepath.Join(s.folder, "rodata")
	product, err := productFolder(ctx)
	if err != nil {
		return s, err
	}

	build := exec.CommandContext(ctx, "go", "build", "-o", s.binary, "./cmd/rodata")
	build.Dir, build.Stderr = product, os.Stderr
	if err := build.Run(); err != nil {
		return s, fmt.Errorf("building the gateway: %w", err)
	}
	if s.companies, err = standin.Companies(); err != nil {
		return s, err
	}

	s.registries, err = standin.Start(o)
	return s, err
}

// productFolder returns the folder of the module under measurement, of which this one has only the dependencies that it
// imports itself.
func productFolder(ctx context.Context) (string, error) {
	folder, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/rodata/rodata").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the source of the gateway: %w", err)
	}
	return strings.TrimSpace(string(folder)), nil
}

// closeRegistries stops the stand-ins: from then on everything must come from the cache.
func (s *testbed) closeRegistries() error {
	if s.registries == nil {
		return nil
	}

	registries := s.registries
	s.registries = nil
	return registries.Close()
}

func (s *testbed) close() error {
	var errs []error
	for _, server := range s.servers {
		errs = append(errs, server.stop())
	}
	return errors.Join(append(errs, s.closeRegistries(), os.RemoveAll(s.folder))...)
}

// caddy starts the built binary on a Caddyfile, in which ADDRESS stands for the address of the site.
func (s *testbed) caddy(ctx context.Context, name, config string) (*server, error) {
	address := loopback.FreeAddress()
	file := filepath.Join(s.folder, name+".caddyfile")
	config = strings.ReplaceAll(config, "ADDRESS", "http://"+address)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}

	return s.start(ctx, name, address, s.binary, "run", "--config", file, "--adapter", "caddyfile")
}

// companyPath returns the path of a company's profile, for measurements of a single hit.
func (s *testbed) companyPath() string { return "/v1/companies/" + s.companies[0].CUI.String() }

// site returns a Caddyfile with one site, with the given directives and, in addition to quiet, global options.
func site(global, directives string) string {
	return "{" + quiet + "\tdefault_bind 127.0.0.1\n" + global + "}\nADDRESS {\n" + directives + "}\n"
}

// quiet has the global options that turn off the admin endpoint, the saved configuration and certificates.
const quiet = `
	admin off
	persist_config off
	auto_https off
`

// paced returns the options of app with the production pace.
func (s *testbed) paced(name string) string {
	return strings.Replace(s.app(name), "\t\t\tpace 10ms\n", "", 1)
}

// withOption adds an option to those of app.
func withOption(app, option string) string {
	return strings.Replace(app, "\t\tupstream anaf {", "\t\t"+option+"\n\t\tupstream anaf {", 1)
}

// app returns the gateway's global options: the stand-ins as registries, a data directory with the given name, and a
// rate limit that no load reaches.
func (s *testbed) app(name string) string {
	return fmt.Sprintf(`
	rodata {
		data_dir %s
		anonymous 1000000 1000000
		upstream anaf {
			url %s
			pace 10ms
		}
		upstream anaf_files {
			off
		}
		upstream bnr {
			url %s
			fill_every 10ms
		}
		upstream vies {
			url %s
		}
		upstream onrc {
			off
		}
	}
`, filepath.Join(s.folder, name+".data"), s.registries.ANAF.URL, s.registries.BNR.URL, s.registries.VIES.URL)
}
