package settings

import (
	"cmp"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/vies"
)

const (
	viesURL = "https://ec.europa.eu/taxation_customs/vies/rest-api"
	// viesTimeout is longer than for other registries, since member states are slow to answer VIES.
	viesTimeout = caddy.Duration(12 * time.Second)
)

// VIES configures the connection to VIES. Timeout bounds one request and defaults to 12s, since VIES waits for the
// member state's register; failed requests are retried for up to 25 seconds.
type VIES struct {
	Connection
	// Breaker configures the breakers. Each member state has its own breaker.
	Breaker Breaker `json:"breaker,omitzero"`
}

func (v *VIES) rows() option.Table {
	return v.Connection.rows(v.registry(), option.Table{"breaker": option.Block(v.Breaker.rows())})
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
