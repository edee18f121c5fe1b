package fleet

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

// countScript increments a counter that expires once nothing was counted for a
// window. At the maximum it returns the milliseconds until the counter expires.
var countScript = rueidis.NewLuaScript(`
local n = tonumber(redis.call('GET', KEYS[1]) or 0)
if n >= tonumber(ARGV[1]) then
	return math.max(redis.call('PTTL', KEYS[1]), 1)
end
redis.call('SET', KEYS[1], n + 1, 'PX', ARGV[2])
return 0
`)

// Count increments a counter shared by all edges, which expires once nothing was
// counted for a window. At max it counts no further and returns how long to wait
// until it expires. It takes one round trip of at most 25 ms.
func (f *Fleet) Count(ctx context.Context, name string, max int, window time.Duration) (wait time.Duration, err error) {
	milliseconds, err := do(ctx, f.link, f.budgets.command, func(ctx context.Context, c rueidis.Client) (int64, error) {
		return countScript.Exec(ctx, c, []string{countKey(name)},
			[]string{strconv.Itoa(max), strconv.FormatInt(window.Milliseconds(), 10)}).AsInt64()
	})
	return time.Duration(milliseconds) * time.Millisecond, err
}

// Forget deletes a counter. It takes one round trip of at most 25 ms.
func (f *Fleet) Forget(ctx context.Context, name string) error {
	_, err := do(ctx, f.link, f.budgets.command, func(ctx context.Context, c rueidis.Client) (int64, error) {
		return c.Do(ctx, c.B().Del().Key(countKey(name)).Build()).AsInt64()
	})
	return err
}

func countKey(name string) string { return keyPrefix + "count:" + name }
