package metering

import (
	"fmt"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

var (
	home  = AddressBucket(netip.MustParseAddr("192.0.2.7"))
	payer = BucketID{Account: "account1"}
)

// kinds are callers whose buckets have different implementations with the same guarantees.
var kinds = []struct {
	name string
	id   BucketID
}{
	{"account", payer},
	{"IPv4 address", home},
	{"IPv6 network", AddressBucket(netip.MustParseAddr("2001:db8:1:2::1"))},
	{"unreadable address", BucketID{}},
}

// forKinds runs a test for each kind of caller, with a separate clock.
func forKinds(t *testing.T, test func(t *testing.T, id BucketID)) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, kind.id) })
		})
	}
}

func TestMinuteIsExact(t *testing.T) {
	rates := []Rate{Anonymous, PerSecond(3, 7), PerSecond(7, 2)}
	for _, plan := range DefaultPlans() {
		rates = append(rates, plan.Rate)
	}

	forKinds(t, func(t *testing.T, id BucketID) {
		for _, r := range rates {
			start := time.Now()
			now := start
			b := NewBucketsOn(func() time.Time { return now })
			var passed []time.Duration
			try := func(from, to time.Duration) {
				for at := from; at <= to; at += 4 * time.Millisecond {
					now = start.Add(at)
					if b.Take(id, r).OK {
						passed = append(passed, at)
					}
				}
			}
			const minute = time.Minute
			want := r.Burst + 60*r.N
			try(0, minute)
			testkit.Equal(t, len(passed), want, "calls that passed in the first minute, %v", r)
			// Pauses in which a bucket refills partly and completely.
			try(minute+700*time.Millisecond, minute+10*time.Second)
			try(minute+30*time.Second, 2*minute)
			for first, last := 0, 0; last < len(passed); last++ {
				for passed[last]-passed[first] > minute {
					first++
				}
				if n := last - first + 1; n > want {
					t.Errorf("%v: %d passed in the minute up to %v, want at most %d", r, n, passed[last], want)
					break
				}
			}
		}
	})
}

func TestAllowance(t *testing.T) {
	forKinds(t, func(t *testing.T, id BucketID) {
		b, r := NewBuckets(), PerSecond(3, 3)
		for want := 2; want >= 0; want-- {
			if a := b.Take(id, r); !a.OK || a.Remaining != want || a.Rate != r {
				t.Fatalf("got %+v, want %d remaining", a, want)
			}
		}

		refused := b.Take(id, r)
		if want := time.Second/3 + 1; refused.OK || refused.Remaining != 0 || refused.RetryAfter != want {
			t.Fatalf("got %+v, want a refusal for %v", refused, want)
		}

		<-time.After(refused.RetryAfter)
		if a := b.Take(id, r); !a.OK || a.Remaining != 0 || a.RetryAfter != 0 {
			t.Errorf("after waiting for RetryAfter: %+v", a)
		}

		<-time.After(time.Hour)
		if a := b.Take(id, r); !a.OK || a.Remaining != 2 {
			t.Errorf("after an hour: %+v", a)
		}
	})
}

func TestRateChangeKeepsTokens(t *testing.T) {
	forKinds(t, func(t *testing.T, id BucketID) {
		b := NewBuckets()
		for range 10 {
			b.Take(id, PerSecond(1, 10))
		}
		if b.Take(id, PerSecond(5, 20)).OK {
			t.Error("a change of the rate refilled the bucket")
		}

		<-time.After(time.Second)
		if a := b.Take(id, PerSecond(5, 20)); !a.OK || a.Remaining != 4 {
			t.Errorf("got %+v after a second at 5 a second", a)
		}
		if a := b.Take(id, PerSecond(1, 2)); !a.OK || a.Remaining != 1 {
			t.Errorf("got %+v from 4 tokens after the burst was reduced", a)
		}
	})
}

func TestConcurrentCallers(t *testing.T) {
	forKinds(t, func(t *testing.T, id BucketID) {
		b, r := NewBuckets(), PerSecond(1, 100)
		var wg sync.WaitGroup
		passed := make([]int, 50)
		for i := range passed {
			wg.Go(func() {
				for range 10 {
					if b.Take(id, r).OK {
						passed[i]++
					}
				}
			})
		}

		wg.Wait()
		total := 0
		for _, n := range passed {
			total += n
		}
		testkit.Equal(t, total, 100, "of 500 simultaneous calls passed a burst of 100")
	})
}

func TestAddressBucket(t *testing.T) {
	id := func(text string) BucketID { return AddressBucket(netip.MustParseAddr(text)) }
	testkit.Equal(t, id("2001:db8:1:2::1"), id("2001:db8:1:2:ffff::9%eth0"),
		"the bucket of another address of the /64")
	if id("2001:db8:1:2::1") == id("2001:db8:1:3::1") {
		t.Error("two /64 share a bucket")
	}
	testkit.Equal(t, id("::ffff:192.0.2.7"), home, "the bucket of an IPv4-mapped address")
	if id("192.0.2.8") == home {
		t.Error("two IPv4 addresses share a bucket")
	}
	testkit.Equal(t, AddressBucket(netip.Addr{}), (BucketID{}), "the bucket of an invalid address")
}

func TestBucketsAreApart(t *testing.T) {
	b, r := NewBuckets(), PerSecond(1, 1)
	further := func(id BucketID) BucketID { return BucketID{Account: "further", Network: id.Network} }
	for _, id := range []BucketID{
		home, further(home), {}, further(BucketID{}), payer, {Account: "account2"},
		AddressBucket(netip.MustParseAddr("2001:db8::")), AddressBucket(netip.MustParseAddr("2001:db8:0:1::")),
		AddressBucket(netip.MustParseAddr("192.0.2.8")), AddressBucket(netip.MustParseAddr("::c000:207")),
	} {
		if !b.Take(id, r).OK {
			t.Errorf("%+v found its bucket empty", id)
		}
	}
}

func TestAccountsAreForgottenWhenFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuckets()
		visit := func(first, n int) {
			for i := first; i < first+n; i++ {
				b.Take(BucketID{Account: strconv.Itoa(i)}, Anonymous)
			}
		}
		visit(0, 50_000)
		<-time.After(time.Minute)
		const newcomers = 2_000 // they trigger the sweep of shards
		visit(50_000, newcomers)
		testkit.Equal(t, b.Len(), newcomers, "buckets are held after a quiet minute")
	})
}

func TestRateIsValid(t *testing.T) {
	for _, c := range []struct {
		rate  Rate
		valid bool
	}{
		{Anonymous, true},
		{PerSecond(1_000_000, 1_000_000), true},
		{PerSecond(0, 10), false},
		{PerSecond(10, 0), false},
		{PerSecond(1_000_001, 10), false},
		{PerSecond(10, 1_000_001), false},
	} {
		testkit.Equal(t, c.rate.Validate() == nil, c.valid, "%+v", c.rate)
	}
}

func BenchmarkTake(b *testing.B) {
	r := PerSecond(1000, 1000)
	for _, kind := range kinds {
		b.Run(kind.name, func(b *testing.B) {
			buckets := NewBuckets()
			b.ReportAllocs()
			for b.Loop() {
				buckets.Take(kind.id, r)
			}
		})
		b.Run(kind.name+" in parallel", func(b *testing.B) {
			buckets := NewBuckets()
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					buckets.Take(kind.id, r)
				}
			})
		})
	}
}

func ExampleBuckets_Take() {
	buckets := NewBuckets()
	caller := AddressBucket(netip.MustParseAddr("192.0.2.1"))
	for range 3 {
		a := buckets.Take(caller, PerSecond(1, 2))
		fmt.Println(a.OK, a.Remaining)
	}
	// Output:
	// true 1
	// true 0
	// false 0
}

// A call that needs further tokens takes all of them or none.
func TestFurtherTokens(t *testing.T) {
	forKinds(t, func(t *testing.T, id BucketID) {
		b, r := NewBuckets(), PerSecond(2, 10)
		b.Take(id, r)
		if a := b.TakeMore(id, r, 6); !a.OK || a.Remaining != 3 {
			t.Errorf("7 of 10: %+v", a)
		}

		b.Take(id, r)
		if a := b.TakeMore(id, r, 6); a.OK || a.Remaining != 2 || a.RetryAfter != 2*time.Second {
			t.Errorf("6 of the remaining 2: %+v", a)
		}

		<-time.After(time.Minute)
		b.Take(id, r)
		if a := b.TakeMore(id, r, 9); !a.OK || a.Remaining != 0 {
			t.Errorf("the whole burst: %+v", a)
		}
	})
}

// A caller may read the clock early and get the lock only after others with a later time. It is not refused for that
// reason.
func TestLateCallerIsNotRefused(t *testing.T) {
	start := time.Now()
	now := start
	buckets := NewBucketsOn(func() time.Time { return now })
	id, rate := AddressBucket(netip.MustParseAddr("192.0.2.1")), PerSecond(10, 10)
	now = start.Add(2 * time.Second)
	buckets.TakeAt(now, id, rate)
	for n := range 9 {
		if a := buckets.TakeAt(start.Add(500*time.Millisecond), id, rate); !a.OK {
			t.Errorf("call %d, which is late, was refused: %+v", n+2, a)
		}
	}

	if a := buckets.TakeAt(start.Add(500*time.Millisecond), id, rate); a.OK {
		t.Error("the eleventh call at once was accepted")
	}
}
