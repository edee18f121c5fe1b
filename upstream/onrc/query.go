package onrc

import (
	"context"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/internal/index"
	"github.com/rodata/rodata/upstream/internal/tradenumber"
)

// Search answers a query, and returns the day of the release that it searched. The error is ErrNotLoaded, the
// context's, or one of a damaged index. A query by statuses returns a problem until the looks have been read.
func (r *Register) Search(ctx context.Context, q index.Query) (page index.Page, through api.Date, err error) {
	err = r.read(func(e *servedIndex) (err error) {
		if q.Facts = e.facts.Load(); q.Facts == nil && q.Statuses != (index.Statuses{}) {
			return looksUnread()
		}

		page, err = e.index.Search(ctx, q)
		through = e.summary.Release
		return err
	})
	return page, through, err
}

// ByTaxID returns the companies with a tax id, and the day of the release. Companies in operation come first, then the
// newest. For an unknown number there are none. It returns ErrNotLoaded before the first load.
func (r *Register) ByTaxID(cui api.CUI) (firms []index.Firm, through api.Date, err error) {
	err = r.Read(func(x *index.Index, day api.Date) error {
		firms, through = x.ByTaxID(int64(cui)), day
		return nil
	})
	return firms, through, err
}

// ByNumber returns the companies with a register number, like ByTaxID.
func (r *Register) ByNumber(number tradenumber.Number) (firms []index.Firm, through api.Date, err error) {
	err = r.Read(func(x *index.Index, day api.Date) error {
		firms, through = x.ByNumber(number), day
		return nil
	})
	return firms, through, err
}

// Read calls a function with the served index and the day of its release. The index is valid until the function
// returns. Read returns the function's error, or ErrNotLoaded.
func (r *Register) Read(read func(*index.Index, api.Date) error) error {
	return r.read(func(e *servedIndex) error { return read(e.index, e.summary.Release) })
}

func (r *Register) read(read func(*servedIndex) error) error {
	for {
		e := r.served.Load()
		if e == nil {
			return r.notLoaded()
		}
		if e.reading.TryRLock() { // otherwise the index has just been replaced
			defer e.reading.RUnlock()
			return read(e)
		}
	}
}
