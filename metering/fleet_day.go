package metering

import (
	"context"
	"strconv"
	"time"
)

// RemoteDays is the set of daily counters that several edges share.
type RemoteDays interface {
	// TakeToday adds n to all of several counters, or to none if one of them would exceed its limit. It returns the
	// remainder of the scarcest counter. The counters expire after keep. A negative n returns calls. TakeToday fails
	// fast if the counters are unreachable, and immediately after a recent failure.
	TakeToday(ctx context.Context, counters []RemoteCounter, n int, keep time.Duration) (left int, ok bool, err error)
}

// RemoteCounter is a counter's name and limit.
type RemoteCounter struct {
	Name  string
	Limit int
}

// FleetDays counts the daily use of networks served by several edges. While the shared counters are unreachable, each
// edge grants its share of the allowance, regardless of earlier use. A request for more than the share, but no more
// than the allowance, is granted once.
type FleetDays struct {
	remote RemoteDays
	own    *Days
	edges  int
}

// NewFleetDays returns counters in remote, with this process's counters as the fallback. The number of edges that share
// them must be at least 1.
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
		share := min(limit, max(limit/f.edges, n))
		q, giveBack := f.own.Take(ctx, id, n, share)
		q.Limit = limit
		return q, giveBack
	}

	if !q.OK {
		return q, giveBackNone
	}

	return q, func(unused int) {
		// If this fails, the calls stay counted. No caller is left to report the error to.
		_, _, _ = f.remote.TakeToday(context.WithoutCancel(ctx), counters, -unused, keep)
	}
}
