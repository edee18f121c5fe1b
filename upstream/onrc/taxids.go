package onrc

import (
	"slices"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
)

// TaxIDs returns up to limit tax ids after a given one, in ascending order, of companies in operation or of all
// companies. It returns ErrNotLoaded before the first load.
func (r *Register) TaxIDs(after ro.CUI, operating bool, limit int) (ids []ro.CUI, err error) {
	err = r.Read(func(x *search.Index, _ ro.Date) error {
		for _, id := range x.TaxIDs(int64(after), operating, limit) {
			ids = append(ids, ro.CUI(id))
		}
		return nil
	})
	return ids, err
}

// Listed returns the companies that are in the register or, with operating, in operation. It filters the given slice in
// place. It returns ErrNotLoaded before the first load.
func (r *Register) Listed(companies []ro.CUI, operating bool) ([]ro.CUI, error) {
	err := r.Read(func(x *search.Index, _ ro.Date) error {
		companies = slices.DeleteFunc(companies, func(c ro.CUI) bool { return !x.IsListed(int64(c), operating) })
		return nil
	})
	return companies, err
}

// Count returns the number of companies with a tax id in the register, in operation or all. It is 0 before the first
// load. A company that is listed twice counts twice.
func (r *Register) Count(operating bool) (n int) {
	_ = r.Read(func(x *search.Index, _ ro.Date) error { // ErrNotLoaded
		n = x.Count(operating)
		return nil
	})
	return n
}
