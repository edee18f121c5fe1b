package anaf

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/rodata/rodata/api"
)

// Record is one of the tax authority's records as it was sent: a JSON object, kept
// compressed, from which a profile or a statement is derived. It is immutable.
type Record struct {
	packed  []byte
	company *api.Company // instead, for a record that was not kept
	// read is the record as it was read when it was sent, until a profile is derived.
	read atomic.Pointer[taxpayer]
	// fingerprint is set for a record that was just sent, while its text is at hand.
	fingerprint *[16]byte
}

// NewRecord keeps a record that was sent.
func NewRecord(raw []byte) *Record { return &Record{packed: pack(raw)} }

// RecordOf is the record of a company of which only the profile is known: versions until
// November 2026 stored no more. It counts as outdated.
func RecordOf(c *api.Company) *Record { return &Record{company: c} }

// Packed is the record in the form in which it is stored; nil when only the profile is known.
func (r *Record) Packed() []byte { return r.packed }

// PackedRecord is the record that was stored in the form of Packed.
func PackedRecord(packed []byte) *Record { return &Record{packed: packed} }

var errNoRecord = errors.New("only the profile of the company is known, not its record")

// Raw returns the record byte for byte.
func (r *Record) Raw() ([]byte, error) {
	if r.company != nil {
		return nil, errNoRecord
	}
	return unpack(r.packed)
}

// Company derives the profile of a company. The resolver finds places in the nomenclature;
// without one an address keeps the name that the tax authority gives, and has no SIRUTA
// code.
func (r *Record) Company(resolve Resolver) (*api.Company, error) {
	if r.company != nil {
		c := *r.company
		return &c, nil
	}

	t := r.read.Swap(nil)
	if t == nil {
		raw, err := r.Raw()
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, fmt.Errorf("reading a record: %w", err)
		}
	}
	if t == nil {
		return nil, errPacking
	}

	c, err := t.company(resolve)
	if err != nil {
		return nil, err
	}
	c.Record = r
	return c, nil
}

// Outdated reports that the record was not kept, so that a cache refreshes it.
func (r *Record) Outdated() bool { return r.company != nil }

// Size estimates the memory of the record and of a profile derived from it, encoded.
func (r *Record) Size() int64 {
	if r.company != nil {
		return 2 * usualRecord
	}
	length, _ := binary.Uvarint(r.packed[min(1, len(r.packed)):])
	return int64(len(r.packed)) + 2*int64(min(length, maxRecord))
}

// MarshalJSON writes the compressed record as text, and the profile of a record that was
// not kept as the object that it was.
func (r *Record) MarshalJSON() ([]byte, error) {
	if r.company != nil {
		return json.Marshal(r.company)
	}
	return json.Marshal(r.packed)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Record) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("{")) {
		return json.Unmarshal(text, &r.company)
	}
	return json.Unmarshal(text, &r.packed)
}

const (
	usualRecord = 2500 // bytes
	maxRecord   = 1 << 20
	// packing is the version of the form of packed records, and of the dictionary.
	packing = 1
)

// dictionary is what records have in common. Stored records cannot be read without the one
// that they were packed with: a change needs a new version of the packing, beside this one.
//
//go:embed record.dict
var dictionary []byte

var (
	packers   = sync.Pool{New: func() any { return newPacker() }}
	unpackers = sync.Pool{New: func() any { return flate.NewReaderDict(nil, dictionary) }}
)

func newPacker() *flate.Writer {
	w, err := flate.NewWriterDict(io.Discard, flate.BestCompression, dictionary)
	if err != nil { // for a level that does not exist
		panic(err)
	}
	return w
}

// pack compresses a record: the version of the packing, the length, and the compressed
// text.
func pack(raw []byte) []byte {
	packed := bytes.NewBuffer(binary.AppendUvarint([]byte{packing}, uint64(len(raw))))
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(packed)
	_, err := w.Write(raw)
	if err := errors.Join(err, w.Close()); err != nil { // memory does not fail to be written to
		panic(err)
	}

	return bytes.Clone(packed.Bytes())
}

var errPacking = errors.New("a stored record is damaged, or of another version")

func unpack(packed []byte) ([]byte, error) {
	if len(packed) == 0 || packed[0] != packing {
		return nil, errPacking
	}
	length, n := binary.Uvarint(packed[1:])
	if n <= 0 || length > maxRecord {
		return nil, errPacking
	}

	r := unpackers.Get().(io.ReadCloser)
	defer unpackers.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(packed[1+n:]), dictionary); err != nil {
		return nil, fmt.Errorf("%w: %w", errPacking, err)
	}

	raw := make([]byte, length)
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, fmt.Errorf("%w: %w", errPacking, err)
	}
	return raw, nil
}
