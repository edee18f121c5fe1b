package metering

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// network returns the bucket of an address's network.
func network(text string) BucketID { return AddressBucket(netip.MustParseAddr(text)) }

func TestDaysAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // starts at midnight UTC
		d := NewDays()
		<-time.After(23*time.Hour + 59*time.Minute)
		take := func(id BucketID, n int, want Quota) (giveBack func(int)) {
			t.Helper()
			got, giveBack := d.Take(t.Context(), id, n, 3)
			testkit.Equal(t, got, want)

			return giveBack
		}
		take(home, 1, Quota{true, 3, 2, time.Minute})
		giveBack := take(home, 2, Quota{true, 3, 0, time.Minute})
		take(home, 1, Quota{false, 3, 0, time.Minute})
		take(network("192.0.2.8"), 1, Quota{true, 3, 2, time.Minute})
		take(BucketID{Account: "pages", Network: home.Network}, 1, Quota{true, 3, 2, time.Minute})
		giveBack(1)
		take(home, 2, Quota{false, 3, 1, time.Minute})
		giveBack(1)
		take(home, 3, Quota{false, 3, 2, time.Minute})
		late := take(home, 2, Quota{true, 3, 0, time.Minute})
		<-time.After(time.Minute)
		take(home, 3, Quota{true, 3, 0, 24 * time.Hour})
		late(2) // yesterday's use does not count today
		take(home, 1, Quota{false, 3, 0, 24 * time.Hour})
	})
}

// A site (/48) has 16 times the allowance of each of its networks (/64), and the addresses of one network share its
// allowance.
func TestDaysOfIPv6(t *testing.T) {
	d := NewDays()
	given := 0
	for network := range 100 {
		for range 3 {
			address := netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 7: byte(network), 15: byte(given)})
			if q, _ := d.Take(t.Context(), AddressBucket(address), 1, 2); q.OK {
				given++
			}
		}
	}

	testkit.Equal(t, given, 32, "tokens of a site")

	q, giveBack := d.Take(t.Context(), network("2001:db8:1::1"), 1, 2)
	giveBack(1)
	if again, _ := d.Take(t.Context(), network("2001:db8:1::1"), 2, 2); !q.OK || !again.OK {
		t.Errorf("%+v, and after giving the call back %+v", q, again)
	}
}

// A flood of other addresses does not reset a network that has used up its allowance, and needs no additional memory.
func TestFloodDoesNotResetAllowances(t *testing.T) {
	d := newDays(2048)
	for range 50 {
		d.Take(t.Context(), home, 1, 50)
	}

	for i := range 100_000 {
		d.Take(t.Context(), AddressBucket(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})), 1, 50)
	}
	if q, _ := d.Take(t.Context(), home, 1, 50); q.OK {
		t.Errorf("given %+v", q)
	}

	counters := 0
	for i := range d.shards {
		counters += len(d.shards[i].counters)
	}
	testkit.Equal(t, counters, 2048, "counters")
}

func TestDaysAreExactUnderConcurrency(t *testing.T) {
	d := NewDays()
	var given atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 500 {
				q, giveBack := d.Take(context.Background(), home, 1, 1000)
				switch {
				case q.OK && i%2 == 0:
					giveBack(1)
				case q.OK:
					given.Add(1)
				}
			}
		})
	}

	all.Wait()
	for q, _ := d.Take(t.Context(), home, 1, 1000); q.OK; q, _ = d.Take(t.Context(), home, 1, 1000) {
		given.Add(1)
	}
	testkit.Equal(t, given.Load(), 1000, "given")
}

// fakeDays is a shared counter that can be unreachable.
type fakeDays struct {
	err   error
	asked []RemoteCounter
	used  int
}

func (r *fakeDays) TakeToday(_ context.Context, counters []RemoteCounter, n int,
	keep time.Duration) (int, bool, error) {
	r.asked = counters
	switch left := counters[0].Limit - r.used; {
	case r.err != nil:
		return 0, false, r.err
	case left < n || keep < time.Hour:
		return left, false, nil
	}

	r.used += n
	return counters[0].Limit - r.used, true, nil
}

func TestDaysOfAFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		remote := new(fakeDays)
		f := NewFleetDays(remote, NewDays(), 3)
		id := BucketID{Account: "companies", Network: network("2001:db8:1:2::1").Network}
		q, giveBack := f.Take(t.Context(), id, 2, 6)
		testkit.Equal(t, q, (Quota{true, 6, 4, 24 * time.Hour}))
		if want := (RemoteCounter{"day/10957/network/2001:db8:1:2::/64/companies", 6}); len(remote.asked) != 2 ||
			remote.asked[0] != want || remote.asked[1].Limit != 96 {
			t.Errorf("requested %+v, want %+v and the counter of the site", remote.asked, want)
		}
		if giveBack(2); remote.used != 0 {
			t.Errorf("%d are used after all were given back", remote.used)
		}

		remote.err = context.DeadlineExceeded
		for i, want := range []Quota{{true, 6, 1, 24 * time.Hour}, {true, 6, 0, 24 * time.Hour},
			{false, 6, 0, 24 * time.Hour}} {
			if q, _ := f.Take(t.Context(), id, 1, 6); q != want {
				t.Errorf("call %d without the shared counters: %+v, want %+v", i+1, q, want)
			}
		}

		other := BucketID{Account: "companies", Network: network("2001:db8:2:2::1").Network}
		if q, _ := f.Take(t.Context(), other, 7, 6); q != (Quota{false, 6, 6, 24 * time.Hour}) {
			t.Errorf("7 calls of an allowance of 6 without the shared counters: %+v", q)
		}
	})
}
