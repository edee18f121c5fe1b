package settings

import (
	"cmp"
	"maps"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/vies"
)

const (
	viesURL = "https://ec.europa.eu/taxation_customs/vies/rest-api"
	// viesTimeout leaves member states time that are slower than our own registries.
	viesTimeout = caddy.Duration(12 * time.Second)
)

// VIES are the settings for the VAT numbers of the Union. The default of Timeout is 12s: VIES waits for the register of a
// member state before it answers. It bounds one question, which is repeated for up to 25 seconds.
type VIES struct {
	Connection
	// Breaker says when a member state counts as down. Each has a breaker of its own.
	Breaker Breaker `json:"breaker,omitzero"`
}

// rows are the rows of the block:
//
//	upstream vies {
//		url        <address>
//		user_agent <text>
//		timeout    <duration>
//		breaker {
//			failures <number>
//			open_for <duration>
//		}
//	}
func (v *VIES) rows() option.Table {
	o := option.Table{"breaker": option.Block(v.Breaker.rows())}
	maps.Copy(o, v.Connection.rows(v.registry()))
	return o
}

// registry returns the client options in which VIES differs from other registries: one host answers for all member
// states, and each may be slow.
func (v *VIES) registry() upstream.Options {
	return upstream.Options{Registry: vies.Name, HeaderTimeout: time.Duration(v.Timeout), Connections: vies.Connections}
}

// prepare resolves and checks the settings.
func (v *VIES) prepare() error {
	if err := v.Breaker.validate(); err != nil {
		return err
	}
	_, err := v.Client()
	return err
}

// Client returns a new client with the settings.
func (v *VIES) Client() (*upstream.Client, error) {
	v.Timeout = cmp.Or(v.Timeout, viesTimeout)
	return v.connect(v.registry(), viesURL)
}
