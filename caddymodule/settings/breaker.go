package settings

import (
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream"
)

// Breaker says when a registry counts as down, and for how long it is left alone
// then. 0 means the default.
type Breaker struct {
	// Failures is how many requests in a row must fail; or half of those in a
	// minute, when they are as many. Default: 5.
	Failures int `json:"failures,omitempty"`
	// OpenFor is how long the registry is left alone before one request is let
	// through as a probe. Each probe that fails doubles it, up to 5 minutes; a
	// longer time stays as it is. Default: 20s.
	OpenFor caddy.Duration `json:"open_for,omitempty"`
}

func (b *Breaker) rows() option.Table {
	return option.Table{"failures": option.Number(&b.Failures), "open_for": option.Duration(&b.OpenFor)}
}

func (b *Breaker) validate() error {
	if b.Failures < 0 || b.OpenFor < 0 {
		return fmt.Errorf("breaker: %d failures, %s: want positive values", b.Failures, time.Duration(b.OpenFor))
	}
	return nil
}

// Upstream is the settings as the package upstream takes them.
func (b *Breaker) Upstream() upstream.BreakerSettings {
	return upstream.BreakerSettings{Failures: b.Failures, OpenFor: time.Duration(b.OpenFor)}
}
