package metering

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/long"
)

// ipv4 and ipv6 return the n-th caller.
func ipv4(n uint32) BucketID {
	var a [4]byte
	binary.BigEndian.PutUint32(a[:], n)
	return AddressBucket(netip.AddrFrom4(a))
}

func ipv6(site, network, host uint64) BucketID {
	var a [16]byte
	binary.BigEndian.PutUint64(a[:8], 0x2001_0db8<<32|site<<16|network)
	binary.BigEndian.PutUint64(a[8:], host)
	return AddressBucket(netip.AddrFrom16(a))
}

func TestMemoryIsConstantLong(t *testing.T) {
	long.Only(t, "five million addresses take seconds, and the race detector memory of its own")

	memory := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := memory()
	b := NewBuckets()
	if idle := int64(memory() - before); idle > 100_000 {
		t.Errorf("%d bytes before the first call", idle)
	}

	const addresses = 5_000_000
	for i := range uint32(addresses / 2) {
		b.Take(ipv4(i), Anonymous)
		b.Take(ipv6(uint64(i>>4), uint64(i&15), 1), Anonymous)
	}
	if grown := int64(memory() - before); grown >= 40<<20 {
		t.Errorf("%d MiB for %d addresses, want less than 40", grown>>20, addresses)
	}
	if n := b.Len(); n > networkSlots || n < networkSlots*99/100 {
		t.Errorf("%d of %d slots are in use", n, networkSlots)
	}
}

// A caller who calls at 20 times its rate stays limited during a flood from three times as many addresses as there are
// slots.
func TestHeavyCallerOutlastsAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuckets()
		b.networks = newNetworkTable(1<<11, b.networks.clock)
		r := PerSecond(5, 10)
		const seconds = 20
		passed := 0
		for range seconds * 100 {
			if b.Take(home, r).OK {
				passed++
			}

			for range 300 {
				b.Take(ipv4(rand.Uint32()|1<<31), r)
			}

			<-time.After(10 * time.Millisecond)
		}

		const ideal = 10 + 5*seconds - 1 // the last attempt is 10 ms before the last token
		if passed < ideal || passed > ideal*102/100 {
			t.Errorf("%d calls passed, want %d and at most 2 %% more", passed, ideal)
		}
		if n := b.Len(); n > 1<<11 {
			t.Errorf("%d slots are in use", n)
		}
	})
}

func TestAddressesOfANetworkShareABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, passed := NewBuckets(), 0
		for host := range uint64(1 << 16) {
			if b.Take(ipv6(1, 2, host), Anonymous).OK {
				passed++
			}
		}

		testkit.Equal(t, passed, Anonymous.Burst, "calls passed from 65,536 addresses of one /64")
	})
}

func TestNetworksOfASiteShareAWiderLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, passed := NewBuckets(), 0
		r := PerSecond(1, 10)
		var refused Allowance
		for network := range uint64(1 << 16) {
			if a := b.Take(ipv6(1, network, 0), r); a.OK {
				passed++
			} else {
				refused = a
			}
		}

		testkit.Equal(t, passed, 160, "calls passed from 65,536 networks of one /48")
		if refused.Rate != r || refused.Remaining != 0 || refused.RetryAfter != time.Second/16 {
			t.Errorf("refused with %+v", refused)
		}

		for range 10 {
			b.Take(ipv6(1, 50_000, 0), r)
		}
		if !b.Take(ipv6(2, 0, 0), r).OK {
			t.Error("another site lost tokens")
		}

		<-time.After(refused.RetryAfter)
		if a := b.Take(ipv6(1, 60_000, 0), r); !a.OK {
			t.Errorf("after waiting for RetryAfter: %+v", a)
		}

		<-time.After(time.Second)
		// Refused calls do not cost this network tokens.
		for want := 9; want >= 0; want-- {
			if a := b.Take(ipv6(1, 50_000, 0), r); !a.OK || a.Remaining != want {
				t.Fatalf("got %+v, want %d remaining", a, want)
			}
		}
	})
}

func TestNoisyNetworkSparesItsSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuckets()
		for range 10_000 {
			b.Take(ipv6(1, 1, 1), Anonymous)
		}
		if a := b.Take(ipv6(1, 2, 1), Anonymous); !a.OK || a.Remaining != Anonymous.Burst-1 {
			t.Errorf("a neighbour of a network that was refused 9,990 times got %+v", a)
		}
	})
}

func BenchmarkTakeOfAFlood(b *testing.B) {
	buckets := NewBuckets()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			buckets.Take(ipv4(rand.Uint32()), Anonymous)
		}
	})
}
