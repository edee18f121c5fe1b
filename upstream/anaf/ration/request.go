package ration

import (
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
)

// request is a request for one company on a day.
type request struct {
	company   ro.CompanyDay
	caller    metering.BucketID // the caller whose turn it takes
	priority  priority
	since     time.Time
	until     time.Time // after this time, it is not worth a second call
	onWire    bool      // in a running call
	abandoned bool      // no caller waits: not requested again
	hung      error     // the error of its first call, if that timed out

	done   chan struct{} // closed when result is set
	result anaf.Result
}

func (r *request) isResolved() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// resolve sets the result, unless it is already set.
func (r *request) resolve(result anaf.Result) {
	if !r.isResolved() {
		r.result = result
		close(r.done)
	}
}
