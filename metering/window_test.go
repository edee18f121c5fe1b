package metering

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

var threeInTen = Rate{N: 3, Per: 10 * time.Second}

func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuckets()
		one, other := Named("sign in", home.Network), Named("sign in", netip.MustParsePrefix("192.0.2.8/32"))
		take := func(id BucketID, left int, wait time.Duration) {
			t.Helper()
			want := Allowance{OK: wait == 0, Rate: threeInTen, Remaining: left, RetryAfter: wait}
			testkit.Equal(t, b.Take(id, threeInTen), want)
		}
		take(one, 2, 0)
		<-time.After(4 * time.Second)
		take(one, 1, 0)
		<-time.After(4 * time.Second)
		take(one, 0, 0)
		<-time.After(time.Second)
		take(one, 0, 9*time.Second) // the fourth in 10 seconds
		take(other, 2, 0)
		take(Named("sign up", home.Network), 2, 0)
		<-time.After(9 * time.Second)
		take(one, 2, 0)
		b.Forget(one)
		take(one, 2, 0)
	})
}

func TestWindowChangesWithItsRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, id := NewBuckets(), Named("sign in", home.Network)
		for range 3 {
			b.Take(id, threeInTen)
		}
		if a := b.Take(id, Rate{N: 2, Per: 10 * time.Second}); a.OK {
			t.Errorf("a smaller window: %+v", a)
		}
		if a := b.Take(id, Rate{N: 4, Per: 10 * time.Second}); !a.OK || a.Remaining != 0 {
			t.Errorf("a larger window: %+v", a)
		}
		if a := b.Take(id, PerSecond(1, 2)); !a.OK || a.Remaining != 1 {
			t.Errorf("a token bucket instead: %+v", a)
		}
	})
}

// The networks of one IPv6 site have a common limit besides their own. A refused network does not use up the common
// limit.
func TestWindowOfASite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuckets()
		network := func(site, n uint64) BucketID { return Named("sign in", ipv6(site, n, 0).Network) }
		allowed := 0
		for n := range uint64(1000) {
			if b.Take(network(1, n), threeInTen).OK {
				allowed++
			}
		}

		testkit.Equal(t, allowed, threeInTen.N*siteFactor, "a site was allowed")

		for range 1000 {
			b.Take(network(2, 1), threeInTen)
		}
		if !b.Take(network(2, 2), threeInTen).OK {
			t.Error("one network used up the limit of its site")
		}

		b.Forget(network(1, 5))
		if !b.Take(network(1, 5), threeInTen).OK {
			t.Error("after Forget, a network is still limited by its site")
		}
	})
}

// No bucket passes more than N*t/Per + Burst calls in a time t, whatever its Per.
func TestBucketsOfOtherPeriods(t *testing.T) {
	forKinds(t, func(t *testing.T, id BucketID) {
		b, r, passed := NewBuckets(), Rate{N: 7, Per: time.Minute, Burst: 3}, 0
		for range 60 * 60 {
			if b.Take(id, r).OK {
				passed++
			}
			<-time.After(time.Second)
		}

		if want := 3 + 7*60 - 1; passed != want { // the last attempt is a second before the hour
			t.Errorf("%d passed in an hour, want %d", passed, want)
		}
		if a := b.Take(id, PerSecond(1, 10)); !a.OK || a.Remaining > 10 {
			t.Errorf("at another rate: %+v", a)
		}
	})
}
