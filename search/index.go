package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sort"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/mmap-go"
	"github.com/blevesearch/vellum"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
)

// Index is an open segment. It is safe for concurrent use.
type Index struct {
	manifest manifest
	maps     []mmap.MMap
	// The mapped files.
	records, offsets, postings []byte
	lexicon                    *vellum.FST
	dates, taxOrder            order
	taxIDs, numbers, joined    lookup
	// The set of all docs, of firms in operation, and of firms without a tax id.
	everything, operating, withoutTaxID *roaring.Bitmap
	// slots is a semaphore that limits concurrent searches to the number of processors: more would only slow all of
	// them down.
	slots chan struct{}
	dense sync.Pool // of *[]uint64: inorder.go
}

// Open opens the segment in a directory. It takes milliseconds regardless of the size: files are mapped, and only their
// ends are checked for damage.
func Open(dir string) (*Index, error) {
	x := &Index{slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	if err := x.open(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the index in %s: %w", dir, err), x.Close())
	}
	return x, nil
}

func (x *Index) open(dir string) (err error) {
	defer recoverDamage(&err, "reading the lexicon")
	if x.manifest, err = readManifest(dir); err != nil {
		return err
	}

	var lexicon, dates, taxOrder []byte
	for name, data := range map[string]*[]byte{
		recordsFile: &x.records, offsetsFile: &x.offsets, lexiconFile: &lexicon, postingsFile: &x.postings,
		datesFile: &dates, taxOrderFile: &taxOrder,
		taxIDsFile: (*[]byte)(&x.taxIDs), numbersFile: (*[]byte)(&x.numbers), joinedFile: (*[]byte)(&x.joined),
	} {
		m, err := x.manifest.mapFile(dir, name)
		if err != nil {
			return err
		}
		if m != nil {
			x.maps = append(x.maps, m)
		}

		*data = m
	}

	n := x.Len()
	if len(x.offsets) != 8*(n+1) {
		return fmt.Errorf("%s has %d bytes for %d firms", offsetsFile, len(x.offsets), n)
	}
	if x.dates, err = readOrder(dates, n); err != nil {
		return fmt.Errorf("reading %s: %w", datesFile, err)
	}
	if x.taxOrder, err = readOrder(taxOrder, n); err != nil {
		return fmt.Errorf("reading %s: %w", taxOrderFile, err)
	}
	if x.lexicon, err = vellum.Load(lexicon); err != nil {
		return fmt.Errorf("reading the lexicon: %w", err)
	}

	x.everything = span(0, n)
	x.withoutTaxID = x.taxOrder.withoutKey()
	x.dense.New = func() any { words := make([]uint64, n/64+1); return &words }
	x.operating = x.docs(operating)
	return nil
}

// Close unmaps the files. No method may be running or be called afterwards.
func (x *Index) Close() error {
	var err error
	for _, m := range x.maps {
		err = errors.Join(err, m.Unmap())
	}

	x.maps = nil
	return err
}

// Release returns the day of the register's release.
func (x *Index) Release() ro.Date { return x.manifest.Release }

// Len returns the number of firms.
func (x *Index) Len() int { return x.manifest.Firms }

// ByTaxID returns the firms with a tax id: those in operation first, then the newest.
func (x *Index) ByTaxID(id ro.CUI) []Firm { return x.firms(x.taxIDs, uint64(id)) }

// ByNumber returns the firms with a trade register number, in any format: those in operation first, then the newest.
func (x *Index) ByNumber(number tradenumber.Number) []Firm { return x.firms(x.numbers, number.Key()) }

func (x *Index) firms(by lookup, key uint64) (all []Firm) {
	for doc := range by.docs(key) {
		all = append(all, x.At(doc))
	}

	slices.SortStableFunc(all, func(a, b Firm) int {
		if operates := a.State == company.InOperation; operates != (b.State == company.InOperation) {
			if operates {
				return -1
			}
			return 1
		}

		return cmp.Compare(b.Registered, a.Registered)
	})

	return all
}

// At returns a firm by its doc, from 0 to Len()-1.
func (x *Index) At(doc uint32) Firm {
	f, _ := readRecord(x.record(doc))
	return f
}

// WithTaxID iterates over the docs of the firms with a tax id.
func (x *Index) WithTaxID(id ro.CUI) iter.Seq[uint32] { return x.taxIDs.docs(uint64(id)) }

// WithNumber iterates over the docs of the firms with a trade register number, in any format.
func (x *Index) WithNumber(number tradenumber.Number) iter.Seq[uint32] {
	return x.numbers.docs(number.Key())
}

func (x *Index) record(doc uint32) []byte {
	offset := x.offsets[8*int(doc):]
	return x.records[binary.LittleEndian.Uint64(offset):binary.LittleEndian.Uint64(offset[8:])]
}

// firstKey returns the first doc with a key that is not less than a key, or the number of docs if there is none.
func (x *Index) firstKey(key string) int {
	return sort.Search(x.Len(), func(i int) bool {
		return bytes.Compare(recordKey(x.record(uint32(i))), []byte(key)) >= 0
	})
}

// withKey returns the docs with a key.
func (x *Index) withKey(key string) *roaring.Bitmap {
	return span(x.firstKey(key), x.firstKey(key+"\x00"))
}

// withKeyPrefix returns the docs with a key that begins with a prefix.
func (x *Index) withKeyPrefix(prefix string) *roaring.Bitmap {
	return span(x.firstKey(prefix), x.firstKey(prefix+"\xff")) // no byte of UTF-8 is 255
}

// span returns the set of docs in [from, before).
func span(from, before int) *roaring.Bitmap {
	set := roaring.New()
	set.AddRange(uint64(from), uint64(before))
	return set
}
