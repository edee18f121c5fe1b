package fleet

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/rodata/rodata/metering"
)

// takeScript takes tokens from each of several buckets, or from none. A token bucket (GCRA) is stored as the time at
// which it will be full again, in microseconds since 2026 on the server's clock (small enough for a double to keep
// fractions), and expires then. It never owes more than its burst, so a clock set back or a changed rate does not lock
// anyone out. A window, which has no burst, is stored as a count that expires after a quiet period of its length.
//
// It returns the remaining tokens in the scarcest bucket, and the microseconds to wait if it has too few.
var takeScript = rueidis.NewLuaScript(`
local t = redis.call('TIME')
local now = (t[1] - 1767225600) * 1000000 + t[2]
local wait, remaining, value, expiry, cost = 0, nil, {}, {}, tonumber(ARGV[#ARGV])
for i, key in ipairs(KEYS) do
	local n, per, burst = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
	local stored, left = tonumber(redis.call('GET', key) or ''), nil
	if burst == 0 then
		stored = stored or 0
		left = n - stored
		if left < cost then
			wait = math.max(wait, 1000 * redis.call('PTTL', key), 1000)
		end
		value[i], expiry[i] = stored + cost, per / 1000
	else
		local step = per / n
		local at = math.min(math.max(stored or now, now), now + burst * step)
		left = math.floor((burst * step - (at - now)) / step + 0.001)
		wait = math.max(wait, at + cost * step - now - burst * step)
		value[i], expiry[i] = string.format('%.17g', at + cost * step), math.ceil((at + cost * step - now) / 1000) + 1
	end
	remaining = math.min(remaining or left, left)
end
if wait > 1 then
	return {math.max(remaining, 0), math.ceil(wait)}
end
for i, key in ipairs(KEYS) do
	redis.call('SET', key, value[i], 'PX', expiry[i])
end
return {remaining - cost, 0}
`)

// Take implements [metering.Remote], in one round trip of at most 25 ms.
func (f *Fleet) Take(ctx context.Context, buckets []metering.RemoteBucket,
	tokens int) (remaining int, retryAfter time.Duration, err error) {
	args := make([]string, 0, 3*len(buckets)+1)
	for _, b := range buckets {
		args = append(args, strconv.Itoa(b.Rate.N), strconv.FormatInt(b.Rate.Per.Microseconds(), 10),
			strconv.Itoa(b.Rate.Burst))
	}

	args = append(args, strconv.Itoa(tokens))

	answer, err := f.call(ctx, takeScript, bucketKeys(buckets), args, 2)
	if err != nil {
		return 0, 0, err
	}

	return int(answer[0]), time.Duration(answer[1]) * time.Microsecond, nil
}

// Forget implements [metering.Remote], in one round trip of at most 25 ms.
func (f *Fleet) Forget(ctx context.Context, buckets []metering.RemoteBucket) error {
	_, err := do(ctx, f.link, f.budgets.command, func(ctx context.Context, c rueidis.Client) (int64, error) {
		return c.Do(ctx, c.B().Del().Key(bucketKeys(buckets)...).Build()).AsInt64()
	})
	return err
}

// bucketKeys returns the keys of buckets that are used together. The part in braces is the hash tag of Redis Cluster:
// all keys of a script must be on the same node.
func bucketKeys(buckets []metering.RemoteBucket) []string {
	keys := make([]string, 0, len(buckets))
	for _, b := range buckets {
		keys = append(keys, keyPrefix+"rate:{"+buckets[len(buckets)-1].Name+"}:"+b.Name)
	}
	return keys
}

var _ metering.Remote = (*Fleet)(nil)
