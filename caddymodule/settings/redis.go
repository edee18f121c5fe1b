package settings

import (
	"errors"
	"fmt"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/fleet"
)

// Redis is the server, Redis or Valkey, through which edges share cached answers, rate limits, and the pace of requests
// to the registries. While it is down, each edge works independently.
type Redis struct {
	// URL is the address of the server: redis://user:password@host:6379/0, or rediss:// for TLS; ?addr=host:6379 adds a
	// cluster node, or with &master_set=name a sentinel. Give it as a placeholder, {env.RODATA_REDIS} or
	// {file./run/secrets/redis}, so that the configuration does not show the password. Default: none; the edge works
	// independently.
	URL string `json:"url,omitempty"`
	// Edges is the number of edges that share the server. While it is down, each enforces 1/Edges of the rate limits
	// and of the pace. Required with a URL.
	Edges int `json:"edges,omitempty"`
}

// rows are the rows of the block in a Caddyfile.
func (r *Redis) rows() option.Table {
	return option.Table{"url": option.Text(&r.URL, checkRedisURL), "edges": option.Number(&r.Edges)}
}

// resolve replaces placeholders. Errors do not contain the URL.
func (r *Redis) resolve(repl *caddy.Replacer) error {
	if err := replacePlaceholders(repl, &r.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	return nil
}

func (r *Redis) validate() error {
	if err := checkRedisURL(r.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	if r.URL != "" && r.Edges < 1 {
		return errors.New("edges is missing: set the number of edges that share the server, as in: edges 3")
	}
	return nil
}

func checkRedisURL(url string) error {
	if url == "" {
		return nil
	}
	return fleet.CheckURL(url)
}
