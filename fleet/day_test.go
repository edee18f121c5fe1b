package fleet

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit/redis"
)

// A network that uses all edges at once gets exactly its allowance, and returned calls can be used again.
func TestOneDayForAllEdges(t *testing.T) {
	t.Parallel()
	edges := joinThree(t, redis.Start(t).URL(), patient)
	for name, address := range map[string]string{"IPv4": "192.0.2.7", "IPv6": "2001:db8:1:2::1"} {
		id := metering.AddressBucket(netip.MustParseAddr(address))
		id.Account = "companies"
		var given, returned atomic.Int64
		var all sync.WaitGroup
		for _, edge := range edges {
			days := metering.NewFleetDays(edge, metering.NewDays(), len(edges))
			all.Go(func() {
				for i := range 40 {
					q, giveBack := days.Take(t.Context(), id, 1, 50)
					if q.OK && i == 0 {
						giveBack(1)
						returned.Add(1)
					} else if q.OK {
						given.Add(1)
					}
				}
			})
		}

		all.Wait()
		days := metering.NewFleetDays(edges[0], metering.NewDays(), len(edges))
		if q, _ := days.Take(t.Context(), id, 1, 50); given.Load() != 50 || returned.Load() == 0 || q.OK ||
			q.Remaining != 0 {
			t.Errorf("%s: given %d, and then %+v", name, given.Load(), q)
		}
	}
}
