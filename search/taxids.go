package search

import "github.com/rodata/rodata/ro"

// TaxIDs returns up to limit tax ids after a given one, in ascending order. If operating is set, it returns only the
// tax ids of firms in operation.
func (x *Index) TaxIDs(after ro.CUI, operating bool, limit int) (all []ro.CUI) {
	l := x.taxIDs
	for i := l.first(uint64(after) + 1); i < l.len() && len(all) < limit; i++ {
		id := ro.CUI(l.key(i))
		if n := len(all); n > 0 && all[n-1] == id || operating && !x.operating.Contains(l.doc(i)) {
			continue
		}

		all = append(all, id)
	}

	return all
}

// IsListed reports whether a firm has the tax id. If operating is set, only firms in operation count.
func (x *Index) IsListed(id ro.CUI, operating bool) bool {
	for doc := range x.taxIDs.docs(uint64(id)) {
		if !operating || x.operating.Contains(doc) {
			return true
		}
	}

	return false
}

// Count returns the number of firms with a tax id. If operating is set, only firms in operation count.
func (x *Index) Count(operating bool) int {
	if operating {
		return int(x.operating.GetCardinality() - x.operating.AndCardinality(x.withoutTaxID))
	}
	return x.Len() - int(x.withoutTaxID.GetCardinality())
}
