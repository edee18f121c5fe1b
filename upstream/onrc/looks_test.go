package onrc

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/testkit"
)

// lookedAt holds the last looks at companies.
type lookedAt struct {
	all  []history.Finding
	read int
	err  error
}

func (l *lookedAt) since(_ context.Context, at time.Time, company ro.CUI, limit int) (some []history.Finding, _ error) {
	slices.SortFunc(l.all, func(a, b history.Finding) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Company, b.Company))
	})
	for _, look := range l.all {
		if c := look.At.Compare(at); (c > 0 || c == 0 && look.Company > company) && len(some) < limit {
			some = append(some, look)
		}
	}

	l.read += len(some)
	return some, l.err
}

func TestSearchByWhatLooksSaid(t *testing.T) {
	dir := loaded(t, "firme-02-09-2026", 200, true)
	r := mustOpen(t, dir)
	pays := history.Statuses(0).With(history.VATPayer, new(true))
	payers := func(want, unknown int) {
		t.Helper()
		page, _, err := r.Search(t.Context(), search.Query{Statuses: pays, Limit: 10})
		if err != nil || page.Total != want || page.Unknown != unknown {
			t.Errorf("%d pay VAT, %d are not known, %v; want %d and %d", page.Total, page.Unknown, err, want, unknown)
		}
	}

	_, _, err := r.Search(t.Context(), search.Query{Statuses: pays})
	if p := (*problem.Problem)(nil); !errors.Is(err, errLooksUnread) || !errors.As(err, &p) ||
		p.Kind != problem.Unavailable || p.RetryAfter == 0 {
		t.Errorf("before the looks are read: %v", err)
	}

	page, _, err := r.Search(t.Context(), search.Query{Limit: 200})
	testkit.NoError(t, err)

	all := map[ro.CUI]int{} // number of firms with a tax id
	for _, f := range page.Firms {
		if f.TaxID != 0 {
			all[f.TaxID]++
		}
	}

	var ids []ro.CUI
	for id, n := range all {
		if n == 1 {
			ids = append(ids, id)
		}
	}

	noon := time.UnixMilli(1_800_000_000_000)
	looks := &lookedAt{}
	for i, id := range ids[:50] {
		looks.all = append(looks.all, history.Finding{Company: id,
			At: noon.Add(time.Duration(i/7) * time.Minute), Statuses: pays.With(history.VATPayer, new(i%2 == 1))})
	}

	var f follower
	follow := func() {
		t.Helper()
		testkit.NoError(t, f.follow(t.Context(), r, looks.since))
	}
	follow()
	payers(25, 150)

	looks.read = 0
	// This look was committed late.
	looks.all = append(looks.all, history.Finding{Company: ids[50], At: f.at.Add(-overlap / 2), Statuses: pays})
	follow()
	payers(26, 149)
	if looks.read == 0 || looks.read > 10 {
		t.Errorf("%d looks were read again", looks.read)
	}

	looks.err = errors.New("the store is away")
	if err := f.follow(t.Context(), r, looks.since); err == nil {
		t.Error("follow returned no error")
	}

	payers(26, 149)

	looks.err = nil
	r.serve(&servedIndex{segment: r.served.Load().segment, index: opened(t, r.served.Load().path)}) // another release
	follow()
	payers(26, 149)
}

func opened(t *testing.T, path string) *search.Index {
	t.Helper()
	x, err := search.Open(path)
	testkit.NoError(t, err)

	return x
}
