package blackbox

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/redis"
)

const redisUp = "rodata_redis_up"

// withRedis makes the gateway an edge of a fleet.
func withRedis(server *redis.Server) func(*gateway) {
	return func(g *gateway) { g.app()["redis"] = object{"url": server.URL(), "edges": 3} }
}

// Callers do not notice when Redis hangs, dies and comes back: each gets an answer.
func TestRedisComesAndGoes(t *testing.T) {
	server := redis.Start(t)
	g := start(t, withRedis(server),
		func(g *gateway) { g.app()["anonymous"] = object{"per_second": 1_000_000, "burst": 1_000_000} })
	testkit.Until(t, "Redis is up", func() bool { return g.metric(t, redisUp) == 1 })
	var calls, failures atomic.Int64
	var calling sync.WaitGroup
	stopped := make(chan struct{})
	paths := companies(t)
	for i := range 4 {
		calling.Go(func() {
			for n := i; ; n += 4 {
				select {
				case <-stopped:
					return
				default:
				}

				if g.get(t, paths[n%len(paths)]).StatusCode != http.StatusOK {
					failures.Add(1)
				}

				calls.Add(1)
			}
		})
	}
	// After a failure, Redis is not contacted for 5 s.
	pass := func() { <-time.After(time.Second / 2) }
	pass()
	server.Stall()
	testkit.Until(t, "Redis is down", func() bool { return g.metric(t, redisUp) == 0 })
	pass()
	server.Resume()
	testkit.Until(t, "Redis is up", func() bool { return g.metric(t, redisUp) == 1 })
	server.Kill()
	testkit.Until(t, "Redis is down", func() bool { return g.metric(t, redisUp) == 0 })
	pass()
	server.Restart()
	testkit.Until(t, "Redis is up", func() bool { return g.metric(t, redisUp) == 1 })
	close(stopped)
	calling.Wait()
	t.Logf("%d calls", calls.Load())
	if n := failures.Load(); n > 0 {
		t.Errorf("%d of %d calls fail", n, calls.Load())
	}
}
