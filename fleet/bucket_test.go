package fleet

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/redis"
)

var payer = metering.BucketID{Account: "account1"}

// buckets returns the buckets of each edge.
func buckets(edges []*Fleet) []*metering.FleetBuckets {
	var all []*metering.FleetBuckets
	for _, f := range edges {
		all = append(all, metering.NewFleetBuckets(f, metering.NewBuckets(), f.Edges()))
	}
	return all
}

// hammer takes tokens from every edge, in several goroutines, and counts the granted tokens. It runs until stop is
// called; stop waits for the goroutines.
func hammer(t *testing.T, edges []*metering.FleetBuckets, r metering.Rate) (tokens *atomic.Int64, stop func()) {
	tokens = new(atomic.Int64)
	var asking sync.WaitGroup
	stopped := make(chan struct{})
	for _, edge := range edges {
		for range 4 {
			asking.Go(func() {
				again := time.NewTicker(5 * time.Millisecond)
				defer again.Stop()
				for {
					select {
					case <-stopped:
						return
					case <-again.C:
					}

					if edge.Take(t.Context(), payer, r).OK {
						tokens.Add(1)
					}
				}
			})
		}
	}

	return tokens, func() {
		close(stopped)
		asking.Wait()
	}
}

// passing lets real time pass.
func passing(d time.Duration) { <-time.After(d) }

// A caller who uses all edges at once gets exactly their rate.
func TestOneRateForAllEdges(t *testing.T) {
	t.Parallel()
	edges := joinThree(t, redis.Start(t).URL(), patient)
	r, start := metering.PerSecond(20, 30), time.Now()
	tokens, stop := hammer(t, buckets(edges), r)
	passing(3 * time.Second)
	stop()
	most := float64(r.Burst) + float64(r.N)*time.Since(start).Seconds()
	t.Logf("%d tokens; at most %.1f", tokens.Load(), most)
	if n := float64(tokens.Load()); n > most || n < most-float64(r.N) {
		t.Errorf("%v tokens, want at most %.1f, and no more than a second's tokens less", n, most)
	}
}

// While Redis is down, callers get at most their rate, except for the initial bursts of the edges; the same holds after
// Redis restarts empty.
func TestRateWithoutRedis(t *testing.T) {
	t.Parallel()
	server := redis.Start(t)
	edges := joinThree(t, server.URL(), patient)
	r, start := metering.PerSecond(20, 30), time.Now()
	tokens, stop := hammer(t, buckets(edges), r)
	passing(time.Second)
	server.Kill()
	passing(time.Second)
	before, at := tokens.Load(), time.Now()
	passing(3 * time.Second)
	alone, most := float64(tokens.Load()-before), float64(r.N)*time.Since(at).Seconds()
	server.Restart()
	for _, f := range edges {
		testkit.Until(t, "the edge to come back", func() bool { return f.Stats().Up })
	}

	passing(time.Second)
	stop()
	t.Logf("%v tokens without redis; at most %.1f", alone, most)
	if alone > most+float64(len(edges)) || alone < most/2 {
		t.Errorf("%v tokens without redis, want at most %.1f, and more than half of it", alone, most)
	}

	all := float64(3*r.Burst) + float64(r.N)*time.Since(start).Seconds()
	t.Logf("%d tokens in all; at most %.1f", tokens.Load(), all)
	if n := float64(tokens.Load()); n > all {
		t.Errorf("%v tokens in all, want at most %.1f", n, all)
	}
}

func TestAllowance(t *testing.T) {
	t.Parallel()
	edges := buckets(joinThree(t, redis.Start(t).URL(), patient))
	r := metering.PerSecond(1, 3)
	for name, id := range map[string]metering.BucketID{
		"account":            payer,
		"IPv4 address":       metering.AddressBucket(netip.MustParseAddr("192.0.2.7")),
		"IPv6 network":       metering.AddressBucket(netip.MustParseAddr("2001:db8:1:2::1")),
		"unreadable address": {},
	} {
		t.Run(name, func(t *testing.T) {
			for i, want := range []int{2, 1, 0} {
				if a := edges[i].Take(t.Context(), id, r); !a.OK || a.Remaining != want || a.RetryAfter != 0 ||
					a.Rate != r {
					t.Errorf("call %d: %+v, want %d remaining", i+1, a, want)
				}
			}

			a := edges[0].Take(t.Context(), id, r)
			if a.OK || a.Remaining != 0 || a.RetryAfter <= 0 || a.RetryAfter > time.Second {
				t.Fatalf("call 4: %+v, want RetryAfter of at most a second", a)
			}

			passing(a.RetryAfter)
			if a := edges[1].Take(t.Context(), id, r); !a.OK {
				t.Errorf("after the wait: %+v", a)
			}
		})
	}
}

// All networks of an IPv6 site together have 16 times the rate of one network, and a network that is refused because of
// the site loses no token.
func TestSite(t *testing.T) {
	f := joinThree(t, redis.Start(t).URL(), patient)[0]
	b := metering.NewFleetBuckets(f, metering.NewBuckets(), f.Edges())
	r := metering.PerSecond(1, 1000)
	network := func(n byte) metering.BucketID {
		return metering.AddressBucket(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, 9, 0, n}))
	}
	ample := metering.PerSecond(1, 2)
	for n := range byte(2 * 16) {
		if a := b.Take(t.Context(), network(n), ample); !a.OK {
			t.Fatalf("network %d: %+v", n, a)
		}
	}

	if a := b.Take(t.Context(), network(40), ample); a.OK || a.Remaining != 0 {
		t.Errorf("one network too many: %+v", a)
	}
	if a := b.Take(t.Context(), network(40), r); !a.OK || a.Remaining != r.Burst-1 {
		t.Errorf("with a larger rate: %+v, want a full bucket less one", a)
	}
}

// A full bucket expires in Redis.
func TestBucketsExpire(t *testing.T) {
	t.Parallel()
	f := joinThree(t, redis.Start(t).URL(), patient)[0]
	for _, b := range []metering.RemoteBucket{{Name: "slow", Rate: metering.PerSecond(1, 10)},
		{Name: "quick", Rate: metering.PerSecond(100, 10)}} {
		if _, _, err := f.Take(t.Context(), []metering.RemoteBucket{b}, 1); err != nil {
			t.Fatal(err)
		}
	}

	c := f.link.client
	testkit.Until(t, "the buckets to expire", func() bool {
		n, err := c.Do(t.Context(), c.B().Dbsize().Build()).AsInt64()
		return err == nil && n == 0
	})
}

// A rate without a burst is one quiet window for all edges: N calls, and N more after a quiet period of Per.
func TestWindow(t *testing.T) {
	t.Parallel()
	edges := buckets(joinThree(t, redis.Start(t).URL(), patient))
	r := metering.Rate{N: 3, Per: 2 * time.Second}
	id := func(name string) metering.BucketID {
		return metering.Named(name, netip.MustParsePrefix("2001:db8:1:2::/64"))
	}
	for i, edge := range edges {
		if a := edge.Take(t.Context(), id("sign in"), r); !a.OK || a.Remaining != 2-i {
			t.Fatalf("call %d: %+v", i+1, a)
		}
	}

	fourth := edges[0].Take(t.Context(), id("sign in"), r)
	if fourth.OK || fourth.RetryAfter <= 0 || fourth.RetryAfter > r.Per {
		t.Fatalf("call 4: %+v, want RetryAfter of at most %s", fourth, r.Per)
	}
	if a := edges[0].Take(t.Context(), id("sign up"), r); !a.OK {
		t.Errorf("a different name: %+v", a)
	}
	if a := edges[1].Take(t.Context(), id("sign in"), r); a.OK || a.RetryAfter > fourth.RetryAfter {
		t.Errorf("call 5: %+v, after call 4: %+v; want no longer wait, since refused calls cost nothing", a, fourth)
	}

	for range 3 {
		edges[0].Take(t.Context(), id("forgotten"), r)
	}

	edges[1].Forget(t.Context(), id("forgotten"))
	if a := edges[2].Take(t.Context(), id("forgotten"), r); !a.OK || a.Remaining != 2 {
		t.Errorf("after Forget: %+v", a)
	}

	passing(fourth.RetryAfter + 10*time.Millisecond)
	if a := edges[2].Take(t.Context(), id("sign in"), r); !a.OK {
		t.Errorf("after waiting for RetryAfter: %+v", a)
	}
}

// Forget fails while Redis is down.
func TestForgetWithoutRedis(t *testing.T) {
	server := redis.Start(t)
	f := joinThree(t, server.URL(), patient)[0]
	server.Kill()
	for range 2 {
		if err := f.Forget(t.Context(), []metering.RemoteBucket{{Name: "sign in"}}); err == nil {
			t.Error("Forget returned no error without a server")
		}
	}
}

func TestFleetGivesFurtherTokensAtOnceOrNone(t *testing.T) {
	t.Parallel()
	f := joinThree(t, redis.Start(t).URL(), patient)[0]
	b := []metering.RemoteBucket{{Name: "batch", Rate: metering.PerSecond(2, 10)}}
	if left, wait, err := f.Take(t.Context(), b, 7); err != nil || left != 3 || wait != 0 {
		t.Errorf("7 of 10: %d %v %v", left, wait, err)
	}
	if _, wait, err := f.Take(t.Context(), b, 7); err != nil || wait < 1900*time.Millisecond || wait > 2*time.Second {
		t.Errorf("7 of the remaining 3: wait %v %v, want 2 s", wait, err)
	}
	if left, wait, err := f.Take(t.Context(), b, 3); err != nil || left > 1 || wait != 0 {
		t.Errorf("the remaining 3: %d %v %v", left, wait, err)
	}
}
