package fleet

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"
)

// Ration paces the requests of all edges to one registry. Edges that want to send a request queue in FIFO order.
type Ration struct {
	fleet *Fleet
	key   string

	mu   sync.Mutex
	slot int64 // this edge's reserved time, in microseconds; 0 for none
}

// Ration returns the ration of a registry.
func (f *Fleet) Ration(registry string) *Ration {
	return &Ration{fleet: f, key: keyPrefix + "ration:" + registry}
}

// turnScript grants an edge its turn, or reserves a slot. Times are microseconds on the server's clock: next is the
// first free slot, last the time of the last turn, and rest the end of a pause that the registry requested. A slot that
// its edge misses by more than the pace is lost. A late edge delays the ones behind it: two turns are always at least
// the pace apart.
var turnScript = rueidis.NewLuaScript(`
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local pace, slot = tonumber(ARGV[1]), tonumber(ARGV[2])
local state = redis.call('HMGET', KEYS[1], 'next', 'last', 'rest')
local next, last, rest = tonumber(state[1] or 0), tonumber(state[2] or 0), tonumber(state[3] or 0)
if last > now then
	next, last, slot = 0, 0, 0 -- the clock was set back
end
if slot + pace < now then
	slot = math.max(now, next)
	next = slot + pace
end
local start = math.max(slot, rest)
if last > 0 then
	start = math.max(start, last + pace)
end
if start <= now then
	last, next, slot = now, math.max(next, now + pace), 0
end
redis.call('HSET', KEYS[1], 'next', string.format('%.0f', next), 'last', string.format('%.0f', last))
redis.call('PEXPIRE', KEYS[1], math.ceil((math.max(next, rest) - now + pace) / 1000) + 1000)
return {math.max(math.ceil(start - now), 0), string.format('%.0f', slot)}
`)

// restScript records a pause that the registry requested; the longest one counts.
var restScript = rueidis.NewLuaScript(`
local t = redis.call('TIME')
local rest = t[1] * 1000000 + t[2] + ARGV[1]
if rest > tonumber(redis.call('HGET', KEYS[1], 'rest') or 0) then
	redis.call('HSET', KEYS[1], 'rest', string.format('%.0f', rest))
	redis.call('PEXPIRE', KEYS[1], math.ceil(ARGV[1] / 1000) + 1000 + math.max(redis.call('PTTL', KEYS[1]), 0))
end
return 0
`)

// Turn requests this edge's turn to send a request. If wait is 0, the turn is granted. Otherwise the caller must call
// Turn again after wait to keep the reserved slot. Pace is the minimum time between two turns across all edges. Turn
// takes at most 25 ms. An error means that the server is down, and that the edge must fall back to its share of the
// pace.
func (r *Ration) Turn(ctx context.Context, pace time.Duration) (wait time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	args := []string{strconv.FormatInt(pace.Microseconds(), 10), strconv.FormatInt(r.slot, 10)}
	answer, err := r.fleet.call(ctx, turnScript, []string{r.key}, args, 2)
	if err != nil {
		r.slot = 0
		return 0, err
	}

	r.slot = answer[1]
	return time.Duration(answer[0]) * time.Microsecond, nil
}

// Rest makes all edges pause for d, because the registry requested it from one of them.
func (r *Ration) Rest(ctx context.Context, d time.Duration) error {
	_, err := r.fleet.call(ctx, restScript, []string{r.key}, []string{strconv.FormatInt(d.Microseconds(), 10)}, 0)
	return err
}
