package settings

import (
	"errors"

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
	return option.Table{"url": option.Secret(&r.URL, fleet.CheckURL), "edges": option.Number(&r.Edges)}
}

func (r *Redis) validate() error {
	if r.URL != "" && r.Edges < 1 {
		return errors.New("edges is missing: set the number of edges that share the server, as in: edges 3")
	}
	return nil
}
