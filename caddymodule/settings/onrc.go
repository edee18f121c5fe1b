package settings

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
)

const onrcURL = "https://data.gov.ro"

// ONRC are the settings for the trade register's open data, whose releases are loaded in the background.
type ONRC struct {
	Connection
	// Off disables requests to the portal: the loaded release is served, and newer ones are loaded only by the command
	// "rodata register load".
	Off bool `json:"off,omitempty"`
	// Take is the address of another gateway's published index: an absolute path, or a URL (https, or http on a
	// loopback address). The gateway downloads that index instead of building its own. If none could be downloaded for
	// a day, or only damaged ones or ones in another format, it builds its own from the portal, unless Off is set.
	// Placeholders are resolved. Default: the index is built here.
	Take string `json:"take,omitempty"`
	// Publish is the absolute path of a folder to which the index is published for other gateways: on a share, or
	// served by a web server. It must exist. Placeholders are resolved. Default: the index is not published.
	Publish string `json:"publish,omitempty"`
	// Releases is the number of releases kept as files for download, about 400 MB each; -1 for none. Default 3.
	Releases int `json:"releases,omitempty"`
	// Statements is the number of years whose yearly statements are loaded, about 70 MB each. Default: all since 2009.
	Statements int `json:"statements,omitempty"`
}

// DefaultReleases is the default number of releases kept as files; noReleases stands for zero.
const (
	DefaultReleases = 3
	noReleases      = -1
	maxReleases     = 24
)

// KeptReleases is the number of releases kept as files.
func (o *ONRC) KeptReleases() int { return max(0, cmp.Or(o.Releases, DefaultReleases)) }

// readReleases reads a number of releases, or off.
func readReleases(text string) (int, error) {
	if text == "off" {
		return noReleases, nil
	}

	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxReleases {
		return 0, fmt.Errorf("%q is neither a number of releases from 1 to %d nor off", text, maxReleases)
	}

	return n, nil
}

// maxStatements bounds the number of years with statements.
const maxStatements = 99

// readStatements reads a number of years.
func readStatements(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxStatements {
		return 0, fmt.Errorf("%q is not a number of years from 1 to %d", text, maxStatements)
	}
	return n, nil
}

func (o *ONRC) rows() option.Table {
	return o.Connection.rows(upstream.Options{Registry: "onrc"}, option.Table{
		"off": option.Flag(&o.Off), "take": option.Text(&o.Take, checkSource),
		"publish":    option.Text(&o.Publish, onrc.CheckFolder),
		"releases":   option.Value(&o.Releases, readReleases),
		"statements": option.Value(&o.Statements, readStatements),
	})
}

func checkSource(address string) error {
	_, err := onrc.NewSource(address)
	return err
}

// prepare resolves and checks the settings.
func (o *ONRC) prepare() error {
	repl := caddy.NewReplacer()
	o.Take, o.Publish = repl.ReplaceAll(o.Take, ""), repl.ReplaceAll(o.Publish, "")
	if o.Take != "" {
		if err := checkSource(o.Take); err != nil {
			return fmt.Errorf("take: %w", err)
		}
	}

	if o.Publish != "" {
		if err := onrc.CheckFolder(o.Publish); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}

	if o.Releases < noReleases || o.Releases > maxReleases {
		return fmt.Errorf("releases: %d is not a number of releases from 1 to %d; -1 keeps none", o.Releases,
			maxReleases)
	}

	if o.Statements < 0 || o.Statements > maxStatements {
		return fmt.Errorf("statements: %d is not a number of years from 1 to %d; 0 stands for all", o.Statements,
			maxStatements)
	}

	_, err := o.connect(upstream.Options{Registry: "onrc"}, onrcURL)
	return err
}
