package search

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"io"
	"iter"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
)

// A lookup is a file of ascending keys of 8 bytes, followed by their docs of 4 bytes each. Equal keys are in the order
// of their docs.
type lookup []byte

const pairSize = 8 + 4

func (l lookup) len() int { return len(l) / pairSize }

func (l lookup) key(i int) uint64 { return binary.LittleEndian.Uint64(l[8*i:]) }

func (l lookup) doc(i int) uint32 { return binary.LittleEndian.Uint32(l[8*l.len()+4*i:]) }

// first returns the position of the first key that is not less than a key.
func (l lookup) first(key uint64) int {
	return sort.Search(l.len(), func(i int) bool { return l.key(i) >= key })
}

// docs iterates over the docs of a key.
func (l lookup) docs(key uint64) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := l.first(key); i < l.len() && l.key(i) == key && yield(l.doc(i)); i++ {
		}
	}
}

// set returns the set of the docs of a key.
func (l lookup) set(key uint64) *roaring.Bitmap {
	set := roaring.New()
	for doc := range l.docs(key) {
		set.Add(doc)
	}
	return set
}

// joinedKey returns the key of words joined into one in the lookup of joined words. It is a 64-bit FNV-1a hash: among
// ten million texts, the chance that any two collide is one in 400,000. A complete name has a prefix that words cannot
// have.
func joinedKey(parts ...string) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		h.Write([]byte(part))
	}
	return h.Sum64()
}

const wholeName = "="

// pair is a key and a doc.
type pair struct {
	key uint64
	doc uint32
}

// spool keeps pairs in a temporary file, because there are many and they are needed only at the end.
type spool struct{ *output }

// add adds a pair. The writer keeps its first error for sorted.
func (s spool) add(key uint64, doc uint32) {
	s.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(s.AvailableBuffer(), key), doc))
}

// readSorted reads all pairs, by key and doc.
func (s spool) readSorted() ([]pair, error) {
	if err := s.Flush(); err != nil {
		return nil, err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}

	pairs, r := make([]pair, s.size/pairSize), bufio.NewReaderSize(s.file, 1<<20)
	for i := range pairs {
		var b [pairSize]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, err
		}

		pairs[i] = pair{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint32(b[8:])}
	}

	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.doc, b.doc)) })
	return pairs, nil
}

// writeLookup writes sorted pairs as a lookup.
func writeLookup(out *output, pairs []pair) error {
	for _, p := range pairs {
		if _, err := out.Write(binary.LittleEndian.AppendUint64(out.AvailableBuffer(), p.key)); err != nil {
			return err
		}
	}

	for _, p := range pairs {
		if _, err := out.Write(binary.LittleEndian.AppendUint32(out.AvailableBuffer(), p.doc)); err != nil {
			return err
		}
	}

	return nil
}
