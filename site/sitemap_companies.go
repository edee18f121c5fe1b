package site

import (
	"iter"
	"sync"

	"github.com/rodata/rodata/ro"
)

// CompanyList lists the companies of the trade register.
type CompanyList interface {
	// DataThrough returns the day of the served release; zero before the first.
	DataThrough() ro.Date
	// TaxIDs returns up to limit tax ids after a given one, in ascending order. With operating, it returns only
	// companies in operation.
	TaxIDs(after ro.CUI, operating bool, limit int) ([]ro.CUI, error)
}

const (
	// perSitemap is the maximum number of addresses that the protocol allows in a file.
	perSitemap = 50_000
	// perRead is the number of tax ids that are read at a time.
	perRead = 5_000
)

// companyFiles divides the companies in operation into sitemaps. The first tax id of each file is computed once per
// release, so a file has the same companies until the next release.
type companyFiles struct {
	list CompanyList // nil for none

	mu      sync.Mutex
	release ro.Date
	starts  []ro.CUI // the first tax id of each file
}

// current returns the served release and the first tax id of each file. Before the first release there are no files.
func (c *companyFiles) current() (ro.Date, []ro.CUI, error) {
	if c.list == nil {
		return 0, nil, nil
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	// The loop starts again if a new release appears in the meantime.
	for release := c.list.DataThrough(); release != c.release; release = c.list.DataThrough() {
		starts, err := c.divide()
		if err != nil {
			return 0, nil, err
		}

		c.release, c.starts = release, starts
	}

	return c.release, c.starts, nil
}

func (c *companyFiles) divide() (starts []ro.CUI, err error) {
	n := 0
	for cui, err := range c.companiesAfter(0) {
		if err != nil {
			return nil, err
		}
		if n%perSitemap == 0 {
			starts = append(starts, cui)
		}

		n++
	}

	return starts, nil
}

// companies yields the companies of a file, or an error. Even if a new release appears in the meantime, a file never
// overlaps with the next one and never has more than perSitemap companies.
func (c *companyFiles) companies(starts []ro.CUI, file int) iter.Seq2[ro.CUI, error] {
	return func(yield func(ro.CUI, error) bool) {
		n := 0
		for cui, err := range c.companiesAfter(starts[file] - 1) {
			if n == perSitemap || file+1 < len(starts) && cui >= starts[file+1] || !yield(cui, err) {
				return
			}
			n++
		}
	}
}

// companiesAfter yields the companies in operation after a tax id, or an error.
func (c *companyFiles) companiesAfter(last ro.CUI) iter.Seq2[ro.CUI, error] {
	return func(yield func(ro.CUI, error) bool) {
		for {
			ids, err := c.list.TaxIDs(last, true, perRead)
			if err != nil {
				yield(0, err)
				return
			}

			for _, id := range ids {
				if !yield(id, nil) {
					return
				}
				last = id
			}

			if len(ids) < perRead {
				return
			}
		}
	}
}
