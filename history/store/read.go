package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
)

// Of returns all observations of a company, and its confirmations, both from the oldest to the newest.
func (d *DB) Of(ctx context.Context, company ro.CUI) ([]history.Observation, []history.Confirmation, error) {
	rows, err := database.All[row](ctx, d.Reader, "reading observations",
		`SELECT company, day, at, fingerprint, record FROM observations WHERE company = $1
		 ORDER BY at, day, fingerprint`, int64(company))
	if err != nil {
		return nil, nil, err
	}

	years, err := database.All[year](ctx, d.Reader, "reading looks",
		`SELECT `+yearColumns+` FROM looks WHERE company = $1 ORDER BY year`, int64(company))
	if err != nil {
		return nil, nil, err
	}

	confirmed, err := database.All[history.Confirmation](ctx, d.Reader, "reading looks",
		`SELECT day, looked_on AS "on" FROM past_looks WHERE company = $1 ORDER BY looked_on, day`, int64(company))
	if err != nil {
		return nil, nil, err
	}

	all := make([]history.Observation, len(rows))
	for i := range rows {
		all[i] = rows[i].observation()
	}

	for _, y := range years {
		confirmed = append(confirmed, y.confirmations()...)
	}

	slices.SortFunc(confirmed, func(a, b history.Confirmation) int {
		return cmp.Or(cmp.Compare(a.On, b.On), cmp.Compare(a.Day, b.Day))
	})
	return all, confirmed, nil
}
