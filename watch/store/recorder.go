package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"github.com/rodata/rodata/history"
	historystore "github.com/rodata/rodata/history/store"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
)

// Recorder stores answers of the tax authority: observations, summaries of the looks, and events for the changes, all
// in one transaction.
type Recorder struct {
	Store *DB
	// Observations are kept in the same database.
	Observations *historystore.DB
	// View parses an observation.
	View func(*history.Observation) (*history.View, error)
	// Wake is called after a commit that wrote events.
	Wake func()
}

// Answer is the content of one answer of the tax authority.
type Answer struct {
	Observations []history.Observation
	// Looks are the looks at companies requested as of today.
	Looks []history.Finding
}

// maxAttempts bounds the attempts to record an answer after deadlocks. Two edges can deadlock when both look at several
// of the same companies for the first time at the same moment.
const maxAttempts = 4

// Record stores an answer, and returns once it is durable. If an observation cannot be parsed, Record still stores it,
// and returns an error.
func (r *Recorder) Record(ctx context.Context, a Answer) (err error) {
	for range maxAttempts {
		if err = r.record(ctx, a); !database.IsDeadlock(err) {
			break
		}
	}

	return err
}

func (r *Recorder) record(ctx context.Context, a Answer) error {
	var changed bool
	var unread error // from observations that could not be parsed
	err := r.Store.Transact(ctx, func(tx *sql.Tx) error {
		looks := sortLooks(a.Looks)
		kept, err := r.Store.summaries(ctx, tx, looks)
		if err != nil {
			return err
		}

		changes, err := r.Observations.AppendIn(ctx, tx, a.Observations)
		if err != nil {
			return err
		}

		forward(looks, changes, kept)
		if err := r.Store.storeLooks(ctx, tx, looks, kept); err != nil {
			return err
		}

		events, texts, err := r.events(changes, kept)
		unread = err
		if err := keepTexts(ctx, tx, texts); err != nil {
			return err
		}

		events = append(events, losses(looks, kept)...)
		changed = len(events) > 0
		return r.Store.Add(ctx, tx, events...)
	})
	if err == nil && changed && r.Wake != nil {
		r.Wake()
	}

	return errors.Join(err, unread)
}

// forward moves a look with news to the time of the last look if the last look is later. That happens if another edge's
// clock is ahead, or this clock was set back. The later look found nothing new, so it confirms the observation before
// both.
func forward(looks []history.Finding, changes []history.Change, kept map[ro.CUI]watch.LookSummary) {
	for i := range changes {
		c := &changes[i]
		at, known := slices.BinarySearchFunc(looks, c.After.Company, func(l history.Finding, company ro.CUI) int {
			return cmp.Compare(l.Company, company)
		})
		last := kept[c.After.Company].At
		if known && !c.Superseded && looks[at].At.UnixMilli() == c.After.At.UnixMilli() && last.After(c.After.At) {
			looks[at].At = last
		}
	}
}

// events returns the events for the changes, and the last known texts of the companies with changes.
func (r *Recorder) events(changes []history.Change, kept map[ro.CUI]watch.LookSummary) (
	events []watch.Event, texts map[ro.CUI]watch.Texts, err error) {
	texts = map[ro.CUI]watch.Texts{}
	for i := range changes {
		c := &changes[i]
		if c.Before.At.IsZero() || c.Superseded { // a first look, or one that arrives late
			continue
		}

		before, errBefore := r.View(&c.Before)
		after, errAfter := r.View(&c.After)
		if e := errors.Join(errBefore, errAfter); e != nil {
			err = errors.Join(err, database.Wrap("comparing observations of company "+c.After.Company.String(), e))
			continue
		}

		last := kept[c.After.Company]
		if e, ok := watch.Compare(c.After.Company, before, after, last); ok {
			events = append(events, e)
		}
		if next := last.Texts.After(before, after); !maps.Equal(next, last.Texts) {
			last.Texts, texts[c.After.Company] = next, next
			kept[c.After.Company] = last // for its next change in the same answer
		}
	}

	return events, texts, err
}

// losses returns the events of companies that count as unknown from now on.
func losses(looks []history.Finding, kept map[ro.CUI]watch.LookSummary) (events []watch.Event) {
	for i := range looks {
		l := &looks[i]
		if next, lost := kept[l.Company].After(l); lost {
			events = append(events, watch.LossEvent(l.Company, next))
		}
	}

	return events
}
