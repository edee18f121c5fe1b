package metering

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var home = AddressBucket(netip.MustParseAddr("192.0.2.7"))

func TestBurstThenRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, r := NewBuckets(), Rate{PerSecond: 2, Burst: 10}
		passed := 0
		for range 60 * 10 { // ten tries a second for a minute
			if b.Take(home, r).OK {
				passed++
			}
			<-time.After(100 * time.Millisecond)
		}
		// The last try comes at 59.9 s, when 119 tokens have accrued.
		if want := 10 + 119; passed != want {
			t.Errorf("%d calls passed in a minute, want burst + rate x time = %d", passed, want)
		}
	})
}

func TestAllowance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, r := NewBuckets(), Rate{PerSecond: 1, Burst: 3}
		for want := 2; want >= 0; want-- {
			if a := b.Take(home, r); !a.OK || a.Remaining != want {
				t.Fatalf("got %+v, want %d remaining", a, want)
			}
		}
		refused := b.Take(home, r)
		if refused.OK || refused.Remaining != 0 || refused.RetryAfter != time.Second {
			t.Fatalf("got %+v, want a refusal for a second", refused)
		}
		<-time.After(refused.RetryAfter)
		if !b.Take(home, r).OK {
			t.Error("waiting as told did not help")
		}
	})
}

func TestRateChangeKeepsTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuckets()
		for range 10 {
			b.Take(home, Rate{PerSecond: 1, Burst: 10})
		}
		if b.Take(home, Rate{PerSecond: 5, Burst: 20}).OK {
			t.Error("a change of plan refilled the bucket")
		}
		<-time.After(time.Second)
		if a := b.Take(home, Rate{PerSecond: 5, Burst: 20}); !a.OK || a.Remaining != 4 {
			t.Errorf("got %+v after a second at 5 a second", a)
		}
	})
}

func TestAddressBucket(t *testing.T) {
	id := func(text string) BucketID { return AddressBucket(netip.MustParseAddr(text)) }
	if id("2001:db8:1:2::1") != id("2001:db8:1:2:ffff::9%eth0") {
		t.Error("two addresses of one /64 have two buckets")
	}
	if id("2001:db8:1:2::1") == id("2001:db8:1:3::1") {
		t.Error("two /64 share a bucket")
	}
	if id("::ffff:192.0.2.7") != home {
		t.Error("an IPv4 address mapped into IPv6 has a bucket of its own")
	}
	if id("192.0.2.8") == home {
		t.Error("two IPv4 addresses share a bucket")
	}
	if AddressBucket(netip.Addr{}) != (BucketID{}) {
		t.Error("an unreadable address is not the shared bucket")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuckets()
		for i := range uint32(400_000) {
			var a [4]byte
			binary.BigEndian.PutUint32(a[:], i)
			b.Take(AddressBucket(netip.AddrFrom4(a)), Anonymous)
		}
		if n := b.Len(); n > 64*(shardBound+1) {
			t.Errorf("%d buckets are held", n)
		}
		<-time.After(time.Minute)
		const newcomers = 2_000 // they make the shards sweep
		for i := range newcomers {
			b.Take(BucketID{Account: strconv.Itoa(i)}, Anonymous)
		}
		if n := b.Len(); n != newcomers {
			t.Errorf("%d buckets are held after a quiet minute", n)
		}
	})
}

func TestConcurrentCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, r := NewBuckets(), Rate{PerSecond: 1, Burst: 100}
		var wg sync.WaitGroup
		passed := make([]int, 50)
		for i := range passed {
			wg.Go(func() {
				for range 10 {
					if b.Take(home, r).OK {
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
		if total != 100 {
			t.Errorf("%d of 500 simultaneous calls passed a burst of 100", total)
		}
	})
}

func BenchmarkTake(b *testing.B) {
	buckets := NewBuckets()
	b.ReportAllocs()
	for b.Loop() {
		buckets.Take(home, Rate{PerSecond: 1000, Burst: 1000})
	}
}
