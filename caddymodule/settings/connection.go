package settings

import (
	"cmp"
	"fmt"
	"maps"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/upstream"
)

// Connection configures the connection to a registry. Configurations with the same values share a connection and its
// state (pace, breaker). A changed value opens a new connection; the old one closes after its last request.
type Connection struct {
	// URL is the registry's address: https, or http on a loopback address.
	// Placeholders are resolved; empty means the default.
	URL string `json:"url,omitempty"`
	// UserAgent is sent with every request. Default: Mozilla/5.0, because the registries' firewalls reject uncommon
	// ones.
	UserAgent string `json:"user_agent,omitempty"`
	// Timeout bounds a request, from dialing to the last byte. Default: 10s.
	Timeout caddy.Duration `json:"timeout,omitempty"`
}

// rows are the rows of a registry in a Caddyfile: those of the connection, and its own ones. o has the client options
// that all connections to this registry have in common.
func (c *Connection) rows(o upstream.Options, own option.Table) option.Table {
	check := func(url string) error {
		o.URL = url
		_, err := upstream.NewClient(o)
		return err
	}
	rows := option.Table{
		"url": option.Text(&c.URL, check), "user_agent": option.Text(&c.UserAgent),
		"timeout": option.Duration(&c.Timeout),
	}
	maps.Copy(rows, own)
	return rows
}

// connect resolves the settings and returns a client, which sends nothing yet. It fails if the address is invalid.
func (c *Connection) connect(o upstream.Options, defaultURL string) (*upstream.Client, error) {
	if c.Timeout < 0 {
		return nil, fmt.Errorf("timeout %s: it must be a positive duration, such as 10s", time.Duration(c.Timeout))
	}

	repl := caddy.NewReplacer()
	c.URL = cmp.Or(repl.ReplaceAll(c.URL, ""), defaultURL)
	c.UserAgent = repl.ReplaceAll(c.UserAgent, "")
	o.URL, o.UserAgent, o.Timeout = c.URL, c.UserAgent, time.Duration(c.Timeout)
	return upstream.NewClient(o)
}
