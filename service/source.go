package service

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream"
)

// updater is the connection to a registry, and the goroutine that updates its data over it.
type updater struct {
	client *upstream.Client
	pool   work.Pool // of the goroutine
}

// Close stops the goroutine and closes the connection.
func (u *updater) Close() error {
	u.pool.Close()
	u.client.Close()
	return nil
}

// listSources lists the registries in the order in which callers see them.
func (s *Service) listSources(*Config) error {
	s.registries = []func() telemetry.Source{s.tax.status, s.trade.status, s.bank.status, s.numbers.status}
	for _, r := range s.tax.small {
		s.registries = append(s.registries, r.status)
	}
	if s.vat != nil {
		s.registries = append(s.registries, s.vat.status)
	}

	return nil
}

// Sources returns the states of the registries.
func (s *Service) Sources() []system.SourceStatus {
	all := make([]system.SourceStatus, len(s.registries))
	for i, status := range s.registries {
		all[i] = status().SourceStatus
	}
	return all
}

// documentsStatus returns the state of a registry that publishes documents, given the time of the last successful check
// for a newer one, the day of the stored one, and whether the last attempt failed. Without any document, the state is
// unknown until an attempt fails, and then down.
func documentsStatus(name string, breaker upstream.BreakerState, checked time.Time, day ro.Date,
	failed bool) telemetry.Source {
	s := newSource(name, breaker, checked)
	if day != 0 {
		s.AsOf, s.DataTime = &day, day.UTC()
	}

	switch {
	case day == 0 && failed:
		s.State = "down"
	case day == 0:
		s.State = "unknown"
	case failed:
		s.State = "stale"
	}

	return s
}

// recordsStatus returns the state of a registry without publications, where each record has its own age.
func recordsStatus(name string, breaker upstream.BreakerState, last time.Time, down bool) telemetry.Source {
	s := newSource(name, breaker, last)
	if s.LastSuccess != nil {
		s.AsOf, s.DataTime = new(ro.DateIn(last, ro.Bucharest)), last
	}
	if down {
		s.State = "down"
	}

	return s
}

// breakerStatus is recordsStatus for a registry that is down while its breaker is open, or until its first answer if a
// call has failed.
func breakerStatus(name string, b *upstream.Breaker) telemetry.Source {
	state := b.State()
	return recordsStatus(name, state, b.LastSuccess(),
		state == upstream.BreakerOpen || b.HasOnlyFailed())
}

// newSource returns the state of a registry that is ok, or unknown until its first answer.
func newSource(name string, breaker upstream.BreakerState, lastSuccess time.Time) telemetry.Source {
	s := system.SourceStatus{Name: name, State: "unknown", Breaker: string(breaker)}
	if !lastSuccess.IsZero() {
		s.State, s.LastSuccess = "ok", new(lastSuccess.UTC().Truncate(time.Second))
	}
	return telemetry.Source{SourceStatus: s}
}

// publisher is a registry that publishes documents. It counts and traces the requests for them. An unusable document
// counts as answered; the registry's breaker counts it as a failure.
type publisher struct {
	client   upstream.Doer
	requests telemetry.RegistryMeter
}

func newPublisher(name string, c upstream.Doer, m *telemetry.Meters) publisher {
	return publisher{c, m.Registry(name)}
}

// Do sends a request. It implements upstream.Doer.
func (p publisher) Do(ctx context.Context, r upstream.Request) (*upstream.Response, error) {
	ctx, end := p.requests.Begin(ctx)
	res, err := p.client.Do(ctx, r)
	failed := err
	// A 404 is no failure: the document of the day or year does not exist yet.
	if err == nil && res.Status >= http.StatusBadRequest && res.Status != http.StatusNotFound {
		failed = fmt.Errorf("status %d", res.Status)
	}

	end(failed)
	return res, err
}

// openCompanies joins the registries into profiles of companies, behind the cache.
func (s *Service) openCompanies(config *Config) error {
	c, lifetimes := s.cache(), config.Cache.Companies.Company()
	sheets := profile.NewSheets(c, s.trade.statements, telemetry.WithSpan("upstream.bilant", s.tax.statement), s.live)
	s.companies = profile.NewRegister(c, lifetimes, telemetry.WithSpan("upstream.anaf", s.tax.Company), s.trade, sheets)
	s.ends = append(s.ends, s.companies.Close)

	load := profile.RegisterLoaders{}
	for _, r := range s.tax.small {
		load[r.SmallRegister] = r.record
	}

	s.taxRecords = profile.NewTaxRecords(c, lifetimes, s.companies, load)
	s.ends = append(s.ends, s.taxRecords.Close)
	return nil
}
