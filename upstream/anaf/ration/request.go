package ration

import (
	"slices"
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

// batch is the content of one call.
type batch struct {
	probe   []*request // suspects; empty in an ordinary batch
	others  []*request
	rest    []*request // the suspects of the probe's group that are not in it
	certain bool       // the group certainly contains poison
	excused bool       // a failure does not count against the registry
	apart   bool       // no other requests are added
}

func (b *batch) len() int             { return len(b.probe) + len(b.others) }
func (b *batch) requests() []*request { return slices.Concat(b.probe, b.others) }
func (b *batch) ordinary() bool       { return len(b.probe) == 0 }
func (b *batch) companies() (all []ro.CompanyDay) {
	for _, r := range b.requests() {
		all = append(all, r.company)
	}
	return all
}
