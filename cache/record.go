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

// record is what one level of the cache knows of one key. It never changes
// once it is stored, but for its last three fields.
type record struct {
	kind    string
	key     any    // the caller's key, compared on every read
	text    string // kind:key, the name in the file
	value   any    // of the type of its kind's values; nil when unknown
	unknown bool   // the registry vouches that there is no value
	// elsewhere is true when another process asked the registry for it.
	elsewhere bool

	retrievedAt time.Time
	freshUntil  time.Time
	keepUntil   time.Time // after it, nobody may be served
	cost        int64     // bytes of memory, estimated

	memo  atomic.Pointer[any]
	reads atomic.Int32 // in the last part of its freshness, Kind.Ahead
	tried atomic.Int64 // Unix nanoseconds of the last background refresh
}

// mayReplace reports whether a record may take the place of another in memory:
// a reader must not see a key grow older, unless the other one is not served.
func (r *record) mayReplace(old *record) bool {
	return r.text != old.text || !r.retrievedAt.Before(old.retrievedAt) || old.premature(time.Now())
}

// premature reports whether a record was stored under a clock that was ahead: its
// age is not known.
func (r *record) premature(now time.Time) bool {
	return r.retrievedAt.After(now.Add(clockSlack))
}

// overhead is about what a record takes in memory beside its value.
const overhead = 512

// encodedRecord is the JSON of a record in the file.
type encodedRecord[V any] struct {
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
	errFuture   = errors.New("stored under a clock that was ahead")
)

// encode is the checksum of a record's JSON and that JSON. It sets the record's
// cost: value and memo each take about as much memory as the JSON.
func encode[V any](r *record) ([]byte, error) {
	e := encodedRecord[V]{Key: r.text, Unknown: r.unknown, RetrievedAt: r.retrievedAt, FreshUntil: r.freshUntil, KeepUntil: r.keepUntil}
	if !r.unknown {
		value := r.value.(V)
		e.Value = &value
	}
	text, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", r.text, err)
	}
	if len(text) > maxEntry {
		return nil, fmt.Errorf("encoding %s: %d bytes exceed the %d of an entry", r.text, len(text), maxEntry)
	}
	r.cost = 2*int64(len(text)) + overhead
	return append(binary.BigEndian.AppendUint32(nil, crc32.Checksum(text, castagnoli)), text...), nil
}

// unseal is the JSON behind its checksum.
func unseal(encoded []byte) ([]byte, error) {
	if len(encoded) < 4 || binary.BigEndian.Uint32(encoded) != crc32.Checksum(encoded[4:], castagnoli) {
		return nil, errChecksum
	}
	return encoded[4:], nil
}

// clockSlack is how far a clock may have been set back without what is stored
// losing its worth.
const clockSlack = time.Minute

// decode reads what encode wrote.
func decode[V any](kind string, key any, name string, encoded []byte) (*record, error) {
	text, err := unseal(encoded)
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", name, err)
	}
	var e encodedRecord[V]
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", name, err)
	}
	if e.Key != name {
		return nil, fmt.Errorf("decoding %s: found %s", name, e.Key)
	}
	if e.RetrievedAt.After(time.Now().Add(clockSlack)) {
		return nil, fmt.Errorf("decoding %s: %w", name, errFuture)
	}
	r := &record{kind: kind, key: key, text: name, unknown: e.Unknown,
		retrievedAt: e.RetrievedAt, freshUntil: e.FreshUntil, keepUntil: e.KeepUntil,
		cost: 2*int64(len(text)) + overhead}
	if !e.Unknown {
		var value V
		if e.Value != nil {
			value = *e.Value
		}
		r.value = value
	}
	return r, nil
}
