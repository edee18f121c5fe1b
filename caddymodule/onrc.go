package caddymodule

import (
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

func init() { caddy.RegisterModule(new(ONRC)) }

const onrcURL = "https://data.gov.ro"

// ONRC is the guest rodata.upstreams.onrc: the trade register's open data. Its
// settings are checked; nothing is fetched before the release that searches
// companies.
type ONRC struct {
	Connection
}

// CaddyModule returns the guest's registration.
func (*ONRC) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "rodata.upstreams.onrc", New: func() caddy.Module { return new(ONRC) }}
}

// UnmarshalCaddyfile reads:
//
//	upstream onrc {
//		url        <address>
//		user_agent <text>
//		timeout    <duration>
//	}
func (o *ONRC) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the guest's name
	return o.Connection.options("onrc").parse(d)
}

// Provision checks the settings.
func (o *ONRC) Provision(caddy.Context) error {
	_, err := o.connect("onrc", onrcURL)
	return err
}

// status is that of a register of which nothing is loaded, nor asked for.
func (*ONRC) status() api.SourceStatus {
	return api.SourceStatus{Name: "onrc", State: "down", Breaker: string(upstream.BreakerClosed)}
}

func (*ONRC) stated() time.Time { return time.Time{} }

var (
	_ source                = (*ONRC)(nil)
	_ caddy.Provisioner     = (*ONRC)(nil)
	_ caddyfile.Unmarshaler = (*ONRC)(nil)
)
