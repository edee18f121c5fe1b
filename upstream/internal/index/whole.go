package index

import (
	"iter"
	"strings"

	"github.com/rodata/rodata/upstream/internal/tradenumber"
)

// At returns a firm by its position in the order of names, from 0 to Len()-1.
func (x *Index) At(place int) Firm { return x.firm(uint32(place)) }

// WithNumber iterates over the positions of the firms with a trade register number, in any format.
func (x *Index) WithNumber(number tradenumber.Number) iter.Seq[int] {
	return places(x.numbers.docs(number.Key()))
}

// WithTaxID iterates over the positions of the firms with a tax id.
func (x *Index) WithTaxID(id int64) iter.Seq[int] { return places(x.taxIDs.docs(uint64(id))) }

func places(docs iter.Seq[uint32]) iter.Seq[int] {
	return func(yield func(int) bool) {
		for doc := range docs {
			if !yield(int(doc)) {
				return
			}
		}
	}
}

// MainCode returns the digits of the main activity; empty if it is unknown.
func (f *Firm) MainCode() string {
	_, code, revised := strings.Cut(f.Main, ":")
	if !revised {
		return f.Main
	}
	return code
}
