package service

import (
	"context"
	"log/slog"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/watch"
	watchstore "github.com/rodata/rodata/watch/store"
)

const (
	// announceEvery is the interval between checks for new publications.
	announceEvery = 30 * time.Second
	// compareEvery is the interval at which entries of newly watched companies are stored, so that the next release can
	// be compared with them.
	compareEvery    = 10 * time.Minute
	comparedAtOnce  = 500            // companies
	announceLease   = "registers"    // one edge announces
	releaseCompared = "onrc entries" // the name of the note about the last release that was compared completely
)

// announcer writes events for publications of registers: fixings, and releases of the trade register with their
// changes.
type announcer struct {
	store *watchstore.DB
	hub   *watch.Hub
	log   *slog.Logger
	// fixing and release return the day of the current publication; 0 for none.
	fixing, release func() ro.Date
	// entry returns a company's entry in a release; false if it is not listed or the release is not served.
	entry func(company ro.CUI, release ro.Date) (watch.Entry, bool)

	comparedAt time.Time // the last pass over the watched companies
}

// announce runs an announcer on one edge of a fleet until the service ends.
func (s *Service) announce() {
	a := &announcer{
		store: s.watching.store, hub: s.watching.hub, log: s.live,
		fixing:  func() ro.Date { return s.bank.Registry.Status().AsOf },
		release: s.trade.DataThrough, entry: s.trade.entry,
	}
	s.lead(a.store.Leases(), announceLease, a.run)
}

func (a *announcer) run(ctx context.Context) {
	work.RepeatLogged(ctx, nil, a.log, "writing events for publications of registers failed; trying again",
		func(ctx context.Context) (time.Duration, error) { return announceEvery, a.step(ctx, time.Now()) })
}

// step writes the events of new changes. Changed entries come before their release, so a reader of release events finds
// them.
func (a *announcer) step(ctx context.Context, now time.Time) error {
	if day := a.fixing(); day != 0 {
		if err := a.publish(ctx, "bnr", day, watch.Event{Type: monitoring.FXPublished, At: now}); err != nil {
			return err
		}
	}

	release := a.release()
	if release == 0 {
		return nil
	}
	if err := a.compareEntries(ctx, release, now); err != nil {
		return err
	}

	return a.publish(ctx, "onrc", release, watch.Event{Type: monitoring.RegisterReleased, At: now})
}

func (a *announcer) publish(ctx context.Context, register string, day ro.Date, e watch.Event) error {
	e.Severity, e.Source = monitoring.Low, monitoring.EventSource{Name: register, AsOf: &day}
	changed, err := a.store.Publish(ctx, register, day, e)
	if changed {
		a.hub.Wake()
	}

	return err
}

// compareEntries compares the entries of a release with the stored ones: once for all known companies, and then for
// newly watched ones.
func (a *announcer) compareEntries(ctx context.Context, release ro.Date, now time.Time) error {
	done, err := a.store.Noted(ctx, releaseCompared)
	if err != nil {
		return err
	}

	if done < release {
		if err := a.compareAll(ctx, release, a.store.KnownCompanies); err != nil {
			return err
		}
		return a.store.Note(ctx, releaseCompared, release)
	}

	if now.Sub(a.comparedAt).Abs() < compareEvery {
		return nil
	}

	a.comparedAt = now
	return a.compareAll(ctx, release, a.store.WatchedCompanies)
}

func (a *announcer) compareAll(ctx context.Context, release ro.Date,
	companies func(ctx context.Context, after ro.CUI, limit int) ([]ro.CUI, error)) error {
	var after ro.CUI
	for {
		some, err := companies(ctx, after, comparedAtOnce)
		if err != nil || len(some) == 0 {
			return err
		}

		after = some[len(some)-1]

		changed, err := a.store.RecordEntries(ctx, release, some, func(company ro.CUI) (watch.Entry, bool) {
			return a.entry(company, release)
		})
		if err != nil {
			return err
		}
		if changed {
			a.hub.Wake()
		}
		if a.release() != release { // the remaining entries would be those of the next release
			return nil
		}
	}
}

// announcedYears is the number of years before a release for which a statement counts as news. The files of earlier
// years may be loaded long after the statements were filed.
const announcedYears = 5

// entry returns a company's entry in a release; false if it is not listed or the release is no longer served.
func (r *tradeRegister) entry(cui ro.CUI, release ro.Date) (watch.Entry, bool) {
	firms, through, err := r.ByTaxID(cui)
	if err != nil || through != release || len(firms) == 0 {
		return watch.Entry{}, false
	}

	f := &firms[0]
	e := watch.Entry{Name: f.Name, Seat: f.Address, Activity: f.Main, State: f.State}
	if f.SeatExpired || f.State != company.UnknownState { // an entry without states does not tell
		e.SeatExpired = new(f.SeatExpired)
	}

	if filed, err := r.statements().Of(cui); err == nil && len(filed) > 0 {
		if year := filed[0].File.Key.Year; release.Year()-year <= announcedYears {
			e.Statement = year
		}
	}

	return e, true
}
