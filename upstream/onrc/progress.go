package onrc

import (
	"sync"
	"time"
)

// Progress is how far a load has come. The zero value is a load that has not
// begun.
type Progress struct {
	// Step says what is being done: "reading the files", "building the index".
	Step string
	// Done and Total count what Unit says. Total is 0 as long as it is not known.
	Done, Total int64
	// Unit is "bytes" or "companies".
	Unit string
	// Began is when the step began.
	Began time.Time
}

// Percent is how much of the step is done, 0 to 100.
func (p Progress) Percent() int {
	if p.Total <= 0 {
		return 0
	}
	return int(min(p.Done, p.Total) * 100 / p.Total)
}

// Rate is how many bytes or companies a second the step has done until now.
func (p Progress) Rate(now time.Time) float64 {
	if seconds := now.Sub(p.Began).Seconds(); seconds > 0 {
		return float64(p.Done) / seconds
	}
	return 0
}

// Left is how long the step will still take at its rate; 0 when that cannot be
// told.
func (p Progress) Left(now time.Time) time.Duration {
	rate := p.Rate(now)
	if rate <= 0 || p.Total <= p.Done {
		return 0
	}
	return time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second))
}

// reportEvery is the least time between two reports of one step.
const reportEvery = 100 * time.Millisecond

// meter collects the progress of a load. It is safe for concurrent use.
type meter struct {
	report func(Progress) // may be nil

	mu   sync.Mutex
	at   Progress
	last time.Time
}

func (m *meter) begin(step, unit string, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = Progress{Step: step, Unit: unit, Total: total, Began: time.Now()}
	m.tell()
}

// add counts what was done; a negative number takes back.
func (m *meter) add(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at.Done += n
	if time.Since(m.last) >= reportEvery {
		m.tell()
	}
}

// end tells the last state of a step.
func (m *meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tell()
}

// tell reports while the lock is held, so that reports are in order.
func (m *meter) tell() {
	m.last = time.Now()
	if m.report != nil {
		m.report(m.at)
	}
}
