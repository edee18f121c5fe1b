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
	name    string
	breaker *upstream.Breaker
	// record fetches a record. It batches records into calls, which share the pace of the lookup's requests.
	record profile.Records
}

// openSmallRegister opens a register that accepts batchSize companies per call.
func openSmallRegister(l *ration.Lookup, a *settings.ANAF, m *telemetry.Meters, name string, batchSize int,
	fetch anaf.Fetch) *smallRegister {
	b := upstream.NewBreaker(name, a.Breaker.Upstream())
	batched := ration.NewBatchLookup(l, batchSize, meterFetch(m, name, upstream.Guard(b, fetch)))
	return &smallRegister{name: name, breaker: b, record: telemetry.WithSpan("upstream."+name, batched.Record)}
}

// status is the state of the register, unknown until it has been queried.
func (r *smallRegister) status() system.SourceStatus { return breakerStatus(r.name, r.breaker) }

// dataTime returns the time of the register's last answer.
func (r *smallRegister) dataTime() time.Time { return r.breaker.LastSuccess() }

var _ source = (*smallRegister)(nil)
