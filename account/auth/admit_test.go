package auth

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
)

// memoryFleet is a fleet with its buckets in memory, which can be unreachable. Its clock stands still.
type memoryFleet struct {
	buckets *metering.Buckets
	away    error
}

func newMemoryFleet() *memoryFleet {
	now := time.Now()
	return &memoryFleet{buckets: metering.NewBucketsOn(func() time.Time { return now })}
}

func (f *memoryFleet) Take(_ context.Context, buckets []metering.RemoteBucket,
	_ int) (remaining int, wait time.Duration, err error) {
	for _, b := range buckets {
		if a := f.buckets.Take(metering.Named(b.Name, netip.Prefix{}), b.Rate); f.away == nil && !a.OK {
			return 0, a.RetryAfter, nil
		}
	}

	return 0, 0, f.away
}

func (f *memoryFleet) Forget(_ context.Context, buckets []metering.RemoteBucket) error {
	for _, b := range buckets {
		f.buckets.Forget(metering.Named(b.Name, netip.Prefix{}))
	}
	return f.away
}

// join makes a site one of two edges of a fleet.
func (f *memoryFleet) join(o *Options) {
	o.Fleet = metering.NewFleetBuckets(f, metering.NewBuckets(), 2)
}

// A caller who is refused on one edge is refused on all.
func TestLimitsOfAFleet(t *testing.T) {
	fleet := newMemoryFleet()
	here, elsewhere := newSite(t, fleet.join), newSite(t, fleet.join)
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
		testkit.Equal(t, tries(s, "192.0.2.1"), 429, "the fourth")
	}

	testkit.Equal(t, tries(elsewhere, "192.0.2.2"), 401, "another address")

	for i := range 16 * credentialRate.N { // how many sign-ups a site accepts, each from a different network
		network := netip.MustParseAddr("2001:db8:1::1").As16()
		network[7] = byte(i)
		tries(here, netip.AddrFrom16(network).String())
	}

	testkit.Equal(t, tries(elsewhere, "2001:db8:1:ffff::1"), 429, "one network more than the site allows")

	b, other := here.browser(t), elsewhere.browser(t)
	limited := 0
	for range overallRate.Burst {
		for _, b := range []*browser{b, other} {
			b.header.Set("X-Test-Address", "192.0.2.3")
			if b.get("/ok").StatusCode == 429 {
				limited++
			}
		}
	}

	if limited == 0 {
		t.Error("there is no overall limit")
	}
}

// While the shared buckets are unreachable, each edge grants its share.
func TestLimitsWithoutTheFleet(t *testing.T) {
	fleet := newMemoryFleet()
	fleet.away = errors.New("away")
	s := newSite(t, fleet.join)
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
