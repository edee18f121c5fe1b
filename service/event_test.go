package service

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/internal/database"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
	"github.com/rodata/rodata/upstream/anaf"
)

// Before the caller of a look gets the answer, the event is in the feed and followers are woken.
func TestEventsOfLooks(t *testing.T) {
	o := newObserved(t, standin.Options{})
	o.start(t, "production")
	defer o.stop(t)
	s := o.Service
	ctx, db := t.Context(), s.watching.store
	err := errors.Join(
		database.Exec(ctx, db.Writer, `INSERT INTO watchlists (ordinal, id, account, name, kinds, digest, every,
			feed_token, created_at)
			VALUES (1, 'wl_1', 'a', 'list', $1, 'none', 'day', 'wlf_1', 0)`, int64(monitoring.DefaultEvents)),
		database.Exec(ctx, db.Writer, `INSERT INTO watched (list, company, account, reference, added_at)
			VALUES (1, $1, 'a', 'SUP-001', 0)`,
			int64(standin.NumberChanging)))
	testkit.NoError(t, err)

	var after monitoring.EventCursor
	for _, want := range []monitoring.EventKind{"", monitoring.VATCancelled, monitoring.VATRegistered} {
		follower := s.watching.hub.Wait()
		if _, err := s.tax.Company(ctx, ro.CompanyDay{CUI: standin.NumberChanging}, cache.Demand{}); err != nil {
			t.Fatal(err)
		}

		// There may also be an event saying that the month cannot be paid.
		p, err := db.Feed(ctx, "a", after, monitoring.EventFilter{Company: standin.NumberChanging}, 10)
		if err != nil || p.More || (len(p.Events) == 0) != (want == "") {
			t.Fatalf("the feed after %q is %+v, %v", want, p, err)
		}

		after = p.Next
		if want == "" {
			continue
		}

		e := p.Events[0]
		if e.Type != want || *e.Data.TaxID != standin.NumberChanging || *e.Data.Reference != "SUP-001" ||
			e.Data.Source.Name != "anaf" ||
			e.Data.Changes[0].Field != "vatPayer" || e.Data.Changes[0].ValidFrom == nil {
			t.Errorf("told of %+v", e)
		}

		if late := time.Since(e.Data.Observed.After); late > time.Minute { // whole seconds, on a loaded machine
			t.Errorf("the event came %s after the look", late)
		}

		select {
		case <-follower:
		default:
			t.Error("followers were not woken")
		}
	}
}

// A panic while storing an answer is reported like any other failure.
func TestObserverThatPanics(t *testing.T) {
	var log strings.Builder
	o := &observer{meters: telemetry.NewMeters(), log: slog.New(slog.NewTextHandler(&log, nil))} // without a recorder
	o.observe(t.Context(), ro.Today(), map[ro.CompanyDay]anaf.Result{{CUI: 9900000010}: {Err: op.ErrUnknown}})
	if !strings.Contains(log.String(), "panic") {
		t.Errorf("logged %q", log.String())
	}
}

// A look fails if the company is missing in the answer or has no name. Other failures do not count as failed looks.
func TestMissedLooks(t *testing.T) {
	answer, err := answerOf(map[ro.CompanyDay]anaf.Result{
		{CUI: 1}:            {Err: op.ErrUnknown},
		{CUI: 2}:            {Err: errors.Join(errors.New("reading the answer"), anaf.ErrNoName)},
		{CUI: 3}:            {Err: errors.New("the answer is broken")},
		{CUI: 4, Day: 1000}: {Err: op.ErrUnknown},
	}, ro.Today(), time.Now())
	slices.SortFunc(answer.Looks, func(a, b history.Finding) int { return int(a.Company - b.Company) })
	if err != nil || len(answer.Observations) != 0 || len(answer.Looks) != 2 || answer.Looks[0].Company != 1 ||
		answer.Looks[1].Company != 2 ||
		!answer.Looks[0].Missing || !answer.Looks[1].Missing {
		t.Errorf("got %+v, %v", answer, err)
	}
}
