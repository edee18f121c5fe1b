package onrc

import (
	"context"

	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
)

// Search answers a query, and returns the day of the release that it searched. The error is ErrNotLoaded, the
// context's, or one of a damaged index. A query by statuses returns a problem until the looks have been read.
func (r *Register) Search(ctx context.Context, q search.Query) (page search.Page, through ro.Date, err error) {
	err = r.read(func(served *servedIndex) (err error) {
		if q.Looks = served.looks.Load(); q.Looks == nil && q.Statuses != (search.Statuses{}) {
			return looksUnread()
		}

		page, err = served.index.Search(ctx, q)
		through = served.summary.Release
		return err
	})
	return page, through, err
}

// ByTaxID returns the companies with a tax id, and the day of the release. Companies in operation come first, then the
// newest. For an unknown number there are none. It returns ErrNotLoaded before the first load.
func (r *Register) ByTaxID(cui ro.CUI) (firms []search.Firm, through ro.Date, err error) {
	err = r.Read(func(x *search.Index, day ro.Date) error {
		firms, through = x.ByTaxID(int64(cui)), day
		return nil
	})
	return firms, through, err
}

// ByNumber returns the companies with a register number, like ByTaxID.
func (r *Register) ByNumber(number tradenumber.Number) (firms []search.Firm, through ro.Date, err error) {
	err = r.Read(func(x *search.Index, day ro.Date) error {
		firms, through = x.ByNumber(number), day
		return nil
	})
	return firms, through, err
}
