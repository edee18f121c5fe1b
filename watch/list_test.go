package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

// memory is a store with one watch-list, which has at most one company.
type memory struct {
	ListStore
	list    List
	company Company
	paid    []ro.CUI
	failing error // of Watch
}

func (m *memory) List(_ context.Context, _ string, id monitoring.WatchlistID) (List, error) {
	if m.list.ID == "" {
		return List{}, op.ErrUnknown
	}
	return m.list, nil
}

func (m *memory) AddList(_ context.Context, l List, _ int) (List, error) {
	m.list = l
	return l, nil
}

func (m *memory) Compare(_ context.Context, _ *List, order monitoring.WatchOrder) (diff Difference, _ error) {
	for _, c := range order.Companies {
		diff.Changes = append(diff.Changes, monitoring.WatchAdded)
		diff.Added = append(diff.Added, c.Company)
	}
	return diff, nil
}

func (m *memory) Watch(ctx context.Context, l *List, order monitoring.WatchOrder, _ int, _ time.Time) (Difference,
	error) {
	if m.failing != nil || ctx.Err() != nil {
		return Difference{}, errors.Join(m.failing, ctx.Err())
	}

	m.list.Companies += len(order.Companies)
	return m.Compare(ctx, l, order)
}

func (m *memory) Watched(context.Context, *List, int, int) ([]Company, error) {
	return []Company{m.company}, nil
}

func (m *memory) MarkPaid(_ context.Context, _ string, companies []ro.CUI, _ Month,
	agree func(int) error) ([]ro.CUI, error) {
	if err := agree(len(companies)); err != nil {
		return nil, err
	}

	m.paid = companies
	return companies, nil
}

func (m *memory) Unpay(context.Context, string, []ro.CUI, Month) error {
	m.paid = nil
	return nil
}

// purse is a payment that succeeds or fails.
type purse struct {
	reserve, charge error
	charged         int
}

func (p *purse) Reserve(_ context.Context, times int) error {
	p.charged = times
	return p.reserve
}

func (p *purse) Charge(context.Context) error { return p.charge }

var order = monitoring.WatchOrder{Companies: []monitoring.WatchedReference{{Company: 1}, {Company: 2}}}

// hashed stands for the hash of a feed's secret.
func hashed(secret string) string { return "hash of " + secret }

func TestDefaultListIsMadeWhenItIsNeeded(t *testing.T) {
	m := new(memory)
	lists := &Lists{Hash: hashed, Store: m}
	if _, err := lists.Watchlist(t.Context(), "a", monitoring.DefaultWatchlist); !errors.Is(err, op.ErrUnknown) {
		t.Errorf("shown before it is created: %v", err)
	}
	if err := lists.Unwatch(t.Context(), "a", monitoring.DefaultWatchlist, 1); err != nil {
		t.Errorf("unwatched before it is created: %v", err)
	}
	if _, err := lists.Watch(t.Context(), "a", "wl_abcdefghijklmnopqrstuvwxyz", order,
		new(purse)); !errors.Is(err, op.ErrUnknown) {
		t.Errorf("another one: %v", err)
	}
	if _, err := lists.Watch(t.Context(), "a", monitoring.DefaultWatchlist, order, new(purse)); err != nil ||
		m.list.Account != "a" || m.list.Companies != 2 {
		t.Errorf("%+v, %v", m.list, err)
	}

	var id monitoring.WatchlistID
	if err := id.UnmarshalText([]byte(m.list.ID)); err != nil || len(m.list.FeedToken) != len("wlf_")+26 ||
		m.list.FeedHash != hashed(m.list.FeedToken) {
		t.Errorf("its id is %s, its token %s, stored as %s", m.list.ID, m.list.FeedToken, m.list.FeedHash)
	}
}

func TestUnpaidCompanyIsNotWatched(t *testing.T) {
	exhausted := errors.New("exhausted")
	for name, p := range map[string]*purse{"before": {reserve: exhausted}, "meanwhile": {charge: exhausted}} {
		m := &memory{list: List{ID: "wl_1"}}
		if _, err := (&Lists{Hash: hashed, Store: m}).Watch(t.Context(), "a", monitoring.DefaultWatchlist, order,
			p); !errors.Is(err, exhausted) {
			t.Errorf("%s: %v", name, err)
		}
		if m.list.Companies != 0 || m.paid != nil || p.charged != 2 {
			t.Errorf("%s: %d watched, %d paid", name, m.list.Companies, m.paid)
		}
	}
}

func TestChargeThatMayHaveBeenMadeIsNotRepeated(t *testing.T) {
	m := &memory{list: List{ID: "wl_1"}}
	lists := &Lists{Hash: hashed, Store: m, Log: slog.New(slog.DiscardHandler)}
	p := &purse{charge: fmt.Errorf("%w: %w", metering.ErrUncertain, context.DeadlineExceeded)}
	if _, err := lists.Watch(t.Context(), "a", monitoring.DefaultWatchlist, order, p); !errors.Is(err,
		metering.ErrUncertain) {
		t.Errorf("the caller is told %v", err)
	}
	if m.list.Companies != 0 || len(m.paid) != 2 {
		t.Errorf("%d watched, %d paid: want the companies to be paid, so that another attempt costs nothing",
			m.list.Companies, m.paid)
	}
}

func TestPaidWorkIsFinishedWithoutCaller(t *testing.T) {
	m := &memory{list: List{ID: "wl_1"}}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := (&Lists{Store: m}).Watch(ctx, "a", monitoring.DefaultWatchlist, order, new(purse)); err != nil ||
		m.list.Companies != 2 {
		t.Errorf("%d watched, %v", m.list.Companies, err)
	}
}

func TestFullListTakesNoMoney(t *testing.T) {
	m := &memory{list: List{ID: "wl_1", Companies: 9}}
	p := new(purse)
	_, err := (&Lists{Hash: hashed, Store: m, Limits: monitoring.WatchLimits{Companies: 10}}).Watch(t.Context(), "a",
		monitoring.DefaultWatchlist, order, p)
	if !strings.Contains(fmt.Sprint(err), "would have 11 companies") || p.charged != 0 {
		t.Errorf("%v, %d charged", err, p.charged)
	}
}

func TestStateOfWatchedCompanies(t *testing.T) {
	now := time.Now().UTC()
	added, looked := now.Add(-48*time.Hour), now.Add(-time.Hour)
	for name, c := range map[string]struct {
		list    List
		company Company
		state   monitoring.WatchedState
		paid    bool
		next    time.Time
	}{
		"new": {List{Every: monitoring.EveryDay}, Company{AddedAt: added}, monitoring.WatchedNew,
			true, added},
		"found": {List{Every: monitoring.EveryDay}, Company{AddedAt: added, LookedAt: looked},
			monitoring.WatchedFound, true, looked.Add(24 * time.Hour)},
		"weekly": {List{Every: monitoring.EveryWeek}, Company{AddedAt: added, LookedAt: looked},
			monitoring.WatchedFound, true, looked.Add(7 * 24 * time.Hour)},
		"not found": {List{Every: monitoring.EveryDay},
			Company{AddedAt: added, LookedAt: looked, Missing: true}, monitoring.WatchedNotFound, true,
			looked.Add(24 * time.Hour)},
		"unpaid": {List{Unpaid: 999912}, Company{AddedAt: added, LookedAt: looked},
			monitoring.WatchedFound, false, time.Time{}},
		"paid before the others were not": {List{Unpaid: 999912}, Company{AddedAt: added, Paid: 999912},
			monitoring.WatchedNew,
			true, added},
		"unpaid last month": {List{Unpaid: 200001}, Company{AddedAt: added, Paid: 200001}, monitoring.WatchedNew, true,
			added},
	} {
		t.Run(name, func(t *testing.T) {
			c.list.ID = "wl_1"
			lists := &Lists{Store: &memory{list: c.list, company: c.company}, Stored: func(ro.CUI) *company.Company {
				return &company.Company{Name: "EXEMPLU SRL", StateRegistration: company.StruckOff}
			}}
			page := testkit.Must(lists.Watched(t.Context(), "a", monitoring.DefaultWatchlist, 1, 0, false))
			got := page.Items[0]
			if got.State != c.state || got.Paid != c.paid || *got.Name != "EXEMPLU SRL" || got.Reference != nil {
				t.Errorf("%+v", got)
			}
			if (got.NextCheckAt == nil) != c.next.IsZero() || got.NextCheckAt != nil && !got.NextCheckAt.Equal(c.next) {
				t.Errorf("looked at next: %s, want %s", got.NextCheckAt, c.next)
			}
		})
	}
}

// several are the companies of a watch-list.
type several struct {
	memory
	companies []Company
}

func (s *several) Watched(_ context.Context, _ *List, limit, offset int) ([]Company, error) {
	return s.companies[offset:min(offset+limit, len(s.companies))], nil
}

// A company that one register calls struck off or inactive is never listed as one without problems, and comes first if
// the caller wants it to. Facts come from the last look, and those that it lacks come from the registers' last data.
func TestProblemsComeFirst(t *testing.T) {
	now := time.Now().UTC()
	active := history.Statuses(0).With(history.VATPayer, new(true)).With(history.Inactive, new(false)).
		With(history.VATOnCollection, new(false))
	m := &several{memory: memory{list: List{ID: "wl_1", Companies: 7}}}
	for i, packed := range []history.Statuses{
		active, active.With(history.Inactive, new(true)), active, active.With(history.VATPayer, new(false)), 0, active,
		0,
	} {
		m.companies = append(m.companies,
			Company{Company: ro.CUI(i + 1), AddedAt: now, LookedAt: now, Statuses: packed})
	}

	m.companies[5].Missing = true
	m.companies[6].LookedAt = time.Time{}
	ended := ro.NewDate(2009, 3, 16)
	lists := &Lists{Hash: hashed, Store: m, Stored: func(subject ro.CUI) *company.Company {
		today := ro.Today()
		c := &company.Company{StateRegistration: company.InOperation, RegistrationDate: new(ro.NewDate(2012, 3, 5)),
			SeatExpired: new(false), Insolvency: company.NewInsolvency(company.NoProceedings),
			Sources: []company.Source{{Name: "onrc", AsOf: &today}}}
		switch subject {
		case 3:
			c.StateRegistration = company.StruckOff
		case 4:
			c.VATPeriods = []company.VATPeriod{{To: &ended}}
		case 5:
			return nil
		case 7:
			c.VATPayer, c.Inactive = new(true), &company.Inactive{Status: true}
			c.Sources = append(c.Sources, company.Source{Name: "anaf", RetrievedAt: &now})
		}

		return c
	}}
	taxIDs := func(page monitoring.WatchedPage) (ids []ro.CUI) {
		for _, c := range page.Items {
			ids = append(ids, c.TaxID)
		}
		return ids
	}
	page, err := lists.Watched(t.Context(), "a", "wl_1", 5, 0, true)
	if err != nil || !slices.Equal(taxIDs(page), []ro.CUI{2, 3, 4, 6, 7}) || *page.ProblemCount != 5 ||
		page.TotalCount != 7 {
		t.Fatalf("%v, %+v", err, page)
	}
	if vat := page.Items[2]; *vat.VATPayer || *vat.VATEndedOn != ended {
		t.Errorf("a VAT registration that has ended: %+v", vat)
	}

	page, err = lists.Watched(t.Context(), "a", "wl_1", 5, 5, true)
	if err != nil || !slices.Equal(taxIDs(page), []ro.CUI{5, 1}) {
		t.Errorf("%v, %+v", err, page)
	}
	if unknown := page.Items[0]; unknown.VATPayer != nil || unknown.Inactive != nil ||
		unknown.StateRegistration != company.UnknownState {
		t.Errorf("without any data: %+v", unknown)
	}

	page, err = lists.Watched(t.Context(), "a", "wl_1", 2, 0, false)
	if err != nil || !slices.Equal(taxIDs(page), []ro.CUI{1, 2}) || page.ProblemCount != nil {
		t.Errorf("by tax id: %v, %+v", err, page)
	}

	m.list.Companies = monitoring.MostSorted + 1
	if _, err := lists.Watched(t.Context(), "a", "wl_1", 2, 0, true); err == nil {
		t.Error("a watch-list that is too long is sorted")
	}
}

// In the sandbox, looks are more frequent than the watch-lists' intervals, and answers say so.
func TestNextLookInTheSandbox(t *testing.T) {
	looked := time.Now().UTC().Add(-time.Second)
	m := &memory{list: List{ID: "wl_1", Every: monitoring.EveryDay}, company: Company{AddedAt: looked,
		LookedAt: looked}}
	page, err := (&Lists{Hash: hashed, Store: m, Sooner: 24*time.Hour - 10*time.Second}).Watched(t.Context(), "a",
		monitoring.DefaultWatchlist, 1, 0, false)
	if err != nil || !page.Items[0].NextCheckAt.Equal(looked.Add(10*time.Second)) {
		t.Errorf("looked at next: %+v, %v", page, err)
	}
}

// By default, a new watch-list has a weekly digest, which is due on a Monday.
func TestNewListHasWeeklyDigest(t *testing.T) {
	for _, c := range []struct {
		name        string
		given, want monitoring.Digest
		isDue       bool
	}{
		{"by default", "", monitoring.WeeklyDigest, true},
		{"weekly", monitoring.WeeklyDigest, monitoring.WeeklyDigest, true},
		{"daily", monitoring.DailyDigest, monitoring.DailyDigest, true},
		{"none", monitoring.NoDigest, monitoring.NoDigest, false},
	} {
		m := new(memory)
		lists := &Lists{Store: m, Hash: hashed}
		shown, err := lists.CreateWatchlist(t.Context(), "acc", monitoring.WatchlistChange{Digest: c.given})
		testkit.NoError(t, err)
		if shown.Digest != c.want || m.list.DigestAt.IsZero() == c.isDue ||
			c.want == monitoring.WeeklyDigest && m.list.DigestAt.Weekday() != time.Monday {
			t.Errorf("%s: the digest is %s, due at %s", c.name, shown.Digest, m.list.DigestAt)
		}
	}

	m := new(memory)
	order := monitoring.WatchOrder{Companies: []monitoring.WatchedReference{{Company: 9900000010}}}
	_, err := (&Lists{Store: m, Hash: hashed}).Watch(t.Context(), "acc", monitoring.DefaultWatchlist, order, new(purse))
	if err != nil || m.list.Digest != monitoring.WeeklyDigest || m.list.DigestAt.IsZero() {
		t.Errorf("the default list's digest is %s, due at %s: %v", m.list.Digest, m.list.DigestAt, err)
	}
}

// By default, a new watch-list of an account without a user has no digest. If the user cannot be read, the digest is
// weekly.
func TestNewListWithoutUser(t *testing.T) {
	for _, c := range []struct {
		name        string
		err         error // of the user
		given, want monitoring.Digest
	}{
		{"by default", fmt.Errorf("reading a user: %w", account.ErrNoUser), "", monitoring.NoDigest},
		{"daily", account.ErrNoUser, monitoring.DailyDigest, monitoring.DailyDigest},
		{"weekly", account.ErrNoUser, monitoring.WeeklyDigest, monitoring.WeeklyDigest},
		{"a user", nil, "", monitoring.WeeklyDigest},
		{"unknown", errors.New("the store is down"), "", monitoring.WeeklyDigest},
	} {
		m := new(memory)
		lists := &Lists{Store: m, Hash: hashed, Users: func(context.Context, string) (account.User, error) {
			return account.User{}, c.err
		}}
		shown := testkit.Must(lists.CreateWatchlist(t.Context(), "acc", monitoring.WatchlistChange{Digest: c.given}))
		if shown.Digest != c.want || m.list.DigestAt.IsZero() != (c.want == monitoring.NoDigest) {
			t.Errorf("%s: the digest is %s, due at %s", c.name, shown.Digest, m.list.DigestAt)
		}
	}
}

// A digest keeps its due time when its settings are saved again, because the dashboard sends all settings with each
// change.
func TestSavingDigestKeepsItsDueTime(t *testing.T) {
	due := time.Now().Add(-time.Minute)
	l := List{Digest: monitoring.DailyDigest, DigestAt: due}
	l.apply(monitoring.WatchlistChange{Name: "Clients", Digest: monitoring.DailyDigest})
	if !l.DigestAt.Equal(due) {
		t.Errorf("the digest is due at %s, was due at %s", l.DigestAt, due)
	}

	l.apply(monitoring.WatchlistChange{Digest: monitoring.WeeklyDigest})
	if !l.DigestAt.After(due) {
		t.Error("a digest of another kind kept the due time")
	}
}

func TestMonthsAreInUTC(t *testing.T) {
	east := time.FixedZone("", 3*60*60)
	for at, want := range map[time.Time]Month{
		time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC): 202611,
		time.Date(2027, 1, 1, 2, 59, 59, 0, east):     202612,
		time.Date(2027, 1, 1, 3, 0, 0, 0, east):       202701,
	} {
		if got := MonthOf(at); got != want {
			t.Errorf("the month of %s is %d, want %d", at, got, want)
		}
	}
}
