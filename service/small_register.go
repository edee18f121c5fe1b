package service

import (
	"time"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/caddymodule/settings"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

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
func (r *smallRegister) status() system.SourceStatus { return breakerStatus(r.Source, r.breaker) }

// dataTime returns the time of the register's last answer.
func (r *smallRegister) dataTime() time.Time { return r.breaker.LastSuccess() }

var _ source = (*smallRegister)(nil)
