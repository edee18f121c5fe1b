package onrc

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
)

// servedIndex is the open index of a segment. It is mapped memory, so it must not be closed while it is being read.
type servedIndex struct {
	*segment
	index   *search.Index
	reading sync.RWMutex
	looks   atomic.Pointer[search.Looks]   // nil until they are read
	figures atomic.Pointer[search.Figures] // nil until they are built
}

// refresh switches to the newest segment on disk. A segment that cannot be opened is not served, and its release is
// loaded again.
func (r *Register) refresh() {
	r.mu.Lock()
	defer r.mu.Unlock()

	err := r.switchOver()
	if err == nil {
		r.openErr = ""
	} else if r.openErr != err.Error() { // otherwise the same line would be logged every half minute
		r.openErr = err.Error()
		r.o.Logger.Error("opening the index of the trade register failed", "registry", name, "error", err)
	}
}

// switchOver serves the newest segment, unless it is already served. The caller holds the lock.
func (r *Register) switchOver() error {
	newest, err := newestSegment(r.o.Dir)
	if err != nil || newest == nil {
		return err
	}

	if before := r.served.Load(); before != nil && before.path == newest.path {
		return nil
	}

	x, err := search.Open(newest.path)
	if err != nil {
		return err
	}

	r.serve(&servedIndex{segment: newest, index: x})
	return nil
}

// serve replaces the served index, and closes the previous one once it is no longer read.
func (r *Register) serve(next *servedIndex) {
	before := r.served.Swap(next)
	if before == nil {
		return
	}

	r.retired.Go(func() {
		before.reading.Lock() // never unlocked, so that readers that still have the pointer fail to lock it
		if err := before.index.Close(); err != nil {
			r.o.Logger.Error("closing the previous index of the trade register failed", "registry", name, "error", err)
		}
	})
}

// summary returns the summary of the served release. It returns nil before the first load.
func (r *Register) summary() *Summary {
	if served := r.served.Load(); served != nil {
		return served.summary
	}
	return nil
}

// DataThrough returns the day of the served release. It is zero before the first load.
func (r *Register) DataThrough() ro.Date {
	if served := r.summary(); served != nil {
		return served.Release
	}
	return 0
}

// Read calls a function with the served index and the day of its release. The index is valid until the function
// returns. Read returns the function's error, or ErrNotLoaded.
func (r *Register) Read(read func(*search.Index, ro.Date) error) error {
	return r.read(func(served *servedIndex) error { return read(served.index, served.summary.Release) })
}

func (r *Register) read(read func(*servedIndex) error) error {
	for {
		served := r.served.Load()
		if served == nil {
			return r.notLoaded()
		}
		if served.reading.TryRLock() { // otherwise the index has just been replaced
			defer served.reading.RUnlock()
			return read(served)
		}
	}
}

// Search answers a query, and returns the day of the release that it searched. The error is ErrNotLoaded, the
// context's, or one of a damaged index. A query by statuses returns a problem until the looks have been read, and one
// that needs figures until these are built.
func (r *Register) Search(ctx context.Context, q search.Query) (page search.Page, through ro.Date, err error) {
	err = r.read(func(served *servedIndex) (err error) {
		if q.Looks = served.looks.Load(); q.Looks == nil && q.Statuses != 0 {
			return looksUnread()
		}
		if err := served.addFigures(&q); err != nil {
			return err
		}

		page, err = served.index.Search(ctx, q)
		through = served.summary.Release
		return err
	})
	return page, through, err
}

// ByTaxID returns the companies with a tax id, and the day of the release. Companies in operation come first, then the
// newest. For an unknown number there are none. It returns ErrNotLoaded before the first load.
func (r *Register) ByTaxID(cui ro.CUI) ([]search.Firm, ro.Date, error) {
	return r.firms(func(x *search.Index) []search.Firm { return x.ByTaxID(cui) })
}

// ByNumber returns the companies with a register number, like ByTaxID.
func (r *Register) ByNumber(number tradenumber.Number) ([]search.Firm, ro.Date, error) {
	return r.firms(func(x *search.Index) []search.Firm { return x.ByNumber(number) })
}

func (r *Register) firms(find func(*search.Index) []search.Firm) (firms []search.Firm, through ro.Date, err error) {
	err = r.Read(func(x *search.Index, day ro.Date) error {
		firms, through = find(x), day
		return nil
	})
	return firms, through, err
}

// TaxIDs returns up to limit tax ids after a given one, in ascending order, of companies in operation or of all
// companies. It returns ErrNotLoaded before the first load.
func (r *Register) TaxIDs(after ro.CUI, operating bool, limit int) (ids []ro.CUI, err error) {
	err = r.Read(func(x *search.Index, _ ro.Date) error {
		ids = x.TaxIDs(after, operating, limit)
		return nil
	})
	return ids, err
}

// Listed returns the companies that are in the register or, with operating, in operation. It filters the given slice in
// place. It returns ErrNotLoaded before the first load.
func (r *Register) Listed(companies []ro.CUI, operating bool) ([]ro.CUI, error) {
	err := r.Read(func(x *search.Index, _ ro.Date) error {
		companies = slices.DeleteFunc(companies, func(c ro.CUI) bool { return !x.IsListed(c, operating) })
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
