package fleet

import (
	"testing"

	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/redis"
)

// BenchmarkTake measures the cost of a shared rate limit for a call: one round trip.
func BenchmarkTake(b *testing.B) {
	f := join(b, redis.Start(b).URL(), patient)
	testkit.Until(b, "the edge to reach redis", func() bool { return f.Stats().Up })
	buckets := []metering.RemoteBucket{{Name: "account/1", Rate: metering.PerSecond(1_000_000, 1_000_000)}}
	take := func(b *testing.B) {
		if _, _, err := f.Take(b.Context(), buckets, 1); err != nil {
			b.Error(err)
		}
	}
	b.Run("one caller", func(b *testing.B) {
		for range b.N {
			take(b)
		}
	})
	b.Run("64 callers", func(b *testing.B) {
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				take(b)
			}
		})
	})
	b.Run("away", func(b *testing.B) {
		f.link.fail(errTimeout)
		for range b.N {
			f.Take(b.Context(), buckets, 1)
		}
	})
}
