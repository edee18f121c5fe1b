package caddymodule

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/caddymodule/adminapi"
)

// source is an open registry.
type source interface {
	// status is how the registry is.
	status() api.SourceStatus
	// stated is when the registry gave or published the newest of what is stored;
	// the zero time when nothing is.
	stated() time.Time
}

// sources are how the registries are.
func (s *service) sources() []api.SourceStatus {
	all := make([]api.SourceStatus, len(s.registries))
	for i, source := range s.registries {
		all[i] = source.status()
	}
	return all
}

// settled is a status whose registry is only called ok once it has answered: before,
// nobody knows.
func settled(s api.SourceStatus) api.SourceStatus {
	if s.State == "ok" && s.LastSuccess == nil {
		s.State = "unknown"
	}
	return s
}

// queues are what waits.
func (s *service) queues() []adminapi.Queue {
	t := s.tax.Stats()
	return []adminapi.Queue{{
		Name: "anaf", Interactive: t.Interactive, Refresh: t.Refresh, Prefetch: t.Ahead, Quarantined: t.Quarantined, Again: t.Again, Statements: t.Paced,
		Running: t.Running, Requests: t.Calls, Companies: t.Companies, Split: t.Split, Refused: t.Refused,
	}}
}

// storeTime is how long the store of accounts may take to say that it is there.
const storeTime = time.Second

// ready is what keeps the gateway from doing all of its work, or nil. A registry
// that is down does not: what is stored is served meanwhile.
func (s *service) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if err := s.ping(ctx); err != nil {
		return fmt.Errorf("asking the store of accounts: %w", err)
	}
	return nil
}
