package index

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rodata/rodata/api"
)

// An order is a file that puts all docs in another order than that of names: how
// many of them have what they are ordered by, 4 bytes; the docs in that order, those
// that lack it last; and for each doc its place. All numbers have 4 bytes.
type order struct {
	known        int
	docs, places []byte
	// turned is how many places, from the first on, are in the opposite order: none
	// or those known. Docs that lack what they are ordered by stay last.
	turned int
}

func readOrder(file []byte, n int) (order, error) {
	if len(file) != 4+8*n {
		return order{}, fmt.Errorf("an order of %d firms has %d bytes", n, len(file))
	}
	return order{known: int(binary.LittleEndian.Uint32(file)), docs: file[4 : 4+4*n], places: file[4+4*n:]}, nil
}

// inDirection is the order, or the opposite one.
func (o order) inDirection(direction api.SortDirection) order {
	if direction == "desc" {
		o.turned = o.known
	}
	return o
}

func (o order) len() int { return len(o.docs) / 4 }

// doc is the doc at a place.
func (o order) doc(place int) uint32 {
	return binary.LittleEndian.Uint32(o.docs[4*o.turn(place):])
}

// place is the place of a doc.
func (o order) place(doc uint32) int {
	return o.turn(int(binary.LittleEndian.Uint32(o.places[4*int(doc):])))
}

func (o order) turn(place int) int {
	if place < o.turned {
		return o.turned - 1 - place
	}
	return place
}

// lacking is the set of the docs without what the others are ordered by.
func (o order) lacking() *roaring.Bitmap {
	set := roaring.New()
	for place := o.known; place < o.len(); place++ {
		set.Add(o.doc(place))
	}
	return set
}

const nowhere = ^uint32(0)

// writeOrder writes the order of n docs, of which the sorted pairs are those that
// have what they are ordered by.
func writeOrder(out *output, pairs []pair, n int) error {
	docs, places := make([]uint32, 0, n), make([]uint32, n)
	for doc := range places {
		places[doc] = nowhere
	}

	for _, p := range pairs {
		places[p.doc] = uint32(len(docs))
		docs = append(docs, p.doc)
	}

	for doc, place := range places {
		if place == nowhere {
			places[doc] = uint32(len(docs))
			docs = append(docs, uint32(doc))
		}
	}

	return errors.Join(binary.Write(out, binary.LittleEndian, uint32(len(pairs))),
		binary.Write(out, binary.LittleEndian, docs), binary.Write(out, binary.LittleEndian, places))
}
