package metering

import (
	"hash/maphash"
	"sync"
)

// networkTable holds the slots of networks in constant memory. A keyed hash of the network selects a set of eight
// slots. When a set is full, the slot that is closest to full is evicted. A limited caller owes more than the addresses
// of a flood do, so its slot stays. Two networks of a set share a slot if their tags are equal, which happens to about
// one pair in 500 million.
type networkTable struct {
	seed   maphash.Seed
	clock  func() int64
	sets   uint64 // in a shard
	shards [networkShards]networkShard
}

// networkShard is a part of the table with a separate lock. Its slots are allocated on first use.
type networkShard struct {
	mu    sync.Mutex
	slots []slot
	used  int
	_     [24]byte // prevents false sharing of cache lines
}

const (
	networkSlots  = 1 << 20 // 32 MiB
	networkShards = 256
	ways          = 8
)

// newNetworkTable returns a table with a number of slots, a power of two from 2048 on.
func newNetworkTable(slots int, clock func() int64) *networkTable {
	return &networkTable{seed: maphash.MakeSeed(), clock: clock, sets: uint64(slots / networkShards / ways)}
}

// take takes cost tokens from the buckets of a network and of its site, or from neither.
func (t *networkTable) take(now int64, id *BucketID, r Rate, cost uint32) Allowance {
	a := t.takeOne(now, id, r, cost)
	site, ok := id.Site()
	if !ok || !a.OK {
		return a
	}

	s := t.takeOne(now, &site, r.ofSite(), cost)
	if !s.OK {
		t.giveBack(id, cost)
	}

	return Allowance{OK: s.OK, Rate: r, Remaining: min(a.Remaining, s.Remaining), RetryAfter: s.RetryAfter}
}

func (t *networkTable) takeOne(now int64, id *BucketID, r Rate, cost uint32) Allowance {
	hash := id.hash(t.seed)
	shard := t.lock(hash)
	defer shard.mu.Unlock()
	if shard.slots == nil {
		shard.slots = make([]slot, t.sets*ways)
	}

	s := t.find(shard, hash)
	if s == nil {
		s = leastOwing(t.set(shard, hash))
		if s.isUnused() {
			shard.used++
		}

		*s = slot{tag: tag(hash)}
	}

	a := s.take(now, r, cost)
	if !a.OK {
		// The caller read the clock before it had the lock. Other callers may have taken tokens at a later time since
		// then.
		a = s.take(max(now, t.clock()), r, cost)
	}

	return a
}

func (t *networkTable) giveBack(id *BucketID, cost uint32) {
	hash := id.hash(t.seed)
	shard := t.lock(hash)
	defer shard.mu.Unlock()
	if s := t.find(shard, hash); s != nil {
		s.giveBack(cost)
	}
}

func (t *networkTable) forget(id *BucketID) {
	hash := id.hash(t.seed)
	shard := t.lock(hash)
	defer shard.mu.Unlock()
	if s := t.find(shard, hash); s != nil {
		*s = slot{}
		shard.used--
	}
}

// hash returns a hash of the network. Its low 8 bits select the shard, the next ones the set, and its upper 32 bits are
// the tag.
func (id *BucketID) hash(seed maphash.Seed) uint64 {
	var network [17]byte
	if id.Network.IsValid() {
		address := id.Network.Addr().As16()
		copy(network[:], address[:])
		network[16] = byte(id.Network.Bits())
	}

	hash := maphash.Bytes(seed, network[:])
	if id.Account != "" {
		hash ^= maphash.String(seed, id.Account)
	}

	return hash
}

func tag(hash uint64) uint32 { return uint32(hash >> 32) }

func (t *networkTable) lock(hash uint64) *networkShard {
	shard := &t.shards[hash%networkShards]
	shard.mu.Lock()
	return shard
}

func (t *networkTable) set(shard *networkShard, hash uint64) []slot {
	first := hash / networkShards % t.sets * ways
	return shard.slots[first : first+ways]
}

func (t *networkTable) find(shard *networkShard, hash uint64) *slot {
	if shard.slots == nil {
		return nil
	}

	set := t.set(shard, hash)
	for i := range set {
		if set[i].tag == tag(hash) && !set[i].isUnused() {
			return &set[i]
		}
	}

	return nil
}

// leastOwing returns an unused slot, or else the slot that will be full first.
func leastOwing(set []slot) *slot {
	least, earliest := &set[0], set[0].fullAt()
	for i := range set {
		if at := set[i].fullAt(); at < earliest {
			least, earliest = &set[i], at
		}
	}

	return least
}

func (t *networkTable) len() int {
	n := 0
	for i := range t.shards {
		shard := &t.shards[i]
		shard.mu.Lock()
		n += shard.used
		shard.mu.Unlock()
	}

	return n
}
