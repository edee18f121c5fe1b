package fleet

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/rodata/rodata/metering"
)

// takeScript takes a token from each of several buckets, or from none, by the
// generic cell rate algorithm (GCRA). A bucket is stored as the time at which it
// will be full again, in microseconds since 2026 on the server's clock (small enough
// for a double to keep fractions), and expires then. A bucket never owes more than
// its burst, so a clock that was set back or a changed rate locks nobody out.
//
// It returns the tokens left in the scarcest bucket, and the microseconds to wait
// when that one is empty.
var takeScript = rueidis.NewLuaScript(`
local t = redis.call('TIME')
local now = (t[1] - 1767225600) * 1000000 + t[2]
local wait, remaining, full = 0, nil, {}
for i, key in ipairs(KEYS) do
	local step = 1000000 / ARGV[2 * i - 1]
	local burst = ARGV[2 * i] * step
	local at = tonumber(redis.call('GET', key) or now)
	at = math.min(math.max(at, now), now + burst)
	full[i] = at + step
	wait = math.max(wait, full[i] - now - burst)
	local left = math.floor((burst - (at - now)) / step + 0.001)
	remaining = math.min(remaining or left, left)
end
if wait > 1 then
	return {math.max(remaining, 0), math.ceil(wait)}
end
for i, key in ipairs(KEYS) do
	redis.call('SET', key, string.format('%.17g', full[i]), 'PX', math.ceil((full[i] - now) / 1000) + 1)
end
return {remaining - 1, 0}
`)

var errUnexpectedReply = errors.New("the reply is not of the script's form")

// Take takes a token from each of several buckets, or from none, in one round trip of
// at most 25 ms. It implements [metering.Remote].
func (f *Fleet) Take(ctx context.Context, buckets []metering.RemoteBucket) (remaining int, retryAfter time.Duration, err error) {
	keys, args := make([]string, 0, len(buckets)), make([]string, 0, 2*len(buckets))
	for _, b := range buckets {
		// The part in braces is the hash tag of Redis Cluster: all keys of a script must
		// be on the same node.
		keys = append(keys, keyPrefix+"rate:{"+buckets[len(buckets)-1].Name+"}:"+b.Name)
		args = append(args, strconv.Itoa(b.Rate.PerSecond), strconv.Itoa(b.Rate.Burst))
	}
	answer, err := do(ctx, f.link, f.budgets.command, func(ctx context.Context, c rueidis.Client) ([]int64, error) {
		answer, err := takeScript.Exec(ctx, c, keys, args).AsIntSlice()
		if err == nil && len(answer) != 2 {
			err = errUnexpectedReply
		}
		return answer, err
	})
	if err != nil {
		return 0, 0, err
	}
	return int(answer[0]), time.Duration(answer[1]) * time.Microsecond, nil
}

var _ metering.Remote = (*Fleet)(nil)
