package metering

import (
	"hash/maphash"
	"sync"
	"time"
)

// accountTable holds the slots of accounts, which are never evicted while anything is
// owed. Its shards keep callers from waiting for one another.
type accountTable struct {
	seed   maphash.Seed
	shards *[64]accountShard
}

type accountShard struct {
	mu    sync.Mutex
	slots map[string]*slot
	swept int64
}

// sweepEvery is the minimum time between two sweeps of a shard, which newcomers
// trigger.
const sweepEvery = int64(10 * time.Second)

func newAccountTable() accountTable {
	t := accountTable{seed: maphash.MakeSeed(), shards: new([64]accountShard)}
	for i := range t.shards {
		t.shards[i].slots = make(map[string]*slot)
	}
	return t
}

// take takes cost tokens from the bucket of an account.
func (t *accountTable) take(now int64, account string, r Rate, cost uint32) Allowance {
	shard := t.lock(account)
	defer shard.mu.Unlock()
	s := shard.slots[account]
	if s == nil {
		shard.sweep(now)
		s = new(slot)
		shard.slots[account] = s
	}
	return s.take(now, r, cost)
}

func (t *accountTable) forget(account string) {
	shard := t.lock(account)
	defer shard.mu.Unlock()
	delete(shard.slots, account)
}

func (t *accountTable) lock(account string) *accountShard {
	shard := &t.shards[maphash.String(t.seed, account)%uint64(len(t.shards))]
	shard.mu.Lock()
	return shard
}

// sweep forgets the slots that owe nothing, unless it did so recently.
func (s *accountShard) sweep(now int64) {
	if now-s.swept < sweepEvery {
		return
	}
	s.swept = now
	for account, slot := range s.slots {
		if slot.fullAt() <= now {
			delete(s.slots, account)
		}
	}
}

func (t *accountTable) len() int {
	n := 0
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += len(s.slots)
		s.mu.Unlock()
	}
	return n
}
