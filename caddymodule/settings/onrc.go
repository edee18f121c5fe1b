package settings

import (
	"fmt"
	"maps"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream/onrc"
)

const onrcURL = "https://data.gov.ro"

// ONRC is the settings for the trade register's open data, loaded
// in the background when there is a new release.
type ONRC struct {
	Connection
	// Off leaves the portal alone: what was loaded before is served, and new
	// releases come only by the command "rodata register load".
	Off bool `json:"off,omitempty"`
	// Take is where another gateway publishes its index: an absolute path, or a URL
	// (https, or http on a loopback address) at which those files are served. It is
	// taken instead of building one, for which a gateway that is not off has the
	// portal still: when nothing could be had for a day, or only what is damaged or
	// of another format. Placeholders are resolved. Default: none, it builds.
	Take string `json:"take,omitempty"`
	// Publish is the absolute path of a folder that the index is published to, for
	// others to take: on a share, or served by a web server. It must exist.
	// Placeholders are resolved. Default: none.
	Publish string `json:"publish,omitempty"`
}

// rows are the rows of:
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
	rows := option.Table{"off": option.Flag(&o.Off), "take": option.Text(&o.Take, checkSource), "publish": option.Text(&o.Publish, onrc.CheckFolder)}
	maps.Copy(rows, o.Connection.rows("onrc"))
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
	_, err := o.connect("onrc", onrcURL)
	return err
}
