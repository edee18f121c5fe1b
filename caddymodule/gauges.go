package caddymodule

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/onrc"
)

// expose makes the figures of the service that is open part of a configuration's
// metrics. To do so twice is no mistake.
func expose(registry *prometheus.Registry) error {
	err := registry.Register(exposition{})
	if already := (prometheus.AlreadyRegisteredError{}); errors.As(err, &already) {
		return nil
	}
	return err
}

// exposition collects from whatever service is open when somebody asks.
type exposition struct{}

// Describe implements prometheus.Collector.
func (exposition) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range figures {
		descs <- d
	}
	for _, c := range newMeters().collectors() { // those of any core are of the same names
		c.Describe(descs)
	}
}

// Collect implements prometheus.Collector. When nothing is open, there is nothing to
// tell.
func (exposition) Collect(metrics chan<- prometheus.Metric) {
	s := serving.enter()
	if s == nil {
		return
	}
	defer s.leave()
	s.collect(metrics)
}

// figures are those that are read when somebody asks for them.
var figures []*prometheus.Desc

func figure(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc(name, help, labels, nil)
	figures = append(figures, d)
	return d
}

var (
	cacheDesc        = figure("rodata_cache_total", "Look-ups in the cache, by kind of data and how they ended.", "kind", "result")
	refreshesDesc    = figure("rodata_cache_refreshes_total", "Renewals behind the callers' backs.", "kind")
	failuresDesc     = figure("rodata_cache_failures_total", "Fetches and renewals that failed, but for those of popular entries before they are due.", "kind")
	entriesDesc      = figure("rodata_cache_entries", "Entries of the cache in memory.")
	bytesDesc        = figure("rodata_cache_bytes", "Estimated size of the cache in memory.")
	setsDroppedDesc  = figure("rodata_cache_sets_dropped_total", "Entries that memory did not take since its buffer was full; the file has them.")
	setsRejectedDesc = figure("rodata_cache_sets_rejected_total", "Entries that memory did not take since it holds more popular ones; the file has them.")
	diskQueueDesc    = figure("rodata_cache_disk_queue", "Entries that are to be written to the cache's file.")
	diskErrorsDesc   = figure("rodata_cache_disk_errors_total", "Reads and writes of the cache's file that failed.")
	diskPausedDesc   = figure("rodata_cache_disk_paused", "1 while the cache's file is not written, after an error.")
	bucketsDesc      = figure("rodata_ratelimit_buckets", "Token buckets held.")
	storeDesc        = figure("rodata_store_up", "1 when the store of accounts answers.")
	queueDesc        = figure("rodata_upstream_queue", "Companies not yet asked about: wanted by callers (interactive), to be renewed (refresh), popular and renewed before they are due with what requests have to spare (prefetch), to be asked about alone after they spoilt a request (quarantined), of requests that failed (again); and yearly statements (statements).", "upstream", "priority")
	runningDesc      = figure("rodata_upstream_running", "Requests to a registry under way.", "upstream")
	refusedDesc      = figure("rodata_upstream_refused_total", "Companies for which there was no room in the queue.", "upstream")
	splitDesc        = figure("rodata_upstream_split_total", "Requests that failed and were made again in parts.", "upstream")
	breakerDesc      = figure("rodata_breaker_state", "A registry's breaker: 0 closed, 1 half-open, 2 open.", "upstream")
	successDesc      = figure("rodata_last_success_timestamp_seconds", "When a registry last answered, in Unix time.", "upstream")
	missedDesc       = figure("rodata_missed_publications", "A registry's publications that are due and not there.", "source")
	ageDesc          = figure("rodata_data_age_seconds", "Time since the registry's latest statement that is stored: the latest fixing's publication (bnr), the last answer of the tax authority (anaf), or the day of the trade register's release that is served (onrc).", "source")
	registerDesc     = figure("rodata_register_companies", "Companies in the trade register's release that is served.")
	loadingDesc      = figure("rodata_register_loading", "1 while a release of the trade register is being loaded.")
	releaseDesc      = figure("rodata_register_refused", "1 when the trade register's newest release was refused as implausible; the one before it is served.")
	takeDesc         = figure("rodata_register_take_failed", "1 while the trade register's published index cannot be taken; what was served before is, or releases are loaded here.")
	publishDesc      = figure("rodata_register_publish_failed", "1 while the trade register's index cannot be published.")
	redisDesc        = figure("rodata_redis_up", "1 while the fleet's Redis answers; absent for an edge on its own.")
	redisFailsDesc   = figure("rodata_redis_failures_total", "Questions that the fleet's Redis did not answer, or not in time.")
	redisDropsDesc   = figure("rodata_redis_dropped_total", "Values that the fleet's Redis refused, or for which there was no room in the queue to it.")
	paymentsDesc     = figure("rodata_payments_waiting", "Payments that have no invoice yet.")
	paymentsAgeDesc  = figure("rodata_payments_waiting_age_seconds", "Time since the first of the payments that have no invoice was heard of; 0 when there is none.")
	invoicesDesc     = figure("rodata_efactura_invoices", "Invoices that RO e-Factura wants and has not accepted, by state, but for those that a correction has taken back.", "state")
	invoicesAgeDesc  = figure("rodata_efactura_waiting_age_seconds", "Time since the day began (in UTC) on which the first of them was issued; 0 when there is none.")
	signInDesc       = figure("rodata_efactura_signin_failed", "1 while the token for RO e-Factura cannot be renewed.")
	buildDesc        = figure("rodata_build_info", "Always 1; the label says which version runs.", "version")
)

// collect gives all figures: those that were counted, and those that are read when
// somebody asks for them.
func (s *service) collect(metrics chan<- prometheus.Metric) {
	for _, c := range s.core.meters.collectors() {
		c.Collect(metrics)
	}
	r := readings{metrics}
	r.gauge(buildDesc, 1, version())
	r.gauge(bucketsDesc, float64(s.core.buckets.Len()))
	r.gauge(storeDesc, truth(s.ready(context.Background()) == nil))
	s.readLedger(r)
	s.readCache(r)
	s.readQueue(r)
	s.readSources(r)
	s.readRegister(r)
	s.readFleet(r)
	s.readBacklog(r)
}

// readings are where the figures go.
type readings struct{ metrics chan<- prometheus.Metric }

func (r readings) gauge(d *prometheus.Desc, v float64, labels ...string) {
	r.metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func (r readings) counter(d *prometheus.Desc, n uint64, labels ...string) {
	r.metrics <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
}

func (s *service) readCache(r readings) {
	stats := s.core.cache.Stats()
	for kind, k := range stats.Kinds {
		for result, n := range map[string]uint64{
			"hit_fresh": k.Fresh, "hit_stale": k.Stale, "hit_disk": k.Below, "hit_shared": k.Shared, "unknown": k.Unknown, "miss": k.Misses, "collapsed": k.Collapsed,
		} {
			r.counter(cacheDesc, n, kind, result)
		}
		r.counter(refreshesDesc, k.Refreshes, kind)
		r.counter(failuresDesc, k.Failures, kind)
	}
	r.gauge(entriesDesc, float64(stats.Entries))
	r.gauge(bytesDesc, float64(stats.Bytes))
	r.counter(setsDroppedDesc, stats.SetsDropped)
	r.counter(setsRejectedDesc, stats.SetsRejected)
	r.gauge(diskQueueDesc, float64(stats.Queued))
	r.counter(diskErrorsDesc, stats.DiskErrors)
	r.gauge(diskPausedDesc, truth(stats.DiskPaused))
}

func (s *service) readQueue(r readings) {
	for _, q := range s.queues() {
		for priority, n := range map[string]int{"interactive": q.Interactive, "refresh": q.Refresh, "prefetch": q.Prefetch, "quarantined": q.Quarantined, "again": q.Again} {
			r.gauge(queueDesc, float64(n), q.Name, priority)
		}
		r.gauge(queueDesc, float64(q.Statements), q.Name, "statements")
		r.gauge(runningDesc, float64(q.Running), q.Name)
		r.counter(refusedDesc, q.Refused, q.Name)
		r.counter(splitDesc, q.Split, q.Name)
	}
}

func (s *service) readSources(r readings) {
	for _, source := range s.registries {
		status := source.status()
		r.gauge(breakerDesc, breakerValue[status.Breaker], status.Name)
		r.gauge(missedDesc, float64(status.MissedPublications), status.Name)
		if status.LastSuccess != nil {
			r.gauge(successDesc, float64(status.LastSuccess.Unix()), status.Name)
		}
		if at := source.stated(); !at.IsZero() {
			r.gauge(ageDesc, time.Since(at).Seconds(), status.Name)
		}
	}
}

func (s *service) readRegister(r readings) {
	status := s.trade.Status()
	r.gauge(registerDesc, float64(status.Companies))
	r.gauge(loadingDesc, truth(status.Loading))
	r.gauge(releaseDesc, truth(errors.Is(status.Err, onrc.ErrRefused)))
	r.gauge(takeDesc, truth(status.TakeErr != nil))
	r.gauge(publishDesc, truth(status.PublishErr != nil))
}

var breakerValue = map[string]float64{
	string(upstream.BreakerClosed): 0, string(upstream.BreakerHalfOpen): 1, string(upstream.BreakerOpen): 2,
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
