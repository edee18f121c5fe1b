package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/fleet"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/ro"
)

// sharedFleet is an open fleet that configurations share.
type sharedFleet struct{ *fleet.Fleet }

// Close closes the connection.
func (s sharedFleet) Close() error {
	s.Fleet.Close()
	return nil
}

// openFleet joins the fleet, if there is one. It must be called before anything that uses
// the fleet, so that the fleet is closed last.
func (s *Service) openFleet(c *Config) error {
	r := c.Redis
	if r.URL == "" {
		return nil
	}

	var joined sharedFleet
	err := share(&s.shares, &joined, "the fleet", r, func() (sharedFleet, error) {
		f, err := fleet.Open(fleet.Options{URL: r.URL, Edges: r.Edges, Logger: s.live})
		return sharedFleet{f}, err
	})

	s.fleet = joined.Fleet
	return err
}

// cache returns the cache of the core, which the fleet shares if there is one.
func (s *Service) cache() *cache.Cache {
	if s.fleet == nil {
		return s.core.cache
	}
	return s.core.cache.Sharing(s.fleet)
}

// fleetBuckets returns the buckets that the fleet shares, or nil without a fleet.
func (s *Service) fleetBuckets() *metering.FleetBuckets {
	if s.fleet == nil {
		return nil
	}
	return metering.NewFleetBuckets(s.fleet, s.core.buckets, s.fleet.Edges())
}

// forgetPrefix is the prefix of messages that make all edges forget a company.
const forgetPrefix = "forget company "

// listen subscribes to the messages of the other edges.
func (s *Service) listen() {
	if s.fleet == nil {
		return
	}

	s.ends = append(s.ends, s.fleet.Subscribe(func(message string) {
		number, ok := strings.CutPrefix(message, forgetPrefix)
		var cui ro.CUI
		if !ok || cui.UnmarshalText([]byte(number)) != nil {
			return // a message of a newer version
		}
		if err := errors.Join(s.companies.Drop(cui), s.taxRecords.Drop(cui)); err != nil {
			s.live.Error("forgetting a company at the request of another edge", "company", cui, "error", err)
		}
	}))
}

// Forget makes all edges forget a company. The error names the edges that may still have it.
func (s *Service) Forget(ctx context.Context, cui ro.CUI) error {
	err := errors.Join(s.companies.Forget(ctx, cui), s.taxRecords.Forget(ctx, cui))
	if s.fleet != nil {
		if failed := s.fleet.Publish(ctx, forgetPrefix+cui.String()); failed != nil {
			err = errors.Join(err, fmt.Errorf("this edge has forgotten the company, but telling the others failed: %w",
				failed))
		}
	}

	return err
}
