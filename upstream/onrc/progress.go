package onrc

import (
	"sync"
	"time"
)

// Progress is the progress of a load. The zero value is a load that has not begun.
type Progress struct {
	// Step is the current step, such as "building the index".
	Step string
	// Done and Total are in the unit Unit. They are equal when the step is complete.
	Done, Total int64
	// Unit is "bytes", "rows" or "companies".
	Unit string
	// Began is the start of the step.
	Began time.Time
}

// Percent returns the completed part of the step, 0 to 100.
func (p Progress) Percent() int {
	if p.Total <= 0 {
		return 0
	}
	return int(min(p.Done, p.Total) * 100 / p.Total)
}

// Rate returns the number of units per second in the step so far.
func (p Progress) Rate(now time.Time) float64 {
	if seconds := now.Sub(p.Began).Seconds(); seconds > 0 {
		return float64(p.Done) / seconds
	}
	return 0
}

// Left returns the remaining time of the step at its present rate. It is 0 if unknown.
func (p Progress) Left(now time.Time) time.Duration {
	rate := p.Rate(now)
	if rate <= 0 || p.Total <= p.Done {
		return 0
	}
	return time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second))
}

// reportEvery is the minimum time between two reports of one step.
const reportEvery = 100 * time.Millisecond

// meter collects the progress of a load. It is safe for concurrent use.
type meter struct {
	report func(Progress) // may be nil

	mu      sync.Mutex
	current Progress
	last    time.Time
}

func (m *meter) begin(step, unit string, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.current = Progress{Step: step, Unit: unit, Total: total, Began: time.Now()}
	m.tell()
}

// add counts progress. If more is done than was announced, the total rises, because the sizes in the portal's catalogue
// may be wrong.
func (m *meter) add(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.current.Done += n
	m.current.Total = max(m.current.Total, m.current.Done)
	if time.Since(m.last) >= reportEvery {
		m.tell()
	}
}

// complete ends a step successfully. Its total becomes the amount that was done.
func (m *meter) complete() {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.current.Total = m.current.Done
	m.tell()
}

// tell reports under the lock, so that reports are in order.
func (m *meter) tell() {
	m.last = time.Now()
	if m.report != nil {
		m.report(m.current)
	}
}
