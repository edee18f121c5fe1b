package search

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
)

// Query is a search. Its zero value matches all companies.
type Query struct {
	// Text is a name or part of one, a tax id or a register number.
	Text string
	// County is the number of a county, or 0 for any. City is the name of a place in any spelling, or empty for any.
	County int
	City   string
	// Place returns the county and the city that words of the text name, in the form of the fields above. With it, a
	// text that matches nothing else is read as a name and a place. Default nil: texts are names only.
	Place func(words string) (county int, city string)
	// Class is a CAEN class. Industry is a CAEN Rev.3 section, division or group. Both are compared with a company's
	// main activity or, if that is unknown, with each of its authorised activities.
	Class    company.NACECode
	Industry company.IndustryID
	// States are the states that a result may have. If it is empty, all states match.
	States []company.StateRegistration
	// SeatExpired selects the firms whose right to use the registered office has expired, or all others.
	SeatExpired ro.YesNo
	// Statuses holds the required statuses. It needs Looks.
	Statuses history.Statuses
	Looks    *Looks
	// FigureFilter and the orders by a figure need Figures. A page of a query with Figures has those of its firms. If
	// WithFigures is set, the register adds them to any query once they are loaded.
	company.FigureFilter
	Figures     *Figures
	WithFigures bool
	// Sort is the order. The default is relevance if there is a text, otherwise name. Firms without a tax id come last
	// when sorted by relevance or tax id; firms without a registration date or a figure come last when sorted by it.
	// Ties are sorted by name.
	Sort company.SortBy
	// Direction reverses all orders except relevance.
	Direction company.SortDirection
	// Limit and Offset select the page.
	Limit, Offset int
}

// Page is the result of a search.
type Page struct {
	// Total is the number of matches.
	Total int
	// Unknown is the number of firms that match everything else in the query but were never looked up, so that their
	// statuses are unknown.
	Unknown int
	// Firms are the firms of the page, never nil.
	Firms []Firm
	// LookedUp reports for each firm in Firms whether it was ever looked up. It is nil for a query without Looks.
	LookedUp []bool
	// Figures are the figures of each firm in Firms. They are nil for a query without Figures.
	Figures []company.Figures
	// Year is the financial year of Figures; 0 if they are nil.
	Year int
}

// matches are the docs that match a query.
type matches struct {
	all *roaring.Bitmap
	// tiers are sets of docs that rank higher, the best first. They may overlap and contain docs that are not in all.
	tiers []*roaring.Bitmap
}

// Search runs a query. The number of concurrent searches is limited. Search fails if the context ends while it waits,
// or if a file of the index is damaged.
func (x *Index) Search(ctx context.Context, q Query) (page Page, err error) {
	defer recoverDamage(&err, "searching the index")
	defer runtime.KeepAlive(q.Figures) // whose memory is released with it
	select {
	case x.slots <- struct{}{}:
		defer func() { <-x.slots }()
	case <-ctx.Done():
		return Page{}, ctx.Err()
	}

	within := x.within(&q)
	var found matches
	if q.Text == "" {
		found.all = x.common(within...)
	} else {
		found = x.match(&q, within)
	}

	page.Firms = []Firm{}
	if q.Figures != nil {
		page.Year = q.Figures.Year()
	}

	found.all, page.Unknown = q.filter(x.filterByFigures(found.all, &q))
	page.Total = int(found.all.GetCardinality())
	for _, doc := range x.page(found, &q, page.Total) {
		page.Firms = append(page.Firms, x.At(doc))
		if q.Looks != nil {
			page.LookedUp = append(page.LookedUp, q.Looks.known.Contains(doc))
		}
		if q.Figures != nil {
			page.Figures = append(page.Figures, q.Figures.of(doc))
		}
	}

	return page, nil
}

// within returns, for each filter of a query, the set of docs that pass it. It does not intersect them, because it is
// faster to start with the words of the text: most words are rarer than filters.
func (x *Index) within(q *Query) (sets []*roaring.Bitmap) {
	for _, terms := range q.filters() {
		var alternatives []*roaring.Bitmap
		for _, term := range terms {
			alternatives = append(alternatives, x.docs(term))
		}

		sets = append(sets, union(alternatives...))
	}

	return sets
}

// common returns the intersection of sets, or all docs if there are no sets. The result may be one of the sets, so the
// caller must not modify it.
func (x *Index) common(sets ...*roaring.Bitmap) *roaring.Bitmap {
	sets = slices.DeleteFunc(slices.Clone(sets), func(set *roaring.Bitmap) bool { return set == x.everything })
	if len(sets) == 0 {
		return x.everything
	}

	// Starting with the smallest set keeps all intermediate results small.
	slices.SortFunc(sets, func(a, b *roaring.Bitmap) int { return cmp.Compare(a.GetCardinality(), b.GetCardinality()) })
	found := sets[0]
	for _, set := range sets[1:] {
		if found.IsEmpty() {
			break
		}
		found = roaring.And(found, set)
	}

	return found
}

// union returns the union of sets. The result may be one of the sets, so the caller must not modify it.
func union(sets ...*roaring.Bitmap) *roaring.Bitmap {
	sets = slices.DeleteFunc(slices.Clone(sets), (*roaring.Bitmap).IsEmpty)
	switch len(sets) {
	case 0:
		return roaring.New()
	case 1:
		return sets[0]
	}

	return roaring.FastOr(sets...)
}
