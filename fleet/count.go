package fleet

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

// countScript counts that something is done once more, and keeps the count until it
// has rested for a window; when it has been done often enough it says in how many
// milliseconds that will be.
var countScript = rueidis.NewLuaScript(`
local n = tonumber(redis.call('GET', KEYS[1]) or 0)
if n >= tonumber(ARGV[1]) then
	return math.max(redis.call('PTTL', KEYS[1]), 1)
end
redis.call('SET', KEYS[1], n + 1, 'PX', ARGV[2])
return 0
`)

// Count counts that something is done once more on any edge, unless it was done max
// times since it last rested for a window: then wait is how long it must rest. It
// takes one round trip of at most 25 ms.
func (f *Fleet) Count(ctx context.Context, name string, max int, window time.Duration) (wait time.Duration, err error) {
	milliseconds, err := ask(ctx, f.link, f.budgets.question, func(ctx context.Context, c rueidis.Client) (int64, error) {
		return countScript.Exec(ctx, c, []string{keyPrefix + "count:" + name},
			[]string{strconv.Itoa(max), strconv.FormatInt(window.Milliseconds(), 10)}).AsInt64()
	})
	return time.Duration(milliseconds) * time.Millisecond, err
}
