package metering

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// fakeRemote grants one token in total, or fails.
type fakeRemote struct {
	err    error
	asked  []RemoteBucket
	given  bool
	tokens int
}

func (r *fakeRemote) Take(_ context.Context, buckets []RemoteBucket, tokens int) (int, time.Duration, error) {
	r.asked, r.tokens = buckets, tokens
	if r.err != nil {
		return 0, 0, r.err
	}
	if r.given {
		return 0, time.Second, nil
	}

	r.given = true
	return 6, 0, nil
}

func (r *fakeRemote) Forget(_ context.Context, buckets []RemoteBucket) error {
	r.asked, r.given = buckets, false
	return r.err
}

func TestFleetAsksTheSharedBuckets(t *testing.T) {
	r := PerSecond(2, 10)
	for _, c := range []struct {
		name string
		id   BucketID
		want []RemoteBucket
	}{
		{"account", payer, []RemoteBucket{{"account/account1", r}}},
		{"IPv4 address", home, []RemoteBucket{{"network/192.0.2.7/32/", r}}},
		{"a further bucket of an address", BucketID{Account: "auth", Network: home.Network},
			[]RemoteBucket{{"network/192.0.2.7/32/auth", r}}},
		{"IPv6 network and site", AddressBucket(netip.MustParseAddr("2001:db8:1:2::1")), []RemoteBucket{
			{"network/2001:db8:1:2::/64/", r}, {"network/2001:db8:1::/48/", PerSecond(32, 160)},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			remote, own := new(fakeRemote), NewBuckets()
			b := NewFleetBuckets(remote, own, 3)
			testkit.Equal(t, b.Take(t.Context(), c.id, r), (Allowance{OK: true, Rate: r, Remaining: 6}))
			testkit.Equal(t, b.Take(t.Context(), c.id, r), (Allowance{Rate: r, RetryAfter: time.Second}))
			testkit.Equal(t, remote.asked, c.want, "requests")
			testkit.Equal(t, own.Len(), 0, "buckets of this process")
		})
	}
}

// While the shared buckets are unreachable, all edges together grant the rate plus the initial bursts to a caller who
// calls continuously. Each edge grants at least one call at once.
func TestFleetWithoutTheSharedBuckets(t *testing.T) {
	for _, c := range []struct {
		edges int
		rate  Rate
		burst int // of all edges
	}{
		{1, PerSecond(5, 20), 20}, {3, PerSecond(20, 60), 60}, {3, PerSecond(1, 10), 9}, {10, PerSecond(2, 4), 10},
		{7, PerSecond(100, 300), 294},
	} {
		forKinds(t, func(t *testing.T, id BucketID) {
			start := time.Now()
			now := start
			clock := func() time.Time { return now }
			var edges []*FleetBuckets
			for range c.edges {
				edges = append(edges, NewFleetBuckets(&fakeRemote{err: errors.New("away")}, NewBucketsOn(clock),
					c.edges))
			}

			passed := 0
			for at := time.Duration(0); at <= time.Minute; at += 4 * time.Millisecond {
				now = start.Add(at)
				for _, b := range edges {
					a := b.Take(t.Context(), id, c.rate)
					if a.OK {
						passed++
					}
					if a.Rate != c.rate || a.Remaining > max(c.rate.Burst/c.edges, 1) || (a.RetryAfter > 0) == a.OK {
						t.Fatalf("%+v", a)
					}
				}
			}

			if want := c.burst + 60*c.rate.N; passed > want || passed < want-c.edges {
				t.Errorf("%d edges at %v: %d passed in a minute, want %d, or up to %d fewer", c.edges, c.rate,
					passed, want,
					c.edges)
			}
		})
	}
}

// A caller who waits for an edge's Retry-After is not refused again.
func TestFleetRetryAfter(t *testing.T) {
	forKinds(t, func(t *testing.T, id BucketID) {
		b := NewFleetBuckets(&fakeRemote{err: errors.New("away")}, NewBuckets(), 3)
		r := PerSecond(1, 1)
		for range 5 {
			if a := b.Take(t.Context(), id, r); !a.OK {
				t.Fatalf("refused: %+v", a)
			}

			a := b.Take(t.Context(), id, r)
			if a.OK || a.RetryAfter > 3*time.Second {
				t.Fatalf("%+v, want RetryAfter of at most 3 s", a)
			}

			<-time.After(a.RetryAfter)
			synctest.Wait()
		}
	})
}
