package anaf

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
)

// Record is one of the tax authority's records as sent: a JSON object, kept compressed. A profile or a statement is
// derived from it. It is immutable.
type Record struct {
	packed []byte
	// read is the parsed record, kept until a profile is derived.
	read atomic.Pointer[taxpayer]
	// fingerprint is set for a newly received record, while its text is available.
	fingerprint *[16]byte
}

// NewRecord compresses a received record.
func NewRecord(raw []byte) *Record { return &Record{packed: pack(raw)} }

// Packed returns the record in its stored form.
func (r *Record) Packed() []byte { return r.packed }

// PackedRecord returns the record whose stored form is packed. It is the inverse of Packed.
func PackedRecord(packed []byte) *Record { return &Record{packed: packed} }

// Raw returns the record byte for byte.
func (r *Record) Raw() ([]byte, error) { return unpack(r.packed) }

// Company derives the profile of a company. The resolver finds places in the nomenclature. Without a resolver, an
// address has the tax authority's place name and no SIRUTA code.
func (r *Record) Company(resolve Resolver) (*company.Company, error) {
	t, err := r.parse()
	if err != nil {
		return nil, err
	}

	r.read.Store(nil)
	c, err := t.company(resolve, ro.Today())
	if err != nil {
		return nil, err
	}

	c.Record = r
	return c, nil
}

// parse decodes the record, unless that was done when it was received.
func (r *Record) parse() (*taxpayer, error) {
	if t := r.read.Load(); t != nil {
		return t, nil
	}

	raw, err := r.Raw()
	if err != nil {
		return nil, err
	}

	t := new(taxpayer)
	if err := unmarshal(raw, t); err != nil {
		return nil, fmt.Errorf("reading a record: %w", err)
	}

	return t, nil
}

// Size estimates the memory of the record and of a profile derived from it, encoded.
func (r *Record) Size() int64 {
	length, _ := binary.Uvarint(r.packed[min(1, len(r.packed)):])
	return int64(len(r.packed)) + 2*int64(min(length, maxRecord))
}

// MarshalJSON encodes the compressed record as text.
func (r *Record) MarshalJSON() ([]byte, error) { return json.Marshal(r.packed) }

// UnmarshalJSON decodes the output of MarshalJSON.
func (r *Record) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &r.packed) }

const (
	maxRecord = 1 << 20 // bytes
	// packing is the version of the packed form and of the dictionary.
	packing = 1
)

// dictionary is the compression dictionary for records. Stored records can be read only with the dictionary with which
// they were packed, so a change needs an additional packing version.
//
//go:embed record.dict
var dictionary []byte

var (
	packers   = sync.Pool{New: func() any { return newPacker() }}
	unpackers = sync.Pool{New: func() any { return flate.NewReaderDict(nil, dictionary) }}
)

func newPacker() *flate.Writer {
	w, err := flate.NewWriterDict(io.Discard, flate.BestCompression, dictionary)
	if err != nil { // for a nonexistent level
		panic(err)
	}
	return w
}

// pack compresses a record: the version of the packing, the length, and the compressed text.
func pack(raw []byte) []byte {
	packed := bytes.NewBuffer(binary.AppendUvarint([]byte{packing}, uint64(len(raw))))
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(packed)
	_, err := w.Write(raw)
	if err := errors.Join(err, w.Close()); err != nil { // writes to memory do not fail
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

// requestedDay is the member with the day for which a record was requested: date_generale.data.
var requestedDay = regexp.MustCompile(`"data":"\d{4}-\d\d-\d\d",?`)

// Fingerprint identifies the content of a record: half of the SHA-256 of its text. Two records have the same
// fingerprint if they differ only in the requested day or in white space.
func (r *Record) Fingerprint() ([16]byte, error) {
	if r.fingerprint != nil {
		return *r.fingerprint, nil
	}

	raw, err := r.Raw()
	if err != nil {
		return [16]byte{}, err
	}

	return fingerprintOf(raw)
}

func fingerprintOf(raw []byte) ([16]byte, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return [16]byte{}, err
	}

	text := compact.Bytes()
	if at := requestedDay.FindIndex(text); at != nil {
		text = slices.Delete(text, at[0], at[1])
	}

	sum := sha256.Sum256(text)
	return [16]byte(sum[:16]), nil
}

// ErrNoName reports a record without a name.
var ErrNoName = errors.New("it has no name")

// Finding returns what a look at a company found in the record. It is cheap if the record was just received.
func (r *Record) Finding(company ro.CUI, at time.Time) (history.Finding, error) {
	t, err := r.parse()
	if err != nil {
		return history.Finding{}, err
	}

	f := history.Finding{Company: company, At: at, Phone: deref(optional(t.General.Phone))}
	f.NACE, _ = strconv.Atoi(deref(digits(t.General.CAEN, 4)))
	f.Statuses = history.PackStatuses([history.StatusCount]*bool{
		history.VATPayer: t.VAT.Payer.bool, history.VATOnCollection: t.VATOnCollection.Status.bool,
		history.VATSplit: t.SplitVAT.Status.bool, history.Inactive: t.Inactive.Status.bool,
		history.EInvoice: t.General.EInvoice.bool,
	})
	return f, nil
}
