package caddymodule

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/upstream"
)

// register makes the service's figures part of its configuration's metrics.
func (s *service) register(registry *prometheus.Registry) error {
	for _, c := range []prometheus.Collector{s.core.meters.requests, s.core.meters.seconds, (*gauges)(s)} {
		err := registry.Register(c)
		if already := (prometheus.AlreadyRegisteredError{}); err != nil && !errors.As(err, &already) {
			return err
		}
	}
	return nil
}

// gauges are the figures that are read when somebody asks for them.
type gauges service

var (
	cacheDesc   = prometheus.NewDesc("rodata_cache_total", "Look-ups in the cache, by kind of data and how they ended.", []string{"kind", "result"}, nil)
	entriesDesc = prometheus.NewDesc("rodata_cache_entries", "Entries of the cache in memory.", nil, nil)
	bytesDesc   = prometheus.NewDesc("rodata_cache_bytes", "Estimated size of the cache in memory.", nil, nil)
	diskDesc    = prometheus.NewDesc("rodata_cache_disk_errors_total", "Reads and writes of the cache's file that failed.", nil, nil)
	bucketsDesc = prometheus.NewDesc("rodata_ratelimit_buckets", "Token buckets held.", nil, nil)
	breakerDesc = prometheus.NewDesc("rodata_breaker_state", "A registry's breaker: 0 closed, 1 half-open, 2 open.", []string{"upstream"}, nil)
	missedDesc  = prometheus.NewDesc("rodata_missed_publications", "A registry's publications that are due and not there.", []string{"upstream"}, nil)
	successDesc = prometheus.NewDesc("rodata_last_success_timestamp_seconds", "When a registry last answered, in Unix time.", []string{"upstream"}, nil)
	buildDesc   = prometheus.NewDesc("rodata_build_info", "Always 1; the label says which version runs.", []string{"version"}, nil)
)

// Describe implements prometheus.Collector.
func (g *gauges) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{cacheDesc, entriesDesc, bytesDesc, diskDesc, bucketsDesc, breakerDesc, missedDesc, successDesc, buildDesc} {
		descs <- d
	}
}

// Collect implements prometheus.Collector. A service that is closed has nothing
// to tell.
func (g *gauges) Collect(metrics chan<- prometheus.Metric) {
	s := (*service)(g)
	if !s.enter() {
		return
	}
	defer s.leave()
	send := func(d *prometheus.Desc, t prometheus.ValueType, v float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, t, v, labels...)
	}
	stats := s.core.cache.Stats()
	for kind, k := range stats.Kinds {
		for result, n := range map[string]uint64{
			"hit_fresh": k.Fresh, "hit_stale": k.Stale, "hit_disk": k.Below, "unknown": k.Unknown, "miss": k.Misses, "collapsed": k.Collapsed,
		} {
			send(cacheDesc, prometheus.CounterValue, float64(n), kind, result)
		}
	}
	send(entriesDesc, prometheus.GaugeValue, float64(stats.Entries))
	send(bytesDesc, prometheus.GaugeValue, float64(stats.Bytes))
	send(diskDesc, prometheus.CounterValue, float64(stats.DiskErrors))
	send(bucketsDesc, prometheus.GaugeValue, float64(s.core.buckets.Len()))
	send(buildDesc, prometheus.GaugeValue, 1, version())
	for _, source := range s.sources() {
		send(breakerDesc, prometheus.GaugeValue, breakerValue[source.Breaker], source.Name)
		send(missedDesc, prometheus.GaugeValue, float64(source.MissedPublications), source.Name)
		if source.LastSuccess != nil {
			send(successDesc, prometheus.GaugeValue, float64(source.LastSuccess.Unix()), source.Name)
		}
	}
}

var breakerValue = map[string]float64{
	string(upstream.BreakerClosed): 0, string(upstream.BreakerHalfOpen): 1, string(upstream.BreakerOpen): 2,
}
