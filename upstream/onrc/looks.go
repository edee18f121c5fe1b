package onrc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
)

// Looks returns up to limit findings of last looks after a position, in the order of time and company.
type Looks func(ctx context.Context, at time.Time, company ro.CUI, limit int) ([]history.Finding, error)

const (
	// looksAtOnce is the maximum number of looks read at once.
	looksAtOnce = 10_000
	// followEvery is the interval at which the search learns the results of new looks.
	followEvery = 5 * time.Second
	// overlap is how far before the newest look that was read the next read starts. It covers the time that writing
	// them takes, and differences between clocks.
	overlap = 15 * time.Second
)

// errLooksUnread means that the results of looks have not been read yet since the start, or since the last release.
var errLooksUnread = errors.New("the tax statuses of the companies have not been read yet")

// looksUnread returns errLooksUnread with its problem.
func looksUnread() error {
	p := problem.Unavailable.New("the tax statuses of the companies are still being read; try again in a few seconds, " +
		"or omit vatPayer, inactive and eInvoice").After(followEvery)
	return fmt.Errorf("%w: %w", errLooksUnread, p)
}

// Follow reads the results of looks for the search until the context ends. For each new release it starts over.
func (r *Register) Follow(ctx context.Context, looks Looks) {
	var f follower
	r.repeat(ctx, "reading the tax statuses of the companies failed; trying again", func(ctx context.Context) error {
		return f.follow(ctx, r, looks)
	})
}

// repeat calls follow every 5 seconds until the context ends. Of consecutive failures, it logs the first one, unless no
// release is loaded.
func (r *Register) repeat(ctx context.Context, message string, follow func(context.Context) error) {
	work.RepeatLogged(ctx, nil, r.o.Logger.With("registry", name), message,
		func(ctx context.Context) (time.Duration, error) {
			err := follow(ctx)
			if errors.Is(err, ErrNotLoaded) {
				err = nil
			}
			return followEvery, err
		})
}

// follower reads the results of looks.
type follower struct {
	of      *servedIndex
	looks   *search.Looks
	at      time.Time // time of the newest look
	changed bool      // since they were last served
}

// follow reads new looks.
func (f *follower) follow(ctx context.Context, r *Register, looks Looks) error {
	if served := r.served.Load(); served != f.of || f.looks == nil {
		*f = follower{of: served, looks: search.NewLooks(), changed: true}
	}

	at, company := f.at, ro.CUI(0)
	if !at.IsZero() {
		at = at.Add(-overlap)
	}

	for {
		some, err := looks(ctx, at, company, looksAtOnce)
		if err != nil {
			return err
		}
		if err := f.learn(r, some); err != nil {
			return err
		}
		if len(some) < looksAtOnce {
			break
		}

		at, company = some[len(some)-1].At, some[len(some)-1].Company
	}

	if f.changed && f.of != nil {
		f.of.looks.Store(f.looks.Clone())
		f.changed = false
	}

	return nil
}

// learn records the results of looks.
func (f *follower) learn(r *Register, looks []history.Finding) error {
	return r.read(func(served *servedIndex) error {
		if served != f.of {
			f.looks = nil // from the beginning
			return ErrNotLoaded
		}

		for i := range looks {
			l := &looks[i]
			f.changed = served.index.Learn(f.looks, l.Company, l.Statuses) || f.changed
		}

		if len(looks) > 0 {
			f.at = looks[len(looks)-1].At
		}

		return nil
	})
}
