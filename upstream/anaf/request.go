package anaf

import (
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/metering"
)

// request is one company, on a day, that somebody wants to know about.
type request struct {
	company   api.CompanyDay
	caller    metering.BucketID // in whose turn it is asked about
	priority  priority
	since     time.Time
	until     time.Time // it is not worth another call after it
	onWire    bool      // a call asks about it at this moment
	abandoned bool      // nobody waits for it: it is not asked about again
	hung      error     // of a call about it that was not answered in time
	round     int       // how many requests of its caller were waiting before it, in a Batched
	retried   bool      // it is asked about for the second time since a connection broke, in a Batched

	done   chan struct{} // closed when result is set
	result Result
}

func (r *request) settled() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// settle sets the result, unless there is one.
func (r *request) settle(result Result) {
	if !r.settled() {
		r.result = result
		close(r.done)
	}
}
