package index

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rodata/rodata/api"
)

// An order is a file that sorts all docs by a key other than the name. It contains the number of docs that have the
// key, the docs in the order of the key with docs without the key last, and the position of each doc. All numbers have
// 4 bytes.
type order struct {
	known        int
	docs, places []byte
	// turned is the number of positions at the beginning that are reversed. It is 0, or the number of docs with a key
	// if the order is reversed: docs without a key stay last.
	turned int
}

func readOrder(file []byte, n int) (order, error) {
	if len(file) != 4+8*n {
		return order{}, fmt.Errorf("an order of %d firms has %d bytes", n, len(file))
	}
	return order{known: int(binary.LittleEndian.Uint32(file)), docs: file[4 : 4+4*n], places: file[4+4*n:]}, nil
}

// inDirection returns the order, or its reverse.
func (o order) inDirection(direction api.SortDirection) order {
	if direction == "desc" {
		o.turned = o.known
	}
	return o
}

func (o order) len() int { return len(o.docs) / 4 }

// doc returns the doc at a position.
func (o order) doc(place int) uint32 {
	return binary.LittleEndian.Uint32(o.docs[4*o.turn(place):])
}

// place returns the position of a doc.
func (o order) place(doc uint32) int {
	return o.turn(int(binary.LittleEndian.Uint32(o.places[4*int(doc):])))
}

func (o order) turn(place int) int {
	if place < o.turned {
		return o.turned - 1 - place
	}
	return place
}

// lacking returns the docs without a sort key.
func (o order) lacking() *roaring.Bitmap {
	set := roaring.New()
	for place := o.known; place < o.len(); place++ {
		set.Add(o.doc(place))
	}
	return set
}

const nowhere = ^uint32(0)

// writeOrder writes the order of n docs. pairs are the docs that have a sort key, sorted by it.
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
