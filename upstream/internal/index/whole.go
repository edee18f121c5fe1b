package index

import (
	"iter"
	"strings"

	"github.com/rodata/rodata/upstream/internal/tradenumber"
)

// At returns a firm by its place in the order of the names, from 0 to Len()-1.
func (x *Index) At(place int) Firm { return x.firm(uint32(place)) }

// WithNumber iterates over the places of the firms with a trade-register number, however the register spells it.
func (x *Index) WithNumber(number tradenumber.Number) iter.Seq[int] {
	return places(x.numbers.docs(number.Key()))
}

// WithTaxID iterates over the places of the firms with a tax id.
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

// MainCode returns the digits of the main activity; empty when it is unknown.
func (f *Firm) MainCode() string {
	_, code, revised := strings.Cut(f.Main, ":")
	if !revised {
		return f.Main
	}
	return code
}
