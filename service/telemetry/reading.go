package telemetry

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/api/system"
	billingstore "github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/fleet"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/upstream/anaf/ration"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/upstream/onrc/statements"
	"github.com/rodata/rodata/upstream/vatcollection"
	"github.com/rodata/rodata/watch/mirror"
	watchstore "github.com/rodata/rodata/watch/store"
)

// Reading is the state of the gateway at a scrape.
type Reading struct {
	Meters  *Meters
	Version string
	// Buckets is the number of token buckets in memory.
	Buckets int
	// StoreUp reports whether the account store answers.
	StoreUp bool
	Ledger  metering.Stats
	// LogDropped is the number of lines that the access log lost.
	LogDropped uint64
	Cache      cache.Stats
	// Queue is the queue of the tax authority.
	Queue    ration.Stats
	Sources  []Source
	Register onrc.Status
	// RefusedStatements are the files of yearly statements that are refused.
	RefusedStatements map[statements.Key]statements.Refusal
	// VATCollection is nil if the register of VAT on collection is off.
	VATCollection *vatcollection.Status
	Mirror        mirror.Stats
	// Fleet is nil for a single edge.
	Fleet *fleet.Stats
	// Backlog is nil if the store failed.
	Backlog *billingstore.Backlog
	// Webhooks is nil if the store failed.
	Webhooks *watchstore.Backlog
	// SignInFailed is true while the access token for RO e-Factura cannot be renewed.
	SignInFailed bool
}

// Source is the state of a registry.
type Source struct {
	system.SourceStatus
	// DataTime is the time at which the registry provided or published the newest stored data; zero if there is none.
	DataTime time.Time
}

// Expose registers the gateway's metrics with a configuration's registry; registering them twice has no effect. At each
// scrape, read returns the state of the gateway, or false if none is open.
func Expose(registry *prometheus.Registry, read func() (Reading, bool)) error {
	err := registry.Register(collector{read})
	if _, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		return nil
	}
	return err
}

type collector struct{ read func() (Reading, bool) }

// Describe implements prometheus.Collector.
func (collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range descs {
		out <- d
	}
	NewMeters().Describe(out) // every Meters has the same names
}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	r, ok := c.read()
	if !ok {
		return
	}

	r.Meters.Collect(out)
	r.writeTo(output{out})
}

// output receives the metrics of a scrape.
type output struct{ metrics chan<- prometheus.Metric }

func (o output) gauge(d *prometheus.Desc, v float64, labels ...string) {
	o.metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func (o output) counter(d *prometheus.Desc, n uint64, labels ...string) {
	o.metrics <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
}

// descs are the descriptions of the metrics that are read at each scrape.
var descs []*prometheus.Desc

// desc describes a metric that is read at each scrape.
func desc(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc(name, help, labels, nil)
	descs = append(descs, d)
	return d
}

var (
	bucketsDesc = desc("rodata_ratelimit_buckets", "Token buckets in memory.")
	logDesc     = desc("rodata_log_dropped_total",
		"Access log lines lost because writing failed or was too slow.")
	storeDesc      = desc("rodata_store_up", "1 if the account store answers.")
	redisDesc      = desc("rodata_redis_up", "1 while the fleet's Redis answers; absent without a fleet.")
	redisFailsDesc = desc("rodata_redis_failures_total",
		"Commands to the fleet's Redis that failed or exceeded their budget.")
	redisDropsDesc = desc("rodata_redis_dropped_total",
		"Values not stored in the fleet's Redis because it rejected them or the write queue was full.")
	buildDesc = desc("rodata_build_info", "Always 1; the label is the version that runs.", "version")
)

func (r *Reading) writeTo(o output) {
	o.gauge(buildDesc, 1, r.Version)
	o.gauge(bucketsDesc, float64(r.Buckets))
	o.counter(logDesc, r.LogDropped)
	o.gauge(storeDesc, boolValue(r.StoreUp))
	r.writeLedger(o)
	r.writeCache(o)
	r.writeQueue(o)
	r.writeSources(o)
	r.writeRegister(o)
	r.writeVATCollection(o)
	r.writeMirror(o)
	r.writeFleet(o)
	r.writeBilling(o)
	r.writeWebhooks(o)
}

func (r *Reading) writeFleet(o output) {
	if r.Fleet == nil {
		return
	}

	o.gauge(redisDesc, boolValue(r.Fleet.Up))
	o.counter(redisFailsDesc, r.Fleet.Failures)
	o.counter(redisDropsDesc, r.Fleet.Dropped)
}

func boolValue(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// age returns the seconds since a time; 0 if it is zero.
func age(since time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(time.Since(since).Seconds(), 0)
}
