package search

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rodata/rodata/api/company"
)

// An order sorts docs by a key other than the name. It is a file that contains the number of docs that have the key,
// all docs in the order of the key with docs without the key last, and the position of each doc. All numbers have 4
// bytes. An order of figures (figures.go) is in memory instead: it contains only docs with the key, and its positions
// are by the rank of a doc among the docs with a statement.
type order struct {
	known           int
	docs, positions []byte
	// reversed is the number of positions, from the beginning, that are in reverse: 0, or all positions of docs with a
	// key. Docs without a key always stay last.
	reversed int
	rows     *ranks // nil for the order of all docs
}

func readOrder(file []byte, n int) (order, error) {
	if len(file) != 4+8*n {
		return order{}, fmt.Errorf("an order of %d firms has %d bytes", n, len(file))
	}
	return order{known: int(binary.LittleEndian.Uint32(file)), docs: file[4 : 4+4*n], positions: file[4+4*n:]}, nil
}

// inDirection returns the order, or its reverse for "desc".
func (o *order) inDirection(direction company.SortDirection) *order {
	directed := *o
	if direction == "desc" {
		directed.reversed = o.known
	}
	return &directed
}

func (o *order) len() int { return len(o.docs) / 4 }

// doc returns the doc at a position.
func (o *order) doc(position int) uint32 {
	return binary.LittleEndian.Uint32(o.docs[4*o.fileOrder(position):])
}

// position returns the position of a doc.
func (o *order) position(doc uint32) int {
	row := int(doc)
	if o.rows != nil {
		row = o.rows.of(doc)
	}
	return o.fileOrder(int(binary.LittleEndian.Uint32(o.positions[4*row:])))
}

// fileOrder converts a position in the order to the position in the file, and vice versa.
func (o *order) fileOrder(position int) int {
	if position < o.reversed {
		return o.reversed - 1 - position
	}
	return position
}

// withoutKey returns the docs without a sort key.
func (o *order) withoutKey() *roaring.Bitmap {
	set := roaring.New()
	for position := o.known; position < o.len(); position++ {
		set.Add(o.doc(position))
	}
	return set
}

const nowhere = ^uint32(0)

// writeOrder writes the order of n docs. pairs are the docs that have a sort key, sorted by it.
func writeOrder(out *output, pairs []pair, n int) error {
	docs, positions := make([]uint32, 0, n), make([]uint32, n)
	for doc := range positions {
		positions[doc] = nowhere
	}

	for _, p := range pairs {
		positions[p.doc] = uint32(len(docs))
		docs = append(docs, p.doc)
	}

	for doc, position := range positions {
		if position == nowhere {
			positions[doc] = uint32(len(docs))
			docs = append(docs, uint32(doc))
		}
	}

	return errors.Join(binary.Write(out, binary.LittleEndian, uint32(len(pairs))),
		binary.Write(out, binary.LittleEndian, docs), binary.Write(out, binary.LittleEndian, positions))
}
