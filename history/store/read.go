package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
)

// Of returns all observations of a company, and its looks that found nothing new, both from the oldest to the newest.
func (d *DB) Of(ctx context.Context, company ro.CUI) ([]history.Observation, []history.Look, error) {
	all, err := database.Collect(ctx, d.Reader, "reading observations", scanObservation,
		`SELECT company, day, at, fingerprint, record FROM observations WHERE company = $1
		 ORDER BY at, day, fingerprint`, int64(company))
	if err != nil {
		return nil, nil, err
	}

	years, err := database.Collect(ctx, d.Reader, "reading looks", scanYear,
		`SELECT `+yearColumns+` FROM looks WHERE company = $1 ORDER BY year`, int64(company))
	if err != nil {
		return nil, nil, err
	}

	looks, err := database.Collect(ctx, d.Reader, "reading looks", scanPastLook,
		`SELECT day, looked_on FROM past_looks WHERE company = $1 ORDER BY looked_on, day`, int64(company))
	if err != nil {
		return nil, nil, err
	}

	for _, y := range years {
		looks = append(looks, y.looks()...)
	}

	slices.SortFunc(looks, func(a, b history.Look) int {
		return cmp.Or(cmp.Compare(a.On, b.On), cmp.Compare(a.Day, b.Day))
	})
	return all, looks, nil
}

func scanObservation(r database.Row, o *history.Observation) error {
	var fingerprint []byte
	if err := r.Scan(&o.Company, &o.Day, database.Time(&o.At), &fingerprint, &o.Record); err != nil {
		return err
	}

	if o.Day == 0 { // an ordinary observation
		o.Day = ro.DateIn(o.At, ro.Bucharest)
	}

	copy(o.Fingerprint[:], fingerprint)
	return nil
}

func scanPastLook(r database.Row, l *history.Look) error { return r.Scan(&l.Day, &l.On) }
