package settings

import (
	"fmt"
	"maps"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
)

const onrcURL = "https://data.gov.ro"

// ONRC are the settings for the trade register's open data, whose releases are loaded in
// the background.
type ONRC struct {
	Connection
	// Off stops requests to the portal: the loaded release is served, and newer ones are
	// loaded only by the command "rodata register load".
	Off bool `json:"off,omitempty"`
	// Take is where another gateway publishes its index: an absolute path, or a URL (https,
	// or http on a loopback address). The gateway downloads that index instead of building
	// its own. If none could be downloaded for a day, or only damaged ones or ones in
	// another format, it builds its own from the portal, unless Off is set. Placeholders
	// are resolved. Default: the index is built here.
	Take string `json:"take,omitempty"`
	// Publish is the absolute path of a folder to which the index is published for other
	// gateways: on a share, or served by a web server. It must exist. Placeholders are
	// resolved. Default: the index is not published.
	Publish string `json:"publish,omitempty"`
}

// rows are the rows of the block:
//
//	upstream onrc {
//		url        <address>
//		user_agent <text>
//		timeout    <duration>
//		off
//		take       <folder or address>
//		publish    <folder>
//	}
func (o *ONRC) rows() option.Table {
	rows := option.Table{
		"off": option.Flag(&o.Off), "take": option.Text(&o.Take, checkSource),
		"publish": option.Text(&o.Publish, onrc.CheckFolder),
	}
	maps.Copy(rows, o.Connection.rows(upstream.Options{Registry: "onrc"}))
	return rows
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

	_, err := o.connect(upstream.Options{Registry: "onrc"}, onrcURL)
	return err
}
