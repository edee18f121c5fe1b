package metering

import (
	"hash/maphash"
	"sync"
	"time"
)

// addressTable holds the buckets of addresses in constant memory: sets of eight
// slots each, of which a hash that nobody outside can foresee gives an address
// one. When the eight are taken, the bucket that would be full first gives way:
// a caller that is being limited owes more than the addresses of a flood do, and
// outlasts the flood. Two addresses that happen to be taken for one another,
// about one in 500 million pairs of a set, share a bucket.
type addressTable struct {
	seed   maphash.Seed
	start  time.Time // of the clock that slots are kept by
	sets   uint64    // in a shard
	shards [addressShards]addressShard
}

// addressShard is a part of the table, with a lock of its own. Its slots are made
// when the first address comes.
type addressShard struct {
	mu    sync.Mutex
	slots []slot
	used  int
	_     [24]byte // so that neighbours are not in one cache line
}

const (
	addressSlots  = 1 << 20 // 24 MiB
	addressShards = 256
	ways          = 8

	// siteFactor is how many times the rate of a caller its whole site may have.
	siteFactor = 16
)

// newAddressTable makes a table of so many slots, a power of two from 2048 on.
func newAddressTable(slots int) *addressTable {
	return &addressTable{seed: maphash.MakeSeed(), start: time.Now(), sets: uint64(slots / addressShards / ways)}
}

// take takes cost tokens from the bucket of a caller and from that of its site,
// or from neither.
func (t *addressTable) take(now time.Time, id *BucketID, r Rate, cost uint32) Allowance {
	at := int64(now.Sub(t.start))
	a := t.takeOne(at, id, r, cost)
	site, ok := id.site()
	if !ok || !a.OK {
		return a
	}
	s := t.takeOne(at, &site, r.ofSite(), cost)
	if !s.OK {
		t.giveBack(id, cost)
	}
	return Allowance{OK: s.OK, Rate: r, Remaining: min(a.Remaining, s.Remaining), RetryAfter: s.RetryAfter}
}

// ofSite is the rate of a whole site.
func (r Rate) ofSite() Rate { return Rate{r.PerSecond * siteFactor, r.Burst * siteFactor} }

func (t *addressTable) takeOne(now int64, id *BucketID, r Rate, cost uint32) Allowance {
	hash := id.hash(t.seed)
	shard := t.lock(hash)
	defer shard.mu.Unlock()
	if shard.slots == nil {
		shard.slots = make([]slot, t.sets*ways)
	}
	s := t.find(shard, hash)
	if s == nil {
		s = leastOwing(t.set(shard, hash))
		if s.unused() {
			shard.used++
		}
		*s = slot{tag: tag(hash)}
	}
	return s.take(now, r, cost)
}

func (t *addressTable) giveBack(id *BucketID, cost uint32) {
	hash := id.hash(t.seed)
	shard := t.lock(hash)
	defer shard.mu.Unlock()
	if s := t.find(shard, hash); s != nil {
		s.giveBack(cost)
	}
}

// hash is split into the shard (8 bits), the set (the next ones) and the tag (the
// upper 32 bits).
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

func (t *addressTable) lock(hash uint64) *addressShard {
	shard := &t.shards[hash%addressShards]
	shard.mu.Lock()
	return shard
}

func (t *addressTable) set(shard *addressShard, hash uint64) []slot {
	first := hash / addressShards % t.sets * ways
	return shard.slots[first : first+ways]
}

// find is the slot of an address, or nil.
func (t *addressTable) find(shard *addressShard, hash uint64) *slot {
	if shard.slots == nil {
		return nil
	}
	set := t.set(shard, hash)
	for i := range set {
		if set[i].tag == tag(hash) && !set[i].unused() {
			return &set[i]
		}
	}
	return nil
}

// leastOwing is an unused slot, or else the one that is full first.
func leastOwing(set []slot) *slot {
	least, earliest := &set[0], set[0].fullAt()
	for i := range set {
		if at := set[i].fullAt(); at < earliest {
			least, earliest = &set[i], at
		}
	}
	return least
}

func (t *addressTable) len() int {
	n := 0
	for i := range t.shards {
		shard := &t.shards[i]
		shard.mu.Lock()
		n += shard.used
		shard.mu.Unlock()
	}
	return n
}
