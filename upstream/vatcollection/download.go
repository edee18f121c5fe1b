package vatcollection

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// lookBack is the number of earlier days that are tried, starting from today, until a file is found.
const lookBack = 7

// errAbsent means that there is no file for the last days.
var errAbsent = errors.New("there is no file for the last days")

// breakerSettings are for a download of some megabytes, a few times a day.
var breakerSettings = upstream.BreakerSettings{
	Failures: 5, Window: 6 * time.Hour, OpenFor: time.Minute, OpenAtMost: time.Hour, Deadline: 5 * time.Minute,
}

// newest fetches the newest file: today's, or else an earlier day's. It does not go back beyond the day of the loaded
// file, which it downloads only if it has changed (a conditional request). The table is nil if there is nothing new.
func (r *Register) newest(ctx context.Context) (*table, error) {
	held := r.held.Load()
	today := ro.DateIn(r.now(), ro.Bucharest)
	for day := today; day >= max(today-lookBack, min(today, held.day)); day-- {
		known := &table{day: day} // the loaded table, or an empty one of a day whose file was never read
		if day <= held.day {
			known = held
		}

		t, err := r.fetch(ctx, known)
		if errors.Is(err, op.ErrUnknown) {
			continue
		}
		if err != nil || t == nil {
			return nil, err
		}

		return t, t.plausible(held)
	}

	return nil, fmt.Errorf("%w: from %s to %s", errAbsent, today-lookBack, today)
}

// read requests the file of a table's day, behind the breaker. It returns op.ErrUnknown if there is none, and nil if it
// is unchanged since the table was read from it.
func (r *Register) read(ctx context.Context, known *table) (*table, error) {
	y, m, d := known.day.UTC().Date()
	path := fmt.Sprintf("/static/10/Anaf/TVA_incasare/ultim_%04d%02d%02d.zip", y, m, d)
	res, err := r.o.Host.Do(ctx, upstream.Request{Path: path, Header: known.validators.Header(), MaxBody: maxArchive})
	if err != nil {
		return nil, err
	}

	switch {
	case res.Status == http.StatusNotModified && known.validators != upstream.Validators{}:
		return nil, nil
	case res.Status == http.StatusNotFound || res.Status == http.StatusGone:
		return nil, op.ErrUnknown
	case res.Status != http.StatusOK:
		return nil, broken("%s: status %d", path, res.Status)
	case http.DetectContentType(res.Body) == "text/html; charset=utf-8":
		return nil, broken("%s: an HTML page instead of an archive", path)
	}

	rows, err := readArchive(res.Body)
	if err != nil {
		return nil, broken("%s: %w", path, err)
	}

	t := newTable(rows)
	t.day, t.retrieved, t.validators = known.day, r.now(), res.Validators()
	return t, nil
}

func broken(format string, args ...any) *op.Failure {
	return &op.Failure{Registry: Name, Kind: op.Broken, Err: fmt.Errorf(format, args...)}
}

// plausible rejects a table with less than half of the previous one's rows.
func (t *table) plausible(before *table) error {
	if 2*len(t.rows) < len(before.rows) {
		return fmt.Errorf("%w: the file of %s has %d lines; that of %s had %d, and at least half of them are expected",
			errRefused, t.day, len(t.rows), before.day, len(before.rows))
	}
	return nil
}
