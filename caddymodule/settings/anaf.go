package settings

import (
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
)

// ANAF are the settings for the tax authority's register of taxpayers.
type ANAF struct {
	Connection
	// Pace is the minimum time between the starts of two requests. Default: 1.05s; the register allows one request a
	// second.
	Pace caddy.Duration `json:"pace,omitempty"`
	// Breaker determines when the register counts as down.
	Breaker Breaker `json:"breaker,omitzero"`
}

func (a *ANAF) rows() option.Table {
	return a.Connection.rows(upstream.Options{Registry: "anaf"}, option.Table{
		"pace": option.Duration(&a.Pace), "breaker": option.Block(a.Breaker.rows()),
	})
}

// prepare resolves placeholders, fills in defaults and checks the settings.
func (a *ANAF) prepare() error {
	if _, err := a.connect(upstream.Options{Registry: "anaf"}, anaf.DefaultURL); err != nil {
		return err
	}
	if err := a.Breaker.validate(); err != nil {
		return err
	}

	_, err := a.Client()
	return err
}

// Client returns a new client with the settings.
func (a *ANAF) Client() (*anaf.Client, error) {
	return anaf.NewClient(anaf.Options{URL: a.URL, UserAgent: a.UserAgent, Timeout: time.Duration(a.Timeout)})
}
