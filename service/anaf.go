package service

import (
	"context"
	"time"

	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

// taxAuthority is the open connection to the tax authority.
type taxAuthority struct {
	*ration.Lookup
	breaker *upstream.Breaker
	// statement fetches a yearly statement, paced together with the lookup's requests.
	statement cache.Loader[anaf.Filing, *anaf.Statement]
	small     []*smallRegister
}

// openTaxAuthority takes a share in the connection. Its answers are stored in the history before callers get them. The
// edges of a fleet share one pace.
func (s *Service) openTaxAuthority(c *Config) error {
	a, m, f := &c.Upstreams.ANAF, s.core.meters, s.fleet
	key := [...]any{*a, s.core, f, s.watching}
	return share(&s.shares, &s.tax, "the tax authority", key, func() (*taxAuthority, error) {
		client, err := a.Client()
		if err != nil {
			return nil, err
		}

		b := upstream.NewBreaker("anaf", a.Breaker.Upstream())
		seen := &observer{recorder: s.watching.recorder, meters: m, log: s.live}
		o := ration.LookupOptions{
			Pace: time.Duration(a.Pace), Observe: seen.observe,
			Shut: func() bool { return b.State() == upstream.BreakerOpen },
		}
		if f != nil {
			o.Ration, o.Processes = f.Ration("anaf"), f.Edges()
		}

		lookup := ration.NewLookup(meterFetch(m, "anaf", upstream.Guard(b, client.Profiles)), o)
		statement := meterStatement(m, upstream.Guard(b, client.Statement))
		t := &taxAuthority{Lookup: lookup, breaker: b, statement: ration.Paced(lookup, statement)}
		for _, r := range anaf.SmallRegisters {
			t.small = append(t.small, openSmallRegister(lookup, a, m, r, client.Entries(r)))
		}

		return t, nil
	})
}

// statementOf requests a yearly statement from the tax authority.
type statementOf = func(context.Context, anaf.Filing) (*anaf.Statement, error)

// meterStatement counts the requests for yearly statements.
func meterStatement(m *telemetry.Meters, ask statementOf) statementOf {
	requests := m.Registry("anaf")
	return func(ctx context.Context, f anaf.Filing) (*anaf.Statement, error) {
		start := time.Now()
		statement, err := ask(ctx, f)
		requests.Count(start, err)
		return statement, err
	}
}

// meterFetch counts the requests to a register, and the companies in them.
func meterFetch(m *telemetry.Meters, name string, ask anaf.Fetch) anaf.Fetch {
	requests := m.Registry(name)
	return func(ctx context.Context, companies []ro.CompanyDay) (map[ro.CompanyDay]anaf.Result, error) {
		start := time.Now()
		results, err := ask(ctx, companies)
		if requests.Count(start, err) {
			m.BatchSize(len(companies))
		}

		return results, err
	}
}

// Close closes the connection.
func (t *taxAuthority) Close() error {
	t.Lookup.Close()
	return nil
}

// status returns the state of the tax authority. It has no publication schedule; the age of each company is in its own
// record.
func (t *taxAuthority) status() telemetry.Source { return breakerStatus("anaf", t.breaker) }

// smallRegister is one of the tax authority's smaller registers. They share the address and the ration of the tax
// authority. Each register has its own breaker, so that the others are still queried while one is down.
type smallRegister struct {
	*anaf.SmallRegister
	breaker *upstream.Breaker
	// record fetches a record. It batches records into calls, which share the pace of the lookup's requests.
	record profile.Records
}

// openSmallRegister opens a register.
func openSmallRegister(l *ration.Lookup, a *settings.ANAF, m *telemetry.Meters, r *anaf.SmallRegister,
	fetch anaf.Fetch) *smallRegister {
	b := upstream.NewBreaker(r.Source, a.Breaker.Upstream())
	batched := ration.NewBatchLookup(l, r.MaxBatch, meterFetch(m, r.Source, upstream.Guard(b, fetch)))
	return &smallRegister{r, b, telemetry.WithSpan("upstream."+r.Source, batched.Record)}
}

// status is the state of the register, unknown until it has been queried.
func (r *smallRegister) status() telemetry.Source { return breakerStatus(r.Source, r.breaker) }
