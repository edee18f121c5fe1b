package onrc

import (
	"context"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/internal/index"
)

// Search answers a query, and says of which day the release is that was searched.
// The error is ErrNotLoaded, that of the context, or that of a damaged index.
func (r *Register) Search(ctx context.Context, q index.Query) (page index.Page, through api.Date, err error) {
	err = r.Read(func(x *index.Index, day api.Date) (err error) {
		page, err = x.Search(ctx, q)
		through = day
		return err
	})
	return page, through, err
}

// ByTaxID is what the register has under a tax id, and of which day it is: those
// in operation first, then the newest; none when it does not know the number. The
// error is ErrNotLoaded.
func (r *Register) ByTaxID(cui api.CUI) (firms []index.Firm, through api.Date, err error) {
	err = r.Read(func(x *index.Index, day api.Date) error {
		firms, through = x.ByTaxID(int64(cui)), day
		return nil
	})
	return firms, through, err
}

// Read calls a function with the index that is served and the day of its release.
// The index is good until the function returns. The error is the function's, or
// ErrNotLoaded.
func (r *Register) Read(read func(*index.Index, api.Date) error) error {
	e := r.hold()
	if e == nil {
		return r.notLoaded()
	}
	defer e.leave() // only closing an index could fail, which is no matter of the reader's
	return read(e.index, e.summary.Release)
}
