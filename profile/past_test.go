package profile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/anaf"
)

// memory is a tax authority with a history. Its company was registered for VAT, lost the registration, was inactive for
// a time, and is registered again.
type memory struct {
	mu    sync.Mutex
	asked []ro.CompanyDay
	name  string
	// status is the state in the tax authority's words.
	status string
	down   error
}

func (m *memory) record(_ context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, asked)
	switch {
	case m.down != nil:
		return nil, m.down
	case asked.CUI != known:
		return nil, op.ErrUnknown
	}

	day := asked.Day
	if day == 0 {
		day = ro.Today()
	}

	within := func(from, to string) bool {
		return day.String() >= from && (to == "" || day.String() < to)
	}
	return anaf.NewRecord(fmt.Appendf(nil, `{
		"date_generale": {"cui": %d, "data": %q, "denumire": %q, "stare_inregistrare": %q,
			"data_inregistrare": "2016-05-04", "statusRO_e_Factura": %t, "data_inreg_Reg_RO_e_Factura": "2022-07-01"},
		"inregistrare_scop_Tva": {"scpTVA": %t, "perioade_TVA": [
			{"data_inceput_ScpTVA": "2021-01-13"},
			{"data_inceput_ScpTVA": "2017-10-01", "data_sfarsit_ScpTVA": "2020-12-02",
			"data_anul_imp_ScpTVA": "2020-12-29"}]},
		"inregistrare_RTVAI": {"statusTvaIncasare": %t},
		"stare_inactiv": {"dataInactivare": "2020-12-02", "dataReactivare": "2020-12-18", "dataPublicare": "2020-12-11",
		"statusInactivi": %t},
		"inregistrare_SplitTVA": {"statusSplitTVA": false}}`,
		known, day, m.name, m.status, within("2022-07-01", ""),
		within("2017-10-01", "2020-12-02") || within("2021-01-13", ""),
		within("2021-01-13", ""), within("2020-12-02", "2020-12-18"))), nil
}

// questions returns the number of requests.
func (m *memory) questions() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// remembering runs a test on a fake clock, from noon of a day in Bucharest.
func remembering(t *testing.T, from ro.Date, test func(*testing.T, *Register, *memory)) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(from.UTC().Add(10 * time.Hour)))
		m := &memory{name: "EXEMPLU SRL"}
		test(t, serving(t, m.record), m)
		synctest.Wait()
	})
}

func date(text string) ro.Date { return testkit.Must(ro.ParseDate(text)) }

// questionsOn returns the number of requests for a day.
func (m *memory) questionsOn(day ro.Date) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if day == ro.Today() {
		day = 0
	}

	for _, asked := range m.asked {
		if asked.Day == day {
			n++
		}
	}

	return n
}

// about looks up the company on a day, and checks the number of requests for that day. The company's identity may be
// refreshed in the background.
func about(t *testing.T, r *Register, m *memory, day ro.Date, questions int) *company.Company {
	t.Helper()
	before := m.questionsOn(day)
	answer, err := r.Company(t.Context(), ro.CompanyDay{CUI: known, Day: day})
	if err != nil {
		t.Fatalf("%s: %v", day, err)
	}
	if n := m.questionsOn(day) - before; n != questions {
		t.Errorf("%s: %d requests, want %d", day, n, questions)
	}
	if hit := answer.Cache == op.Hit; hit != (questions == 0 || m.down != nil) {
		t.Errorf("%s: %s after %d requests", day, answer.Cache, questions)
	}

	return answer.Value
}

func shown[V any](v *V) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(*v)
}

// says returns the statuses of a profile, with their bases.
func says(c *company.Company) string {
	inactive, eInvoice, basis := "null", "null", c.AsOfBasis
	if c.Inactive != nil {
		inactive = fmt.Sprint(c.Inactive.Status)
	}
	if c.EInvoice != nil {
		eInvoice = fmt.Sprint(c.EInvoice.Registered)
	}
	if basis == nil {
		basis = new(company.AsOfBases)
	}

	return fmt.Sprintf("%s: VAT %s since %s %s, on collection %s %s, split %s %s, inactive %s %s, e-invoice %s %s",
		shown(c.StatusDate),
		shown(c.VATPayer), shown(c.VATSince), shown(basis.VATPayer), shown(c.VATOnCollection),
		shown(basis.VATOnCollection),
		shown(c.VATSplit), shown(basis.VATSplit), inactive, shown(basis.Inactive), eInvoice, shown(basis.EInvoice))
}

func wantSays(t *testing.T, c *company.Company, want string) {
	t.Helper()
	if got := says(c); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

var now = ro.NewDate(2026, 6, 15)

func TestStatusesOfADay(t *testing.T) {
	remembering(t, now, func(t *testing.T, r *Register, m *memory) {
		for day, want := range map[string]string{
			"2016-05-03": "VAT null since null null, on collection null null, split null null, inactive null null, " +
				"e-invoice null null", // the company did not exist
			"2016-05-04": "VAT false since null register, on collection false register, split false register, " +
				"inactive false register, e-invoice false register",
			"2017-09-30": "VAT false since null register, on collection false register, split false register, " +
				"inactive false register, e-invoice false register",
			"2020-12-01": "VAT true since 2017-10-01 register, on collection false register, split false register, " +
				"inactive false register, e-invoice false register",
			"2020-12-02": "VAT false since null register, on collection false register, split false register, " +
				"inactive true register, e-invoice false register",
			"2020-12-18": "VAT false since null register, on collection false register, split false register, " +
				"inactive false register, e-invoice false register",
			"2026-06-14": "VAT true since 2021-01-13 register, on collection true register, split false register, " +
				"inactive false register, e-invoice true register",
		} {
			c := about(t, r, m, date(day), 1)
			wantSays(t, c, day+": "+want)
			if len(c.VATPeriods) != 2 || c.Inactive != nil && shown(c.Inactive.Published) != "2020-12-11" ||
				shown(c.Sources[0].AsOf) != day || c.Record == nil {
				t.Errorf("%s: %+v", day, c)
			}

			about(t, r, m, date(day), 0)
		}

		if c := about(t, r, m, 0, 1); c.StatusDate != nil || c.AsOfBasis != nil || shown(c.VATSince) != "2021-01-13" {
			t.Errorf("as of today: %+v", c)
		}

		wantSays(t, about(t, r, m, now, 0),
			"2026-06-15: VAT true since 2021-01-13 register, on collection true register, split false register, "+
				"inactive false register, e-invoice true register")
	})
}

// TestIdentityIsOfTheNewerRecord verifies that an answer about the past has the newest stored identity, without
// requesting it.
func TestIdentityIsOfTheNewerRecord(t *testing.T) {
	remembering(t, now, func(t *testing.T, r *Register, m *memory) {
		past := date("2020-12-05")
		old := about(t, r, m, past, 1)
		<-time.After(time.Minute)
		m.name = "EXEMPLU REDENUMIT SRL"
		about(t, r, m, 0, 1)
		c := about(t, r, m, past, 0)
		if old.Name != "EXEMPLU SRL" || c.Name != m.name || says(c) != says(old) ||
			*c.Sources[0].RetrievedAt != *old.Sources[0].RetrievedAt {
			t.Errorf("%s after %s, from %v", c.Name, old.Name, c.Sources)
		}
		if raw, err := c.Record.Raw(); err != nil || string(raw) != sentOn(t, m, past, "EXEMPLU SRL") {
			t.Errorf("the record is %s, %v", raw, err)
		}

		<-time.After(time.Minute)
		m.name = "EXEMPLU REDENUMIT IAR SRL"
		if c := about(t, r, m, past-1, 1); c.Name != m.name {
			t.Errorf("the name is %s although the day's own record is newer", c.Name)
		}
	})
}

// sentOn returns the record of a day with a name.
func sentOn(t *testing.T, m *memory, day ro.Date, name string) string {
	t.Helper()
	record, err := (&memory{name: name}).record(t.Context(), ro.CompanyDay{CUI: known, Day: day})
	testkit.NoError(t, err)

	raw, err := record.Raw()
	testkit.NoError(t, err)

	return string(raw)
}

// TestIdentityIsRefreshed verifies that a permanently stored answer has today's identity on the next request.
func TestIdentityIsRefreshed(t *testing.T) {
	remembering(t, now, func(t *testing.T, r *Register, m *memory) {
		about(t, r, m, now-settledAfter, 1)
		m.name = "EXEMPLU NOU SRL"
		<-time.After(400 * 24 * time.Hour)
		for _, want := range []string{"EXEMPLU SRL", "EXEMPLU NOU SRL"} {
			answer, err := r.Company(t.Context(), ro.CompanyDay{CUI: known, Day: now - settledAfter})
			if err != nil || answer.Value.Name != want {
				t.Errorf("%+v, %v, want %s", answer.Value, err, want)
			}

			synctest.Wait()
		}

		if n := m.questions(); n != 2 {
			t.Errorf("%d questions", n)
		}
	})
}

// TestSettledDayIsKept verifies that the answer about a settled day is kept permanently. Before the day is settled, the
// answer is kept for a day.
func TestSettledDayIsKept(t *testing.T) {
	remembering(t, now, func(t *testing.T, r *Register, m *memory) {
		recent, settled := now-settledAfter+1, now-settledAfter
		about(t, r, m, recent, 1)
		about(t, r, m, settled, 1)
		about(t, r, m, recent, 0)
		<-time.After(27 * time.Hour) // the recent day is now settled, and the earlier answer does not count
		about(t, r, m, recent, 1)
		about(t, r, m, settled, 0)
		about(t, r, m, now-1, 1)
		<-time.After(30 * time.Hour)
		stale, err := r.Company(t.Context(), ro.CompanyDay{CUI: known, Day: now - 1}) // refreshed in the background
		if err != nil || !stale.Value.Sources[0].Stale {
			t.Errorf("%+v, %v", stale.Value, err)
		}

		synctest.Wait()
		if c := about(t, r, m, now-1, 0); c.Sources[0].Stale {
			t.Errorf("%+v", c.Sources)
		}

		<-time.After(400 * 24 * time.Hour)
		about(t, r, m, recent, 0)
		about(t, r, m, settled, 0)
	})
}

// TestObservedDay verifies that the ordinary record answers about the day of its retrieval as long as it is fresh.
func TestObservedDay(t *testing.T) {
	remembering(t, now, func(t *testing.T, r *Register, m *memory) {
		about(t, r, m, 0, 1)
		<-time.After(12*time.Hour + time.Minute) // past midnight in Bucharest
		wantSays(t, about(t, r, m, now, 0),
			"2026-06-15: VAT true since 2021-01-13 observed, on collection true observed, split false observed, "+
				"inactive false observed, e-invoice true observed")
		wantSays(t, about(t, r, m, now+1, 0),
			"2026-06-15: VAT true since 2021-01-13 register, on collection true register, split false register, "+
				"inactive false register, e-invoice true register")
		<-time.After(16 * time.Hour)
		wantSays(t, about(t, r, m, now, 1),
			"2026-06-15: VAT true since 2021-01-13 register, on collection true register, split false register, "+
				"inactive false register, e-invoice true register")
	})
}

// TestPeriodsWhenTheRegisterIsDown verifies that statuses are computed from a newer record if its periods suffice. A
// stale answer about the day takes precedence.
func TestPeriodsWhenTheRegisterIsDown(t *testing.T) {
	remembering(t, now, func(t *testing.T, r *Register, m *memory) {
		about(t, r, m, now-3, 1)
		about(t, r, m, 0, 1)
		<-time.After(3 * 24 * time.Hour)
		m.down = &op.Failure{Registry: "anaf", Kind: op.Closed, Err: errors.New("down")}
		for day, want := range map[string]string{
			"2017-09-30": "VAT false since null periods, on collection null null, split false periods, inactive null " +
				"null, e-invoice null null",
			"2020-12-01": "VAT true since 2017-10-01 periods, on collection null null, split false periods, inactive " +
				"null null, e-invoice null null",
			"2020-12-02": "VAT false since null periods, on collection null null, split false periods, inactive true " +
				"periods, e-invoice null null",
			"2020-12-18": "VAT false since null periods, on collection null null, split false periods, inactive " +
				"false periods, e-invoice null null",
			"2022-07-01": "VAT true since 2021-01-13 periods, on collection null null, split false periods, inactive " +
				"false periods, e-invoice true periods",
			now.String(): "VAT true since 2021-01-13 observed, on collection true observed, split false observed, " +
				"inactive false observed, e-invoice true observed",
		} {
			c := about(t, r, m, date(day), 1)
			wantSays(t, c, day+": "+want)
			if c.Record != nil || shown(c.Sources[0].AsOf) != now.String() || !c.Sources[0].Stale {
				t.Errorf("%s: %+v", day, c)
			}
		}

		wantSays(t, about(t, r, m, now-3, 1),
			(now-3).String()+": VAT true since 2021-01-13 register, on collection true register, split false "+
				"register, inactive false register, e-invoice true register")

		var f *op.Failure // no record is from that day or later
		if _, err := r.Company(t.Context(), ro.CompanyDay{CUI: known, Day: now + 1}); !errors.As(err, &f) ||
			f.Kind != op.Closed {
			t.Errorf("got %v", err)
		}
	})
}

func TestUnknownOnADay(t *testing.T) {
	remembering(t, now, func(t *testing.T, r *Register, m *memory) {
		for range 2 {
			if _, err := r.Company(t.Context(),
				ro.CompanyDay{CUI: unknown, Day: now - 100}); !errors.Is(err, op.ErrUnknown) {
				t.Errorf("got %v", err)
			}
		}

		if m.questions() != 1 {
			t.Errorf("%d questions", m.questions())
		}
	})
}

// TestMidnightDuringALookUp verifies that a day that ends during a look-up is answered as today.
func TestMidnightDuringALookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// a second before midnight in Bucharest
		<-time.After(time.Until(time.Date(2026, 6, 15, 20, 59, 59, 0, time.UTC)))
		m := &memory{name: "EXEMPLU SRL"}
		r := serving(t, func(ctx context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
			record, err := m.record(ctx, asked)
			<-time.After(2 * time.Second)
			return record, err
		})
		answer, err := r.Company(t.Context(), ro.CompanyDay{CUI: known, Day: now})
		if err != nil || answer.Value.StatusDate == nil || *answer.Value.StatusDate < now {
			t.Errorf("%+v, %v", answer.Value, err)
		}
		if answer, err = r.Company(t.Context(), today(known)); err != nil || answer.Cache != op.Hit ||
			answer.Value.StatusDate != nil {
			t.Errorf("as of today: %+v, %v", answer.Value, err)
		}
		if today := ro.Today(); today != now+1 {
			t.Errorf("today is %s", today)
		}
	})
}

// TestDaysShareCalls verifies that a hundred companies on a hundred different days take one call, and that a company on
// three days takes three calls.
func TestDaysShareCalls(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		look := func(companies []ro.CompanyDay) {
			t.Helper()
			n := 0
			o.served.Companies(t.Context(), companies, 20*time.Second, func(known []company.Found) bool {
				for _, k := range known {
					if n++; k.Err != nil || k.Answer.Value.TaxID != companies[k.Index].CUI ||
						*k.Answer.Value.StatusDate != companies[k.Index].Day {
						t.Errorf("%s: %+v, %v", companies[k.Index], k.Answer.Value, k.Err)
					}
				}

				return true
			})
			if n != len(companies) {
				t.Errorf("%d of %d companies", n, len(companies))
			}
		}

		// so that the next call is not made at once
		if _, err := o.served.Company(t.Context(), today(invented.CUI(9999))); err != nil {
			t.Fatal(err)
		}

		var days []ro.CompanyDay
		for i := range 100 {
			days = append(days, ro.CompanyDay{CUI: invented.CUI(i), Day: ro.Today() - 1 - ro.Date(i)})
		}

		look(days)
		if calls := o.called(); len(calls) != 2 {
			t.Errorf("%d calls", len(calls)-1)
		}

		look(days)
		cui, now := invented.CUI(500), ro.Today()
		look([]ro.CompanyDay{{CUI: cui, Day: now - 1}, {CUI: cui, Day: now - 2}, {CUI: cui, Day: now - 3}})
		if calls := o.called(); len(calls) != 5 {
			t.Errorf("%d calls", len(calls)-2)
		}
	})
}

// TestManyDaysOfACompanyTakeManyCalls verifies that Retry-After matches the number of calls.
func TestManyDaysOfACompanyTakeManyCalls(t *testing.T) {
	remembering(t, date("2026-06-30"), func(t *testing.T, _ *Register, m *memory) {
		c := openCache(t)
		r := NewRegister(c, DefaultLifetimes,
			cache.Plain(func(ctx context.Context, asked ro.CompanyDay) (*anaf.Record, error) {
				<-time.After(10 * time.Second)
				return m.record(ctx, asked)
			}), new(trade), nil)
		defer r.Close()

		var days []ro.CompanyDay
		for i := range ro.Date(50) {
			days = append(days, ro.CompanyDay{CUI: known, Day: date("2025-03-31") + i})
		}

		r.Companies(t.Context(), days, time.Second, func(found []company.Found) bool {
			for _, f := range found {
				var failure *op.Failure
				if !errors.As(f.Err, &failure) || failure.RetryAfter < 50*time.Second ||
					failure.RetryAfter > time.Minute {
					t.Fatalf("%s: %v, want 50 s or a little more", days[f.Index], f.Err)
				}
			}

			return true
		})
		<-time.After(time.Minute)
	})
}

// TestManyDaysOfACompanyDoNotGiveUp verifies that all days of a company are answered as long as the list's caller
// waits, although they have to wait for each other.
func TestManyDaysOfACompanyDoNotGiveUp(t *testing.T) {
	opened(t, DefaultLifetimes, func(t *testing.T, o *registry) {
		var days []ro.CompanyDay
		for i := range ro.Date(60) {
			days = append(days, ro.CompanyDay{CUI: invented.CUI(500), Day: ro.Today() - 100 - i})
		}

		answered, start := 0, time.Now()
		o.served.Companies(t.Context(), days, 25*time.Second, func(known []company.Found) bool {
			for _, k := range known {
				if k.Err == nil {
					answered++
				} else if took := time.Since(start); took < 25*time.Second {
					t.Fatalf("%s gave up after %v: %v", days[k.Index], took, k.Err)
				}
			}

			return true
		})
		if answered < 20 {
			t.Errorf("%d days were answered in 25 s", answered)
		}
	})
}
