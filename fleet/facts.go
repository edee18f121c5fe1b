package fleet

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/rodata/rodata/cache"
)

const (
	// claimTTL is the lifetime of an edge's lock for fetching a key. A fetch that takes longer, or an edge that dies,
	// costs the registry one more request.
	claimTTL = 3 * time.Second
	// tombstoneTTL is the time for which a deleted key rejects values fetched before the deletion, since another edge
	// may be writing one at the same time.
	tombstoneTTL = time.Minute
	// stampSize is the length of the timestamp before each value: the time of the registry's answer, in microseconds of
	// Unix time.
	stampSize = 16
)

// putScript stores a stamped value unless a newer one is stored. It rejects a stamp more than a minute ahead of the
// server's clock: with such clock skew, nothing later could replace it.
var putScript = rueidis.NewLuaScript(`
local stamp = tonumber(string.sub(ARGV[1], 1, 16))
if stamp > redis.call('TIME')[1] * 1000000 + 60000000 then
	return 0
end
local old = redis.call('GETRANGE', KEYS[1], 0, 15)
if old ~= '' and tonumber(old) > stamp then
	return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`)

// releaseScript releases a lock if the caller still holds it.
var releaseScript = rueidis.NewLuaScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('DEL', KEYS[1])
end
return 0
`)

func factKey(key string) string { return keyPrefix + "fact:" + key }

func withStamp(at time.Time, value []byte) string {
	return fmt.Sprintf("%0*d%s", stampSize, max(at.UnixMicro(), 0), value)
}

// Get returns the value of a key, or nil if there is none or the server does not answer within 50 ms.
func (f *Fleet) Get(ctx context.Context, key string) []byte {
	found, err := do(ctx, f.link, f.budgets.value, func(ctx context.Context, c rueidis.Client) ([]byte, error) {
		found, err := c.Do(ctx, c.B().Get().Key(factKey(key)).Build()).AsBytes()
		if rueidis.IsRedisNil(err) {
			return nil, nil
		}
		return found, err
	})
	if err != nil || len(found) <= stampSize { // a tombstone consists of the stamp only
		return nil
	}

	return found[stampSize:]
}

// Put stores a value that expires at keepUntil, unless a value retrieved later is stored. It writes in the background,
// and drops the value if the server is down.
func (f *Fleet) Put(key string, value []byte, retrievedAt, keepUntil time.Time) {
	life := time.Until(keepUntil)
	if life < time.Millisecond || !f.link.up.Load() {
		return
	}

	f.enqueue(func() {
		// The link counts and logs failures.
		_ = f.put(f.ctx, key, withStamp(retrievedAt, value), life)
	})
}

// put stores a stamped value. A rejection by the server, for instance for lack of memory, does not mark the link down.
func (f *Fleet) put(ctx context.Context, key, value string, life time.Duration) error {
	rejection, err := do(ctx, f.link, f.budgets.value,
		func(ctx context.Context, c rueidis.Client) (*rueidis.RedisError, error) {
			err := putScript.Exec(ctx, c, []string{factKey(key)},
				[]string{value, strconv.FormatInt(life.Milliseconds(), 10)}).Error()
			if rejection, ok := rueidis.IsRedisErr(err); ok {
				return rejection, nil
			}
			return nil, err
		})
	if err == nil && rejection != nil {
		f.link.dropped.Add(1)
		err = rejection
	}

	return err
}

// Delete removes the value of a key and leaves a tombstone, so that a value fetched before the deletion cannot
// reappear.
func (f *Fleet) Delete(ctx context.Context, key string) error {
	return f.put(ctx, key, withStamp(time.Now(), nil), tombstoneTTL)
}

// Claim acquires the lock for fetching a key. The lock ends with release, or expires after 3 s. While the server is
// down, every edge gets it. Release must be called if the lock was acquired; it takes effect after earlier Puts.
func (f *Fleet) Claim(ctx context.Context, key string) (release func(), ok bool) {
	token, name := rand.Text(), keyPrefix+"claim:"+key
	granted, err := do(ctx, f.link, f.budgets.command, func(ctx context.Context, c rueidis.Client) (bool, error) {
		err := c.Do(ctx, c.B().Set().Key(name).Value(token).Nx().Px(claimTTL).Build()).Error()
		if rueidis.IsRedisNil(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return func() {}, true
	}
	if !granted {
		return nil, false
	}

	return func() {
		f.enqueue(func() {
			_, _ = f.call(f.ctx, releaseScript, []string{name}, []string{token}, 0) // otherwise the lock expires
		})
	}, true
}

var _ cache.Shared = (*Fleet)(nil)
