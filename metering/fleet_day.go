package metering

import (
	"context"
	"strconv"
	"time"
)

// RemoteDays holds the daily counters that several edges share.
type RemoteDays interface {
	// TakeToday adds n to each of several counters, unless one of them would exceed its
	// limit: left is what is then left of the scarcest. They expire after keep. A
	// negative n gives back. It fails soon when the counters are out of reach, and
	// without asking when they were a moment ago.
	TakeToday(ctx context.Context, counters []RemoteCounter, n int, keep time.Duration) (left int, ok bool, err error)
}

// RemoteCounter is the name of a counter, and its limit.
type RemoteCounter struct {
	Name  string
	Limit int
}

// FleetDays are the allowances of networks that several edges serve. While the shared
// counters are out of reach, each edge grants its part of the allowance, at least 1,
// whatever was used before.
type FleetDays struct {
	remote RemoteDays
	own    *Days
	edges  int
}

// NewFleetDays returns counters in remote, with those of this process for when they are
// out of reach. Edges is how many share them, at least 1.
func NewFleetDays(remote RemoteDays, own *Days, edges int) *FleetDays {
	return &FleetDays{remote: remote, own: own, edges: max(edges, 1)}
}

// Take works like [Days.Take].
func (f *FleetDays) Take(ctx context.Context, id BucketID, n, limit int) (Quota, func(unused int)) {
	now := time.Now()
	q := Quota{Limit: limit, Reset: untilTomorrow(now)}
	day := "day/" + strconv.FormatInt(dayOf(now), 10) + "/"
	counters := []RemoteCounter{{day + id.name(), limit}}
	if site, ok := id.Site(); ok {
		counters = append(counters, RemoteCounter{day + site.name(), limit * siteFactor})
	}

	keep := q.Reset + time.Hour // the clocks of edges differ
	var err error
	if q.Remaining, q.OK, err = f.remote.TakeToday(ctx, counters, n, keep); err != nil {
		q, giveBack := f.own.Take(ctx, id, n, max(limit/f.edges, n))
		q.Limit = limit
		return q, giveBack
	}

	if !q.OK {
		return q, nothing
	}
	return q, func(unused int) {
		// On an error the call counts; nobody is left to tell.
		_, _, _ = f.remote.TakeToday(context.WithoutCancel(ctx), counters, -unused, keep)
	}
}
