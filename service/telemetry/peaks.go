package telemetry

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// peakWindow is the minimum time for which a peak is reported; the maximum is twice as long. It is longer than a
// scrape interval.
const peakWindow = 5 * time.Minute

// peaks records, for each operation, the staleness of the stalest answer of the last minutes. Since stale hits
// otherwise count like fresh hits, an outage of a registry would not be visible without this metric.
type peaks struct {
	mu          sync.Mutex
	byOperation map[string]*peak
}

// peak is the maximum in the current window and in the previous one.
type peak struct {
	began         time.Time
	now, previous time.Duration
}

func newPeaks() *peaks { return &peaks{byOperation: make(map[string]*peak)} }

// add starts reporting an operation.
func (p *peaks) add(operation string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byOperation[operation] == nil {
		p.byOperation[operation] = new(peak)
	}
}

// note records the staleness of an answer.
func (p *peaks) note(operation string, at time.Time, by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.byOperation[operation]; k != nil {
		k.rotate(at)
		k.now = max(k.now, by)
	}
}

// rotate starts a new window if the current one is over.
func (k *peak) rotate(at time.Time) {
	switch since := at.Sub(k.began); {
	case since >= 2*peakWindow:
		*k = peak{began: at}
	case since >= peakWindow:
		*k = peak{began: at, previous: k.now}
	}
}

var staleDesc = prometheus.NewDesc("rodata_cache_stale_age_seconds",
	"Staleness of the stalest answer of the last 5 to 10 minutes; 0 if all were fresh.", []string{"operation"}, nil)

// Describe implements prometheus.Collector.
func (p *peaks) Describe(descs chan<- *prometheus.Desc) { descs <- staleDesc }

// Collect implements prometheus.Collector.
func (p *peaks) Collect(metrics chan<- prometheus.Metric) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for operation, k := range p.byOperation {
		k.rotate(time.Now())
		metrics <- prometheus.MustNewConstMetric(staleDesc, prometheus.GaugeValue, max(k.now, k.previous).Seconds(),
			operation)
	}
}
