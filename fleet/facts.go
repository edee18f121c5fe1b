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
	// claimFor is how long an edge has the sole right to fetch a fact. One that
	// takes longer, or dies, costs the registry one more request.
	claimFor = 3 * time.Second
	// deletedFor is how long what was fetched before a deletion cannot come back:
	// some edge may just be writing it.
	deletedFor = time.Minute
	// stampSize is the length of what stands before each value: when the registry
	// gave it, in microseconds of Unix time.
	stampSize = 16
)

// putScript stores a stamped value unless a newer one is there, or it comes from
// a clock that is more than a minute ahead, behind which nothing could be stored
// any more.
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

// releaseScript ends a claim that is still one's own.
var releaseScript = rueidis.NewLuaScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('DEL', KEYS[1])
end
return 0
`)

func factKey(key string) string { return keyPrefix + "fact:" + key }

func stamped(at time.Time, value []byte) string {
	return fmt.Sprintf("%0*d%s", stampSize, max(at.UnixMicro(), 0), value)
}

// Get is the value under a key: nil when there is none, and when the server does
// not answer within 50 ms.
func (f *Fleet) Get(ctx context.Context, key string) []byte {
	found, err := ask(ctx, f.link, f.budgets.value, func(ctx context.Context, c rueidis.Client) ([]byte, error) {
		found, err := c.Do(ctx, c.B().Get().Key(factKey(key)).Build()).AsBytes()
		if rueidis.IsRedisNil(err) {
			return nil, nil
		}
		return found, err
	})
	if err != nil || len(found) <= stampSize { // a deletion is a stamp alone
		return nil
	}
	return found[stampSize:]
}

// Put stores a value until an instant, unless there is one that the registry gave
// later. It does so in the background, and not at all while the server is away.
func (f *Fleet) Put(key string, value []byte, retrievedAt, keepUntil time.Time) {
	life := time.Until(keepUntil)
	if life < time.Millisecond || !f.link.up.Load() {
		return
	}
	f.later(func() {
		// A failure is counted and logged by the link.
		_ = f.put(f.ctx, key, stamped(retrievedAt, value), life)
	})
}

// put stores a stamped value. The server may refuse it, say because its memory is
// full: it is of use for other things even so.
func (f *Fleet) put(ctx context.Context, key, value string, life time.Duration) error {
	refusal, err := ask(ctx, f.link, f.budgets.value, func(ctx context.Context, c rueidis.Client) (*rueidis.RedisError, error) {
		err := putScript.Exec(ctx, c, []string{factKey(key)}, []string{value, strconv.FormatInt(life.Milliseconds(), 10)}).Error()
		if refusal, ok := rueidis.IsRedisErr(err); ok {
			return refusal, nil
		}
		return nil, err
	})
	if err == nil && refusal != nil {
		f.link.dropped.Add(1)
		err = refusal
	}
	return err
}

// Delete takes away the value under a key. One that was fetched before does not
// come back.
func (f *Fleet) Delete(ctx context.Context, key string) error {
	return f.put(ctx, key, stamped(time.Now(), nil), deletedFor)
}

// Claim asks for the sole right to fetch a fact, which ends with release, or by
// itself after 3 s. It is granted as well when the server does not answer.
// Release must be called when it is granted; it takes effect after what was Put
// before.
func (f *Fleet) Claim(ctx context.Context, key string) (release func(), ok bool) {
	token, name := rand.Text(), keyPrefix+"claim:"+key
	granted, err := ask(ctx, f.link, f.budgets.question, func(ctx context.Context, c rueidis.Client) (bool, error) {
		err := c.Do(ctx, c.B().Set().Key(name).Value(token).Nx().Px(claimFor).Build()).Error()
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
		f.later(func() {
			_, _ = ask(f.ctx, f.link, f.budgets.question, func(ctx context.Context, c rueidis.Client) (struct{}, error) {
				return struct{}{}, releaseScript.Exec(ctx, c, []string{name}, []string{token}).Error()
			})
		})
	}, true
}

var _ cache.Shared = (*Fleet)(nil)
