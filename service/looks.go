package service

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/profile"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/onrc"
	"github.com/rodata/rodata/watch"
	watchstore "github.com/rodata/rodata/watch/store"
)

// looks provides the last looks at companies to the search.
type looks struct{ store *watchstore.DB }

// since reads looks in the order of their time: see [onrc.Looks].
func (l looks) since(ctx context.Context, at time.Time, after ro.CUI, limit int) ([]onrc.Look, error) {
	found, err := l.store.Findings(ctx, watch.Look{At: at, Company: after}, limit)
	all := make([]onrc.Look, len(found))
	for i := range found {
		s := &found[i]
		all[i] = onrc.Look{
			Company: s.Company, At: s.At, VATPayer: truth(s.Statuses, history.VATPayer),
			Inactive: truth(s.Statuses, history.Inactive), EInvoice: truth(s.Statuses, history.EInvoice),
		}
	}

	return all, err
}

func truth(s watch.Statuses, status history.Status) onrc.Truth {
	switch {
	case s.Is(status, true):
		return onrc.Yes
	case s.Is(status, false):
		return onrc.No
	}

	return 0
}

// ofCompanies reads the last looks at companies: see [profile.LastLooks].
func (l looks) ofCompanies(ctx context.Context, companies []ro.CUI) (map[ro.CUI]profile.LastLook, error) {
	found, err := l.store.FindingsOf(ctx, companies)
	all := make(map[ro.CUI]profile.LastLook, len(found))
	for i := range found {
		s := &found[i]
		if s.Statuses == 0 {
			continue // the company was not found
		}

		of := profile.LastLook{VATPayer: s.Statuses.Of(history.VATPayer), Phone: s.Phone}
		if s.NACE != 0 {
			of.NACE = fmt.Sprintf("%04d", s.NACE)
		}

		all[s.Company] = of
	}

	return all, err
}
