package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/fleet"
	"github.com/rodata/rodata/metering"
)

// Redis is the server, Redis or Valkey, by way of which several edges share what
// they have fetched, the callers' rates and the registries' pace. While it is
// away, each goes on alone.
type Redis struct {
	// URL names the server: redis://user:password@host:6379/0, or rediss:// for
	// TLS; ?addr=host:6379 adds a node of a cluster, or with &master_set=name a
	// sentinel. Give it as a placeholder, {env.RODATA_REDIS} or
	// {file./run/secrets/redis}, so that the configuration does not show the
	// password. Default: none, the edge stands alone.
	URL string `json:"url,omitempty"`
	// Edges is how many edges share the server: while it is away, each takes that
	// part of the callers' rates and of the registries' pace. Required with a URL.
	Edges int `json:"edges,omitempty"`
}

// options are the rows of the block in a Caddyfile.
func (r *Redis) options() options {
	return options{"url": text(&r.URL, checkRedisURL), "edges": number(&r.Edges)}
}

// resolve replaces the placeholders of the URL, which no error shows.
func (r *Redis) resolve(repl *caddy.Replacer) (err error) {
	if r.URL, err = repl.ReplaceOrErr(r.URL, false, true); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	r.URL = strings.TrimRight(r.URL, "\r\n") // files end with a newline
	return nil
}

func (r *Redis) validate() error {
	if err := checkRedisURL(r.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	if r.URL != "" && r.Edges < 1 {
		return errors.New("edges: say how many edges share it, as in: edges 3")
	}
	return nil
}

func checkRedisURL(url string) error {
	if url == "" {
		return nil
	}
	return fleet.CheckURL(url)
}

// sharedFleet is a connection to a fleet among what is shared.
type sharedFleet struct{ *fleet.Fleet }

// Destruct ends the connection.
func (s sharedFleet) Destruct() error {
	s.Close()
	return nil
}

// openFleet joins the fleet, if there is one. What it opens before everything that
// uses it is closed after it.
func (s *service) openFleet(r Redis) error {
	if r.URL == "" {
		return nil
	}
	joined, err := lease(&s.leases, r, func() (sharedFleet, error) {
		f, err := fleet.Open(fleet.Options{URL: r.URL, Edges: r.Edges, Logger: slog.New(liveLog{})})
		return sharedFleet{f}, err
	})
	s.fleet = joined.Fleet
	return err
}

// cache is the core's, shared with the fleet if there is one.
func (s *service) cache() *cache.Cache {
	if s.fleet == nil {
		return s.core.cache
	}
	return s.core.cache.Sharing(s.fleet)
}

// fleetBuckets are the buckets that the fleet shares; nil without one.
func (s *service) fleetBuckets() *metering.FleetBuckets {
	if s.fleet == nil {
		return nil
	}
	return metering.NewFleetBuckets(s.fleet, s.core.buckets, s.fleet.Edges())
}

// forgetting begins the message that makes all edges forget a company.
const forgetting = "forget company "

// listen follows what the other edges say.
func (s *service) listen() {
	if s.fleet == nil {
		return
	}
	s.ends = append(s.ends, s.fleet.Subscribe(func(message string) {
		number, ok := strings.CutPrefix(message, forgetting)
		var cui api.CUI
		if !ok || cui.UnmarshalText([]byte(number)) != nil {
			return // of an edge that is newer than this one
		}
		if err := s.companies.Drop(cui); err != nil {
			slog.New(liveLog{}).Error("forgetting a company, as another edge was told to", "company", cui, "error", err)
		}
	}))
}

// forget makes all edges forget a company. The error says who may not have heard.
func (s *service) forget(ctx context.Context, cui api.CUI) error {
	err := s.companies.Forget(ctx, cui)
	if s.fleet != nil {
		if told := s.fleet.Publish(ctx, forgetting+cui.String()); told != nil {
			err = errors.Join(err, fmt.Errorf("telling the other edges to forget it, which this one has: %w", told))
		}
	}
	return err
}
