package cache

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"sync/atomic"
	"time"
)

// entry is what the cache stores for a key. It is immutable once stored, except for its last three fields.
type entry struct {
	kind    string
	key     any    // the caller's key, compared on every read
	name    string // kind:key, its name in the file
	value   any    // of the type of its kind's values; nil if unknown
	unknown bool   // the registry verifiably does not know the key
	// elsewhere is true if another process fetched it.
	elsewhere bool

	retrievedAt time.Time
	freshUntil  time.Time
	keepUntil   time.Time // not served after it
	cost        int64     // estimated memory, in bytes

	memo  atomic.Pointer[any]
	reads atomic.Int32 // within Kind.Ahead of freshUntil
	tried atomic.Int64 // Unix nanoseconds of the last refresh attempt
}

// mayReplace reports whether e may replace old. Readers must never see a key's entry get older. An entry stored with
// clock skew is an exception: it is never served, so an older one may replace it.
func (e *entry) mayReplace(old *entry) bool {
	return e.name != old.name || !e.retrievedAt.Before(old.retrievedAt) || old.isSkewed(time.Now())
}

// isSkewed reports whether an entry was stored with clock skew. Its age is then unreliable, so it is treated as a miss.
func (e *entry) isSkewed(now time.Time) bool {
	return e.retrievedAt.After(now.Add(maxClockSkew))
}

// Sized is implemented by values that estimate their own memory. Size includes the memo and is in bytes. For any other
// value, the cache assumes that the value and its memo each take as much memory as the value's JSON.
type Sized interface{ Size() int64 }

// Lasting is implemented by values that determine their own lifetime, which replaces their kind's.
type Lasting interface{ Lasts() time.Duration }

// weigh sets the cost of an entry, given the encoded size of its value.
func (e *entry) weigh(encoded int) {
	e.cost = 2*int64(encoded) + overhead
	if s, ok := e.value.(Sized); ok {
		e.cost = s.Size() + overhead
	}
}

// maxClockSkew is the tolerated clock skew.
const maxClockSkew = time.Minute

// overhead is the estimated memory of an entry besides its value.
const overhead = 512

// encodedEntry is the JSON form of an entry in the file.
type encodedEntry[V any] struct {
	Key         string    `json:"key"`
	Value       *V        `json:"value,omitempty"`
	Unknown     bool      `json:"unknown,omitempty"`
	RetrievedAt time.Time `json:"retrievedAt"`
	FreshUntil  time.Time `json:"freshUntil"`
	KeepUntil   time.Time `json:"keepUntil"`
}

var (
	castagnoli  = crc32.MakeTable(crc32.Castagnoli)
	errChecksum = errors.New("checksum does not match")
	errSkewed   = errors.New("stored with clock skew")
)

// encode returns an entry's JSON after its checksum. It also sets the entry's cost.
func encode[V any](e *entry) ([]byte, error) {
	j := encodedEntry[V]{Key: e.name, Unknown: e.unknown, RetrievedAt: e.retrievedAt, FreshUntil: e.freshUntil,
		KeepUntil: e.keepUntil}
	if !e.unknown {
		value := e.value.(V)
		j.Value = &value
	}

	text, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", e.name, err)
	}
	if len(text) > maxEntry {
		return nil, fmt.Errorf("encoding %s: %d bytes exceed the %d of an entry", e.name, len(text), maxEntry)
	}

	e.weigh(len(text))
	return append(binary.BigEndian.AppendUint32(nil, crc32.Checksum(text, castagnoli)), text...), nil
}

// unseal verifies the checksum and returns the JSON after it.
func unseal(encoded []byte) ([]byte, error) {
	if len(encoded) < 4 || binary.BigEndian.Uint32(encoded) != crc32.Checksum(encoded[4:], castagnoli) {
		return nil, errChecksum
	}
	return encoded[4:], nil
}

// decode parses the output of encode.
func decode[V any](kind string, key any, name string, encoded []byte) (*entry, error) {
	text, err := unseal(encoded)
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", name, err)
	}

	var j encodedEntry[V]
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", name, err)
	}
	if j.Key != name {
		return nil, fmt.Errorf("decoding %s: found %s", name, j.Key)
	}
	if j.RetrievedAt.After(time.Now().Add(maxClockSkew)) {
		return nil, fmt.Errorf("decoding %s: %w", name, errSkewed)
	}

	e := &entry{kind: kind, key: key, name: name, unknown: j.Unknown,
		retrievedAt: j.RetrievedAt, freshUntil: j.FreshUntil, keepUntil: j.KeepUntil}
	if !j.Unknown {
		var value V
		if j.Value != nil {
			value = *j.Value
		}

		e.value = value
	}

	e.weigh(len(text))
	return e, nil
}
