package settings

import (
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream"
)

// Breaker determines when a registry counts as down, and for how long it then gets no requests. 0 means the default.
type Breaker struct {
	// Failures is the number of consecutive failures that open the breaker. It also opens when half of the requests in
	// a minute fail, if there were at least as many. Default: 5.
	Failures int `json:"failures,omitempty"`
	// OpenFor is the time for which the breaker stays open before it admits one request as a probe. Each failed probe
	// doubles it, up to 5 minutes; a longer time is kept as it is. Default: 20s.
	OpenFor caddy.Duration `json:"open_for,omitempty"`
}

func (b *Breaker) rows() option.Table {
	return option.Table{"failures": option.Number(&b.Failures), "open_for": option.Duration(&b.OpenFor)}
}

func (b *Breaker) validate() error {
	if b.Failures < 0 || b.OpenFor < 0 {
		return fmt.Errorf("breaker: %d failures, %s: both must be positive", b.Failures, time.Duration(b.OpenFor))
	}
	return nil
}

// Upstream returns the settings in the form of package upstream.
func (b *Breaker) Upstream() upstream.BreakerSettings {
	return upstream.BreakerSettings{Failures: b.Failures, OpenFor: time.Duration(b.OpenFor)}
}
