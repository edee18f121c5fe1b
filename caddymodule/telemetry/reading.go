package telemetry

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/fleet"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/onrc"
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
	Queue    anaf.Stats
	Sources  []Source
	Register onrc.Status
	// VATCollection is nil if the register of VAT on collection is off.
	VATCollection *vatcollection.Status
	// Mirror has the figures of the mirror.
	Mirror mirror.Stats
	// Fleet is nil for a single edge.
	Fleet *fleet.Stats
	// Backlog is nil if the store failed.
	Backlog *billing.Backlog
	// Webhooks is nil if the store failed.
	Webhooks *watchstore.Backlog
	// SignInFailed is true while the access token for RO e-Factura cannot be renewed.
	SignInFailed bool
}

// Source is the state of a registry.
type Source struct {
	api.SourceStatus
	// DataTime is the time at which the registry provided or published the newest stored data; zero if there is none.
	DataTime time.Time
}

// Expose registers the gateway's metrics with a configuration's registry; registering them twice has no effect. At each
// scrape, read returns the state of the gateway, or false if none is open.
func Expose(registry *prometheus.Registry, read func() (Reading, bool)) error {
	err := registry.Register(collector{read})
	if already := (prometheus.AlreadyRegisteredError{}); errors.As(err, &already) {
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

// descs are the metrics read at each scrape.
var descs []*prometheus.Desc

func desc(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc(name, help, labels, nil)
	descs = append(descs, d)
	return d
}

var (
	cacheDesc       = desc("rodata_cache_total", "Cache look-ups by kind of data and result.", "kind", "result")
	refreshesDesc   = desc("rodata_cache_refreshes_total", "Background refreshes by kind of data.", "kind")
	failuresDesc    = desc("rodata_cache_failures_total", "Failed fetches and refreshes, without prefetches.", "kind")
	entriesDesc     = desc("rodata_cache_entries", "Cache entries in memory.")
	bytesDesc       = desc("rodata_cache_bytes", "Estimated size of the cache in memory.")
	setsDroppedDesc = desc("rodata_cache_sets_dropped_total",
		"Entries not admitted to memory because its buffer was full; they are in the file.")
	setsRejectedDesc = desc("rodata_cache_sets_rejected_total",
		"Entries not admitted to memory because it holds more popular ones; they are in the file.")
	diskQueueDesc  = desc("rodata_cache_disk_queue", "Entries waiting to be written to the cache's file.")
	diskErrorsDesc = desc("rodata_cache_disk_errors_total", "Failed reads and writes of the cache's file.")
	diskPausedDesc = desc("rodata_cache_disk_paused",
		"1 while writes to the cache's file are suspended after an error.")
	bucketsDesc = desc("rodata_ratelimit_buckets", "Token buckets in memory.")
	logDesc     = desc("rodata_log_dropped_total",
		"Access log lines lost because writing failed or was too slow.")
	storeDesc = desc("rodata_store_up", "1 if the account store answers.")
	queueDesc = desc("rodata_upstream_queue",
		"Companies waiting for a request, by priority: for callers (interactive), stale entries (refresh), popular "+
			"entries that expire soon (prefetch), requested alone after making a batch fail (quarantined), from "+
			"failed batches (again); and yearly statements (statements).", "upstream", "priority")
	runningDesc    = desc("rodata_upstream_running", "Requests to a registry in flight.", "upstream")
	refusedDesc    = desc("rodata_upstream_refused_total", "Companies refused because the queue was full.", "upstream")
	splitDesc      = desc("rodata_upstream_split_total", "Failed requests that were repeated in parts.", "upstream")
	incompleteDesc = desc("rodata_upstream_incomplete_total",
		"Records of the tax authority that lack the company's VAT status.", "upstream")
	misdatedDesc = desc("rodata_upstream_misdated_total",
		"Records of the tax authority for a date other than the requested one.", "upstream")
	disagreementDesc = desc("rodata_anaf_asof_disagreement_total",
		"Records for a past date in which the VAT periods contradict the VAT status; the status is served.")
	breakerDesc = desc("rodata_breaker_state",
		"State of a registry's circuit breaker: 0 closed, 1 half-open, 2 open.", "upstream")
	successDesc = desc("rodata_last_success_timestamp_seconds", "Unix time of the last answer of a registry.",
		"upstream")
	missedDesc = desc("rodata_missed_publications", "Overdue publications of a registry.", "source")
	ageDesc    = desc("rodata_data_age_seconds",
		"Age of the newest stored data: publication of the latest fixing (bnr), last answer of the tax authority and "+
			"its registers (anaf, anaf-farmers, anaf-nonprofits, anaf-efactura), day of the release served (onrc) "+
			"and of the file served (anaf-vat-collection).", "source")
	registerDesc = desc("rodata_register_companies", "Companies in the release of the trade register that is served.")
	loadingDesc  = desc("rodata_register_loading", "1 while a release of the trade register is being loaded.")
	releaseDesc  = desc("rodata_register_refused",
		"1 while the newest release of the trade register is refused as implausible and an older one is served.")
	takeDesc = desc("rodata_register_take_failed",
		"1 while the published index of the trade register cannot be downloaded; the previous index is served, or "+
			"releases are loaded here.")
	publishDesc = desc("rodata_register_publish_failed",
		"1 while the index of the trade register cannot be published.")
	linesDesc = desc("rodata_vat_collection_lines",
		"Lines of the file of the register of VAT on collection that is served.")
	troubleDesc = desc("rodata_vat_collection_failed",
		"1 while the newest file of the register of VAT on collection is unavailable and the previous one is served, "+
			"by reason: no file for recent days (absent), implausible content (refused), server error (unreachable).",
		"reason")
	mirrorScopeDesc  = desc("rodata_mirror_companies", "Companies in the mirror's scope.")
	mirrorLookedDesc = desc("rodata_mirror_looked_at",
		"Companies checked in the last 24 hours, by the mirror or for callers.")
	mirrorOldestDesc = desc("rodata_mirror_oldest_look_age_seconds",
		"Time since the least recently checked company that is watched and paid for was checked; 0 if there is none.")
	mirrorUsedDesc = desc("rodata_mirror_share_used",
		"Part of the tax authority's ration that this process used for the mirror in the last hour.")
	mirrorShareDesc   = desc("rodata_mirror_share", "Part of the tax authority's ration that the mirror may use.")
	mirrorLeadDesc    = desc("rodata_mirror_leading", "1 in the process that runs the mirror.")
	mirrorOverdueDesc = desc("rodata_mirror_overdue",
		"Watched companies that are overdue for a check by a day or more.")
	mirrorUnpaidDesc = desc("rodata_mirror_unpaid",
		"Watched companies that are not checked because no account has paid for them this month.")
	redisDesc      = desc("rodata_redis_up", "1 while the fleet's Redis answers; absent without a fleet.")
	redisFailsDesc = desc("rodata_redis_failures_total",
		"Commands to the fleet's Redis that failed or exceeded their budget.")
	redisDropsDesc = desc("rodata_redis_dropped_total",
		"Values not stored in the fleet's Redis because it rejected them or the write queue was full.")
	paymentsDesc    = desc("rodata_payments_waiting", "Payments without an invoice.")
	paymentsAgeDesc = desc("rodata_payments_waiting_age_seconds",
		"Time since the oldest payment without an invoice was recorded; 0 if there is none.")
	invoicesDesc = desc("rodata_efactura_invoices",
		"Invoices due at RO e-Factura and not yet accepted, by state, without those that were corrected.", "state")
	invoicesAgeDesc = desc("rodata_efactura_waiting_age_seconds",
		"Time since 00:00 UTC of the issue date of the oldest invoice in rodata_efactura_invoices; 0 if there is none.")
	signInDesc = desc("rodata_efactura_signin_failed",
		"1 while the access token for RO e-Factura cannot be renewed.")
	webhooksDesc    = desc("rodata_webhooks", "Webhooks of all accounts, by state: active, disabled.", "state")
	webhooksAgeDesc = desc("rodata_webhook_backlog_age_seconds",
		"Time for which the oldest delivery of a webhook that is not failing has been due; 0 if there is none.")
	creditsDesc   = desc("rodata_credits_charged_total", "Credits charged.")
	exhaustedDesc = desc("rodata_credits_refused_total",
		"Calls refused because the account's monthly credits were used up.")
	commitsDesc      = desc("rodata_ledger_commits_total", "Transactions in which charges were written.")
	commitErrorsDesc = desc("rodata_ledger_errors_total",
		"Failed transactions of charges; their calls were answered with 503.")
	commitSecondsDesc = desc("rodata_ledger_commit_seconds_total", "Time spent in transactions of charges.")
	unsettledDesc     = desc("rodata_ledger_queue", "Charges waiting to be written.")
	buildDesc         = desc("rodata_build_info", "Always 1; the label is the version that runs.", "version")
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

func (r *Reading) writeLedger(o output) {
	o.counter(creditsDesc, r.Ledger.Credits)
	o.counter(exhaustedDesc, r.Ledger.Refused)
	o.counter(commitsDesc, r.Ledger.Commits)
	o.counter(commitErrorsDesc, r.Ledger.Failures)
	o.metrics <- prometheus.MustNewConstMetric(commitSecondsDesc, prometheus.CounterValue,
		r.Ledger.CommitTime.Seconds())
	o.gauge(unsettledDesc, float64(r.Ledger.Queued))
}

func (r *Reading) writeCache(o output) {
	stats := r.Cache
	for kind, k := range stats.Kinds {
		for result, n := range map[string]uint64{
			"hit_fresh": k.Fresh, "hit_stale": k.Stale, "hit_disk": k.Below, "hit_shared": k.Shared,
			"unknown": k.Unknown, "miss": k.Misses, "collapsed": k.Collapsed,
		} {
			o.counter(cacheDesc, n, kind, result)
		}

		o.counter(refreshesDesc, k.Refreshes, kind)
		o.counter(failuresDesc, k.Failures, kind)
	}

	o.gauge(entriesDesc, float64(stats.Entries))
	o.gauge(bytesDesc, float64(stats.Bytes))
	o.counter(setsDroppedDesc, stats.SetsDropped)
	o.counter(setsRejectedDesc, stats.SetsRejected)
	o.gauge(diskQueueDesc, float64(stats.Queued))
	o.counter(diskErrorsDesc, stats.DiskErrors)
	o.gauge(diskPausedDesc, boolValue(stats.DiskPaused))
}

func (r *Reading) writeQueue(o output) {
	const registry = "anaf"
	q := r.Queue
	for priority, n := range map[string]int{
		"interactive": q.Interactive, "refresh": q.Refresh, "prefetch": q.Ahead, "quarantined": q.Quarantined,
		"again": q.Again, "statements": q.Paced,
	} {
		o.gauge(queueDesc, float64(n), registry, priority)
	}

	o.gauge(runningDesc, float64(q.Running), registry)
	o.counter(refusedDesc, q.Refused, registry)
	o.counter(splitDesc, q.Split, registry)
	o.counter(incompleteDesc, q.Incomplete, registry)
	o.counter(misdatedDesc, q.Misdated, registry)
	o.counter(disagreementDesc, q.Disagreements)
}

func (r *Reading) writeSources(o output) {
	for _, status := range r.Sources {
		o.gauge(breakerDesc, breakerValue[status.Breaker], status.Name)
		o.gauge(missedDesc, float64(status.MissedPublications), status.Name)
		if status.LastSuccess != nil {
			o.gauge(successDesc, float64(status.LastSuccess.Unix()), status.Name)
		}
		if at := status.DataTime; !at.IsZero() {
			o.gauge(ageDesc, time.Since(at).Seconds(), status.Name)
		}
	}
}

func (r *Reading) writeRegister(o output) {
	status := r.Register
	o.gauge(registerDesc, float64(status.Companies))
	o.gauge(loadingDesc, boolValue(status.Loading))
	o.gauge(releaseDesc, boolValue(errors.Is(status.Err, onrc.ErrRefused)))
	o.gauge(takeDesc, boolValue(status.InstallErr != nil))
	o.gauge(publishDesc, boolValue(status.PublishErr != nil))
}

func (r *Reading) writeVATCollection(o output) {
	status := r.VATCollection
	if status == nil {
		return
	}

	o.gauge(linesDesc, float64(status.Rows))
	for _, reason := range []vatcollection.Trouble{
		vatcollection.Absent, vatcollection.Refused, vatcollection.Unreachable,
	} {
		o.gauge(troubleDesc, boolValue(status.Trouble == reason), string(reason))
	}
}

// writeMirror writes the metrics of the mirror. All processes on one store report the same values, except the counters
// of their own work.
func (r *Reading) writeMirror(o output) {
	m := &r.Mirror
	o.gauge(mirrorScopeDesc, float64(m.InScope))
	o.gauge(mirrorLookedDesc, float64(m.LookedAt))
	o.gauge(mirrorOldestDesc, age(m.Oldest))
	o.gauge(mirrorUsedDesc, m.Used)
	o.gauge(mirrorShareDesc, m.Share)
	o.gauge(mirrorLeadDesc, boolValue(m.Leading))
	o.gauge(mirrorOverdueDesc, float64(m.Overdue))
	o.gauge(mirrorUnpaidDesc, float64(m.Unpaid))
}

func (r *Reading) writeFleet(o output) {
	if r.Fleet == nil {
		return
	}

	o.gauge(redisDesc, boolValue(r.Fleet.Up))
	o.counter(redisFailsDesc, r.Fleet.Failures)
	o.counter(redisDropsDesc, r.Fleet.Dropped)
}

// writeBilling writes the backlog of invoices. All processes on one store report the same values.
func (r *Reading) writeBilling(o output) {
	o.gauge(signInDesc, boolValue(r.SignInFailed))
	b := r.Backlog
	if b == nil {
		return // rodata_store_up is 0
	}

	o.gauge(paymentsDesc, float64(b.Payments))
	o.gauge(paymentsAgeDesc, age(b.PaidSince))
	for _, state := range billing.Owed {
		o.gauge(invoicesDesc, float64(b.Invoices[state]), string(state))
	}

	o.gauge(invoicesAgeDesc, age(b.IssuedOn))
}

// writeWebhooks writes the state of deliveries. All processes on one store report the same values.
func (r *Reading) writeWebhooks(o output) {
	if b := r.Webhooks; b != nil {
		o.gauge(webhooksDesc, float64(b.Active), "active")
		o.gauge(webhooksDesc, float64(b.Disabled), "disabled")
		o.gauge(webhooksAgeDesc, age(b.Oldest))
	}
}

var breakerValue = map[string]float64{
	string(upstream.BreakerClosed): 0, string(upstream.BreakerHalfOpen): 1, string(upstream.BreakerOpen): 2,
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
