package settings

import (
	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream"
)

const bnrURL = "https://curs.bnr.ro"

// BNR are the settings for the central bank's reference rates.
type BNR struct {
	Connection
	// FillEvery is the pause between the past years that are fetched in advance. Default: 3s.
	FillEvery caddy.Duration `json:"fill_every,omitempty"`
	// MaxFactor is the largest plausible factor between the rates of two successive days; a document with a larger
	// change is rejected. At least 2. Default: 2.
	MaxFactor int `json:"max_factor,omitempty"`
}

func (b *BNR) rows() option.Table {
	return b.Connection.rows(upstream.Options{Registry: "bnr"}, option.Table{
		"fill_every": option.Duration(&b.FillEvery), "max_factor": option.Number(&b.MaxFactor),
	})
}

// prepare resolves and checks the settings.
func (b *BNR) prepare() error {
	_, err := b.Client()
	return err
}

// Client returns a new client with the settings.
func (b *BNR) Client() (*upstream.Client, error) {
	return b.connect(upstream.Options{Registry: "bnr"}, bnrURL)
}
