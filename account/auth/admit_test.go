package auth

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/rodata/rodata/metering"
)

// countingFleet is a fleet of two that counts in memory, unless it is away. Windows
// never end.
type countingFleet struct {
	counts map[string]int
	tokens *metering.Buckets
	away   error
}

func newCountingFleet() *countingFleet {
	return &countingFleet{counts: make(map[string]int), tokens: metering.NewBuckets()}
}

func (f *countingFleet) Take(_ context.Context, buckets []metering.RemoteBucket) (int, time.Duration, error) {
	own := buckets[0]
	a := f.tokens.Take(metering.BucketID{Account: own.Name}, own.Rate)
	return a.Remaining, a.RetryAfter, f.away
}

func (f *countingFleet) Count(_ context.Context, name string, max int, window time.Duration) (time.Duration, error) {
	if f.away != nil {
		return 0, f.away
	}
	if f.counts[name] == max {
		return window, nil
	}
	f.counts[name]++
	return 0, nil
}

func (f *countingFleet) Forget(_ context.Context, name string) error {
	delete(f.counts, name)
	return f.away
}

func (f *countingFleet) Edges() int { return 2 }

// Who is refused on one edge is refused on all.
func TestLimitsOfAFleet(t *testing.T) {
	fleet := newCountingFleet()
	join := func(o *Options) { o.Fleet = fleet }
	here, elsewhere := newSite(t, join), newSite(t, join)
	tries := func(s *site, address string) int {
		b := s.browser(t)
		b.header.Set("X-Test-Address", address)
		return b.post("/sign-in/email", "email", ana, "password", "alta parolă").StatusCode
	}
	for i, s := range []*site{here, elsewhere, here} {
		if got := tries(s, "192.0.2.1"); got != 401 {
			t.Fatalf("try %d: got %d", i+1, got)
		}
	}
	for _, s := range []*site{here, elsewhere} {
		if got := tries(s, "192.0.2.1"); got != 429 {
			t.Errorf("the fourth: got %d", got)
		}
	}
	if got := tries(elsewhere, "192.0.2.2"); got != 401 {
		t.Errorf("another address: got %d", got)
	}
	for i := range credentials.max * siteFactor { // which a site may do, each network once
		network := netip.MustParseAddr("2001:db8:1::1").As16()
		network[7] = byte(i)
		tries(here, netip.AddrFrom16(network).String())
	}
	if got := tries(elsewhere, "2001:db8:1:ffff::1"); got != 429 {
		t.Errorf("one network of a site too many: got %d", got)
	}

	b, other := here.browser(t), elsewhere.browser(t)
	limited := 0
	for range general.Burst {
		for _, b := range []*browser{b, other} {
			b.header.Set("X-Test-Address", "192.0.2.3")
			if b.get("/ok").StatusCode == 429 {
				limited++
			}
		}
	}
	if limited == 0 {
		t.Error("all in all there is no limit")
	}
}

// While the fleet cannot count, each edge allows its part.
func TestLimitsWithoutTheFleet(t *testing.T) {
	fleet := newCountingFleet()
	fleet.away = errors.New("away")
	s := newSite(t, func(o *Options) { o.Fleet = fleet })
	for path, allowed := range map[string]int{"/sign-in/email": 1, "/sign-in/magic-link": 2} { // half of 3, and of 5
		b := s.browser(t)
		b.header.Set("X-Test-Address", "192.0.2.1")
		for range allowed {
			if r := b.post(path, "email", ana, "x", 1); r.StatusCode == 429 {
				t.Fatalf("%s: limited too early", path)
			}
		}
		b.want(b.post(path, "email", ana), 429, "TOO_MANY_REQUESTS")
	}
}
