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
	// status is the state of the registry.
	status() api.SourceStatus
	// stated returns the time at which the registry provided or published the newest stored data; zero if there is
	// none.
	stated() time.Time
}

// sources returns the states of the registries.
func (s *service) sources() []api.SourceStatus {
	all := make([]api.SourceStatus, len(s.registries))
	for i, source := range s.registries {
		all[i] = source.status()
	}
	return all
}

// settled changes the state ok to unknown for a registry that has not answered yet.
func settled(s api.SourceStatus) api.SourceStatus {
	if s.State == "ok" && s.LastSuccess == nil {
		s.State = "unknown"
	}
	return s
}

// queues returns the queues of the registries with a limited pace.
func (s *service) queues() []adminapi.Queue {
	t := s.tax.Stats()
	return []adminapi.Queue{{
		Name: "anaf", Interactive: t.Interactive, Refresh: t.Refresh, Prefetch: t.Ahead, Quarantined: t.Quarantined,
		Again: t.Again, Statements: t.Paced,
		Running: t.Running, Requests: t.Calls, Companies: t.Companies, Split: t.Split, Refused: t.Refused,
	}}
}

// storeTime is the maximum time that the account store may take to answer a ping.
const storeTime = time.Second

// ready returns the reason why the gateway cannot serve all requests, or nil. A registry that is down does not count:
// stored data is served meanwhile.
func (s *service) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if err := s.ping(ctx); err != nil {
		return fmt.Errorf("pinging the account store: %w", err)
	}

	return nil
}
