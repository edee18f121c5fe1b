package service

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream"
)

// source is an open registry.
type source interface {
	// status is the state of the registry.
	status() system.SourceStatus
	// dataTime returns the time at which the registry provided or published the newest stored data; zero if there is
	// none.
	dataTime() time.Time
}

// registryKey holds the settings on which an open connection to a registry depends.
type registryKey struct {
	settings any
	dataDir  string
}

// openRegistries takes shares in the connections to the registries.
func (s *Service) openRegistries(c *Config) (err error) {
	l, u, m := &s.shares, &c.Upstreams, s.core.meters
	if s.tax, err = openTaxAuthority(l, &u.ANAF, c.DataDir, m, s.fleet, s.observed, s.watching); err != nil {
		return err
	}
	if s.bank, err = openCentralBank(l, &u.BNR, c.DataDir, m); err != nil {
		return err
	}
	if s.trade, err = openTradeRegister(l, &u.ONRC, c.DataDir, m); err != nil {
		return err
	}
	if s.vat, err = openVATRegister(l, &u.ANAFFiles, c.DataDir, m); err != nil {
		return err
	}
	if s.numbers, err = openVIES(l, &u.VIES, c.DataDir, m); err != nil {
		return err
	}

	s.registries = []source{s.tax, s.trade, s.bank, s.numbers}
	for _, r := range s.tax.small {
		s.registries = append(s.registries, r)
	}
	if s.vat != nil {
		s.registries = append(s.registries, s.vat)
	}

	return nil
}

// sources returns the states of the registries.
func (s *Service) sources() []system.SourceStatus {
	all := make([]system.SourceStatus, len(s.registries))
	for i, source := range s.registries {
		all[i] = source.status()
	}
	return all
}

// documentsStatus returns the state of a registry that publishes documents, given the time of the last successful check
// for a newer one, the day of the stored one, and whether the last attempt failed. Without any document, the state is
// unknown until an attempt fails, and then down.
func documentsStatus(name string, breaker upstream.BreakerState, checked time.Time, day ro.Date,
	failed bool) system.SourceStatus {
	s := system.SourceStatus{Name: name, State: "ok", Breaker: string(breaker), LastSuccess: wholeSecond(checked)}
	if day != 0 {
		s.AsOf = &day
	}

	switch {
	case day == 0 && failed:
		s.State = "down"
	case day == 0:
		s.State = "unknown"
	case failed:
		s.State = "stale"
	}

	return unknownUntilAnswered(s)
}

// recordsStatus returns the state of a registry without publications, where each record has its own age.
func recordsStatus(name string, breaker upstream.BreakerState, last time.Time, down bool) system.SourceStatus {
	s := system.SourceStatus{Name: name, State: "ok", Breaker: string(breaker), LastSuccess: wholeSecond(last)}
	if s.LastSuccess != nil {
		s.AsOf = new(ro.DateIn(last, ro.Bucharest))
	}
	if down {
		s.State = "down"
	}

	return unknownUntilAnswered(s)
}

// breakerStatus is recordsStatus for a registry that is down while its breaker is open, or until its first answer if a
// call has failed.
func breakerStatus(name string, b *upstream.Breaker) system.SourceStatus {
	state := b.State()
	return recordsStatus(name, state, b.LastSuccess(),
		state == upstream.BreakerOpen || b.HasOnlyFailed())
}

// wholeSecond truncates a time to seconds, in UTC; it returns nil for the zero time.
func wholeSecond(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC().Truncate(time.Second))
}

// startOf returns the start of a day in UTC; the zero time without a day.
func startOf(day ro.Date) time.Time {
	if day == 0 {
		return time.Time{}
	}
	return day.UTC()
}

// unknownUntilAnswered changes the state ok to unknown for a registry that has not answered yet.
func unknownUntilAnswered(s system.SourceStatus) system.SourceStatus {
	if s.State == "ok" && s.LastSuccess == nil {
		s.State = "unknown"
	}
	return s
}

// publisher is a registry that publishes documents. It counts and traces the requests for them. An unusable document
// counts as answered; the registry's breaker counts it as a failure.
type publisher struct {
	client   upstream.Doer
	name     string
	requests telemetry.RegistryMeter
}

func newPublisher(name string, c upstream.Doer, m *telemetry.Meters) publisher {
	return publisher{c, name, m.Registry(name)}
}

// Do sends a request. It implements upstream.Doer.
func (p publisher) Do(ctx context.Context, r upstream.Request) (*upstream.Response, error) {
	start := time.Now()
	ctx, span := telemetry.StartSpan(ctx, "upstream."+p.name, trace.WithSpanKind(trace.SpanKindClient))
	res, err := p.client.Do(ctx, r)
	failed := err
	// A 404 is no failure: the document of the day or year does not exist yet.
	if err == nil && res.Status >= http.StatusBadRequest && res.Status != http.StatusNotFound {
		failed = fmt.Errorf("status %d", res.Status)
	}

	p.requests.Count(start, failed)
	telemetry.EndSpan(span, failed)
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
