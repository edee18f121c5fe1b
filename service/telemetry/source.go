package telemetry

import (
	"time"

	"github.com/rodata/rodata/upstream"
)

var (
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
)

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

var breakerValue = map[string]float64{
	string(upstream.BreakerClosed): 0, string(upstream.BreakerHalfOpen): 1, string(upstream.BreakerOpen): 2,
}
