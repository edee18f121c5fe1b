package index

import "encoding/binary"

// An order is a file that puts all docs in another order than that of names: how
// many of them have what they are ordered by, 4 bytes; the docs in that order, those
// that lack it last; and for each doc its place. All numbers have 4 bytes.
type order []byte

func (o order) known() int { return int(binary.LittleEndian.Uint32(o)) }

func (o order) len() int { return (len(o)/4 - 1) / 2 }

// doc is the doc at a place.
func (o order) doc(place int) uint32 { return binary.LittleEndian.Uint32(o[4+4*place:]) }

// place is the place of a doc.
func (o order) place(doc uint32) int {
	return int(binary.LittleEndian.Uint32(o[4+4*o.len()+4*int(doc):]))
}

// turned is a place in the opposite order, and back. Those that lack what they are
// ordered by stay last.
func (o order) turned(place int) int {
	if known := o.known(); place < known {
		return known - 1 - place
	}
	return place
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
	for _, numbers := range [][]uint32{{uint32(len(pairs))}, docs, places} {
		for _, number := range numbers {
			if _, err := out.Write(binary.LittleEndian.AppendUint32(out.AvailableBuffer(), number)); err != nil {
				return err
			}
		}
	}
	return nil
}
