package telemetry

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// peakWindow is for how long a peak is shown at least, and at most twice as
// long: longer than from one scrape to the next.
const peakWindow = 5 * time.Minute

// peaks are, for each operation, how far past its time the stalest answer of the
// last minutes was. Hits on stale copies look like other hits, so that an outage
// of a registry would hide behind them.
type peaks struct {
	mu          sync.Mutex
	byOperation map[string]*peak
}

// peak is a greatest value in the window that runs, and in the one before.
type peak struct {
	began         time.Time
	now, previous time.Duration
}

func newPeaks() *peaks { return &peaks{byOperation: make(map[string]*peak)} }

// add shows an operation from now on.
func (p *peaks) add(operation string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byOperation[operation] == nil {
		p.byOperation[operation] = new(peak)
	}
}

// note takes down how stale an answer was.
func (p *peaks) note(operation string, at time.Time, by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.byOperation[operation]; k != nil {
		k.turn(at)
		k.now = max(k.now, by)
	}
}

// turn begins a new window when the one that runs is over.
func (k *peak) turn(at time.Time) {
	switch since := at.Sub(k.began); {
	case since >= 2*peakWindow:
		*k = peak{began: at}
	case since >= peakWindow:
		*k = peak{began: at, previous: k.now}
	}
}

var staleDesc = prometheus.NewDesc("rodata_cache_stale_age_seconds",
	"How far past its time the stalest answer of the last 5 to 10 minutes was; 0 when all were fresh.", []string{"operation"}, nil)

// Describe implements prometheus.Collector.
func (p *peaks) Describe(descs chan<- *prometheus.Desc) { descs <- staleDesc }

// Collect implements prometheus.Collector.
func (p *peaks) Collect(metrics chan<- prometheus.Metric) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for operation, k := range p.byOperation {
		k.turn(time.Now())
		metrics <- prometheus.MustNewConstMetric(staleDesc, prometheus.GaugeValue, max(k.now, k.previous).Seconds(), operation)
	}
}
