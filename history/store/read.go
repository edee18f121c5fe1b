package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/database"
)

// Latest returns the last ordinary observation of a company that was made at or before notAfter. The error is
// history.ErrNotObserved if there is none.
func (d *DB) Latest(ctx context.Context, company api.CUI, notAfter time.Time) (history.Observation, error) {
	return d.last(ctx, company, 0, notAfter)
}

// OnDay returns the observation of the statuses of a day that was learned last, at or before notAfter. The error is
// history.ErrNotObserved if there is none.
//
// If the tax authority was asked on that day and said the same as before, it is the earlier observation. Because the
// hour of such a look is not known, the look counts from the end of its day.
func (d *DB) OnDay(ctx context.Context, company api.CUI, day api.Date, notAfter time.Time) (history.Observation, error) {
	o, err := d.last(ctx, company, day, notAfter) // asked for later than any answer on the day itself
	if err != history.ErrNotObserved {
		return o, err
	}

	start, end := startOf(day), startOf(day+1).Add(-time.Millisecond)
	o, err = d.Latest(ctx, company, earlier(notAfter, end))
	if err != nil || !o.At.Before(start) {
		return o, err
	}

	if notAfter.Before(end) {
		return history.Observation{}, history.ErrNotObserved
	}
	looked, err := d.lookedOn(ctx, company, day)
	if err == nil && !looked {
		err = history.ErrNotObserved
	}
	if err != nil {
		return history.Observation{}, err
	}
	return o, nil
}

// Of returns all observations of a company and the looks at which nothing was new, both from the oldest to the newest.
func (d *DB) Of(ctx context.Context, company api.CUI) ([]history.Observation, []history.Look, error) {
	all, err := database.Collect(ctx, d.Reader, "reading observations", scanObservation,
		`SELECT company, day, at, fingerprint, record FROM observations WHERE company = $1 ORDER BY at, day, fingerprint`,
		int64(company))
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
	slices.SortFunc(looks, func(a, b history.Look) int { return cmp.Or(cmp.Compare(a.On, b.On), cmp.Compare(a.Day, b.Day)) })
	return all, looks, nil
}

// last returns the last observation of a chain that was made at or before notAfter.
func (d *DB) last(ctx context.Context, company api.CUI, chain api.Date, notAfter time.Time) (history.Observation, error) {
	return database.One(ctx, d.Reader, "reading an observation", history.ErrNotObserved, scanObservation,
		`SELECT company, day, at, fingerprint, record FROM observations WHERE company = $1 AND day = $2 AND at <= $3
		ORDER BY at DESC, fingerprint DESC LIMIT 1`, int64(company), int64(chain), notAfter.UnixMilli())
}

func (d *DB) lookedOn(ctx context.Context, company api.CUI, day api.Date) (bool, error) {
	y, err := database.One(ctx, d.Reader, "reading looks", nil, scanYear,
		`SELECT `+yearColumns+` FROM looks WHERE company = $1 AND year = $2`, int64(company), day.Year())
	return y.has(day), err
}

func scanObservation(r database.Row, o *history.Observation) error {
	var day, company int64
	var fingerprint []byte
	if err := r.Scan(&company, &day, database.Time(&o.At), &fingerprint, &o.Record); err != nil {
		return err
	}

	o.Company, o.Day = api.CUI(company), api.Date(day)
	if day == 0 {
		o.Day = api.DateIn(o.At, api.Bucharest)
	}
	copy(o.Fingerprint[:], fingerprint)
	return nil
}

func scanPastLook(r database.Row, l *history.Look) error { return r.Scan(&l.Day, &l.On) }

// startOf is the midnight in Bucharest with which a day begins.
func startOf(day api.Date) time.Time {
	year, month, date := day.UTC().Date()
	return time.Date(year, month, date, 0, 0, 0, 0, api.Bucharest)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
