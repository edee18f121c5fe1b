package settings

import (
	"cmp"
	"errors"

	"github.com/rodata/rodata/caddymodule/internal/option"
)

// Webhooks configures the endpoints to which accounts' events are sent.
type Webhooks struct {
	// Private, on or off, permits endpoints with private or loopback addresses, and with http, for receivers in the
	// operator's own network and for tests. If it is on, anyone with a key can make the gateway send requests to that
	// network. Placeholders are resolved. Default: off.
	Private string `json:"private,omitempty"`
	// Limit is the maximum number of webhooks of an account. Default: 20.
	Limit int `json:"limit,omitempty"`
}

func (w *Webhooks) rows() option.Table {
	return option.Table{"private": option.Text(&w.Private, checkSwitch), "limit": option.Number(&w.Limit)}
}

func (w *Webhooks) validate() error {
	if w.Limit < 0 {
		return errors.New("limit: give a number of webhooks of at least 1, or leave it out")
	}
	return nil
}

// Maximum returns the maximum number of webhooks of an account.
func (w *Webhooks) Maximum() int { return cmp.Or(w.Limit, 20) }
