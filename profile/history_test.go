package profile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/vatcollection"
)

// retroactive is a company with a VAT registration that was cancelled by an entry made four weeks after the effective
// day.
const retroactive ro.CUI = 9900000010

// recordOn returns the tax authority's record of one day about another.
func recordOn(day ro.Date, sent string) *anaf.Record {
	periods := `{"data_inceput_ScpTVA":"2017-10-01","data_sfarsit_ScpTVA":"","data_anul_imp_ScpTVA":"","mesaj_ScpTVA":""}`
	inactive := `"dataInactivare":"","dataReactivare":"","dataPublicare":""`
	on, off := day.String() >= "2017-10-01", false
	if sent >= "2020-12-29" {
		periods = `{"data_inceput_ScpTVA":"2017-10-01","data_sfarsit_ScpTVA":"2020-12-02","data_anul_imp_ScpTVA":"2020-12-29","mesaj_ScpTVA":"din oficiu"}`
		on = on && day.String() < "2020-12-02"
	}
	if sent >= "2021-01-13" {
		periods = `{"data_inceput_ScpTVA":"2021-01-13","data_sfarsit_ScpTVA":""},` + periods // the newest first
		on = on || day.String() >= "2021-01-13"
	}
	if sent >= "2020-12-11" {
		inactive = `"dataInactivare":"2020-12-02","dataReactivare":"2020-12-18","dataPublicare":"2020-12-11"`
		off = day.String() >= "2020-12-02" && day.String() < "2020-12-18"
	}

	return anaf.NewRecord(fmt.Appendf(nil, `{
		"date_generale": {"cui": %d, "data": %q, "denumire": "EXEMPLU RETROACTIV SRL",
			"data_inregistrare": "2016-05-04", "statusRO_e_Factura": false},
		"inregistrare_scop_Tva": {"scpTVA": %t, "perioade_TVA": [%s]},
		"inregistrare_RTVAI": {"statusTvaIncasare": false},
		"stare_inactiv": {"statusInactivi": %t, %s},
		"inregistrare_SplitTVA": {"statusSplitTVA": false}}`, retroactive, day, on, periods, off, inactive))
}

// seen are the observations made so far.
type seen struct {
	observations []history.Observation
	confirmed    []history.Confirmation
}

func (s *seen) Of(context.Context, ro.CUI) ([]history.Observation, []history.Confirmation, error) {
	return s.observations, s.confirmed, nil
}

// observe adds an observation at noon of a day.
func (s *seen) observe(t *testing.T, day string) {
	d := date(day)
	s.observations = append(s.observations, observation(t, d, d.UTC().Add(10*time.Hour)))
}

// observation returns the tax authority's answer at a time about a day.
func observation(t *testing.T, day ro.Date, at time.Time) history.Observation {
	t.Helper()
	record := recordOn(day, retrievedOn(at).String())
	fingerprint, err := record.Fingerprint()
	testkit.NoError(t, err)

	return history.Observation{Company: retroactive, Day: day, At: at, Fingerprint: fingerprint,
		Record: record.Packed()}
}

// collections is a register of VAT on collection.
type collections struct {
	day     ro.Date
	periods []vatcollection.Period
}

func (c *collections) Periods(ro.CUI) []vatcollection.Period { return c.periods }
func (c *collections) Day() ro.Date                          { return c.day }
func (c *collections) Retrieved() time.Time                  { return c.day.UTC() }

// countingAuthority is a tax authority that answers about one company, and counts its calls.
type countingAuthority struct {
	asked []ro.CompanyDay
	down  bool
}

func (a *countingAuthority) record(_ context.Context, company ro.CompanyDay) (*anaf.Record, error) {
	if a.down {
		return nil, &op.Failure{Registry: taxAuthority, Kind: op.Closed, RetryAfter: time.Second,
			Err: errors.New("down")}
	}
	if company.CUI != retroactive {
		return nil, op.ErrUnknown
	}

	a.asked = append(a.asked, company)
	if company.Day == 0 {
		company.Day = ro.Today()
	}

	return recordOn(company.Day, ro.Today().String()), nil
}

// withHistory runs a test at noon of a day of 2024.
func withHistory(t *testing.T, test func(t *testing.T, h *History, a *countingAuthority, s *seen, c *collections)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(time.Date(2024, 12, 12, 10, 0, 0, 0, time.UTC)))
		a, s, vat := &countingAuthority{}, &seen{}, &collections{}
		test(t, NewHistory(serving(t, a.record), s, vat), a, s, vat)
	})
}

// inWords formats a status in a few words.
func inWords(s company.StatusOnDay) string {
	if s.Value == nil {
		return "unknown"
	}

	text := fmt.Sprintf("%t, %s", *s.Value, *s.Basis)
	if s.From != nil {
		text += ", from " + s.From.String()
	}
	if s.To != nil {
		text += " to " + s.To.String()
	}
	if s.EnteredOn != nil {
		text += ", entered " + s.EnteredOn.String()
	}

	return text
}

func TestStatus(t *testing.T) {
	const open = "true, %s, from 2017-10-01"
	const closed = "false, %s, from 2017-10-01 to 2020-12-02, entered 2020-12-29"
	for name, test := range map[string]struct {
		observed                       []string
		day, knownAt                   string
		vat, inactive, now, inactiveIs string
	}{
		"what the register says now": {
			day: "2020-12-05", vat: fmt.Sprintf(closed, "register"),
			inactive: "true, register, from 2020-12-02 to 2020-12-18",
		},
		"what could be known": {
			day: "2020-12-05", knownAt: "2020-12-05", vat: fmt.Sprintf(open, "periods"), inactive: "false, periods",
			now: fmt.Sprintf(closed, "register"), inactiveIs: "true, register, from 2020-12-02 to 2020-12-18",
		},
		"two weeks later": {
			day: "2020-12-20", knownAt: "2020-12-20", vat: fmt.Sprintf(open, "periods"),
			inactive: "false, periods, from 2020-12-02 to 2020-12-18",
			now:      fmt.Sprintf(closed, "register"), inactiveIs: "false, register, from 2020-12-02 to 2020-12-18",
		},
		"what was observed": {
			observed: []string{"2020-12-05"}, day: "2020-12-05", knownAt: "2020-12-05",
			vat: fmt.Sprintf(open, "observed"), inactive: "false, observed",
			now: fmt.Sprintf(closed, "register"), inactiveIs: "true, register, from 2020-12-02 to 2020-12-18",
		},
		"what was observed later does not count": {
			observed: []string{"2021-02-01"}, day: "2020-12-05", knownAt: "2020-12-05",
			vat: fmt.Sprintf(open, "periods"), inactive: "false, periods",
			now: fmt.Sprintf(closed, "register"), inactiveIs: "true, register, from 2020-12-02 to 2020-12-18",
		},
		"known before the day": {
			day: "2020-12-05", knownAt: "2020-11-01", vat: fmt.Sprintf(open, "periods"), inactive: "false, periods",
			now: fmt.Sprintf(closed, "register"), inactiveIs: "true, register, from 2020-12-02 to 2020-12-18",
		},
		"known today": {
			day: "2020-12-05", knownAt: "2024-12-12", vat: fmt.Sprintf(closed, "register"),
			inactive: "true, register, from 2020-12-02 to 2020-12-18",
			now:      fmt.Sprintf(closed, "register"), inactiveIs: "true, register, from 2020-12-02 to 2020-12-18",
		},
		"before the company existed": {
			day: "2016-05-03", vat: "unknown", inactive: "unknown",
		},
		"before the company existed, as known on another day": {
			day: "2016-05-03", knownAt: "2020-12-05", vat: "unknown", inactive: "unknown", now: "unknown",
			inactiveIs: "unknown",
		},
		"today": {
			day: "2024-12-12", vat: "true, register, from 2021-01-13",
			inactive: "false, register, from 2020-12-02 to 2020-12-18",
		},
	} {
		t.Run(name, func(t *testing.T) {
			withHistory(t, func(t *testing.T, h *History, a *countingAuthority, s *seen, _ *collections) {
				for _, day := range test.observed {
					s.observe(t, day)
				}

				var known ro.Date
				if test.knownAt != "" {
					known = date(test.knownAt)
				}

				answer, err := h.Status(t.Context(), retroactive, date(test.day), known)
				testkit.NoError(t, err)

				got := answer.Value
				if inWords(got.VATPayer) != test.vat || inWords(got.Inactive) != test.inactive {
					t.Errorf("VAT %s; inactive %s", inWords(got.VATPayer), inWords(got.Inactive))
				}
				if (got.Now != nil) != (test.now != "") {
					t.Fatalf("now is %+v", got.Now)
				}

				if got.Now != nil {
					changed := strings.HasPrefix(test.vat, "true") != strings.HasPrefix(test.now, "true") ||
						strings.HasPrefix(test.inactive, "true") != strings.HasPrefix(test.inactiveIs, "true")
					if inWords(got.Now.VATPayer) != test.now || inWords(got.Now.Inactive) != test.inactiveIs ||
						*got.ChangedRetroactively != changed {
						t.Errorf("now VAT %s; inactive %s; changed %t", inWords(got.Now.VATPayer),
							inWords(got.Now.Inactive), *got.ChangedRetroactively)
					}
				}

				if test.observed != nil && *got.VATPayer.Basis == company.FromObservation &&
					ro.DateIn(got.RetrievedAt, ro.Bucharest).String() != test.observed[0] {
					t.Errorf("the receipt is for the record of %s", got.RetrievedAt)
				}
				if got.Name != "EXEMPLU RETROACTIV SRL" || shown(got.RegistrationDate) != "2016-05-04" ||
					len(got.Sources) != 1 || len(a.asked) != 1 {
					t.Errorf("got %q, %+v; %d questions", got.Name, got.Sources, len(a.asked))
				}
				if _, err := json.Marshal(got); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A look that found nothing new also counts as an observation, at the end of its day.
func TestStatusByLook(t *testing.T) {
	withHistory(t, func(t *testing.T, h *History, _ *countingAuthority, s *seen, _ *collections) {
		s.observe(t, "2020-11-01")
		s.confirmed = []history.Confirmation{{Day: date("2020-12-05"), On: date("2020-12-05")}}
		answer, err := h.Status(t.Context(), retroactive, date("2020-12-05"), date("2020-12-05"))
		if err != nil || inWords(answer.Value.VATPayer) != "true, observed, from 2017-10-01" {
			t.Errorf("got %+v, %v", answer.Value, err)
		}
	})
}

// The register of VAT on collection has data that the records lack: all periods, and the day on which each line was
// recorded.
func TestStatusOfVATOnCollection(t *testing.T) {
	withHistory(t, func(t *testing.T, h *History, _ *countingAuthority, _ *seen, c *collections) {
		c.day = date("2024-12-12")
		c.periods = []vatcollection.Period{
			{From: date("2018-01-01"), To: date("2019-01-01"), Recorded: date("2018-12-20")},
			{From: date("2018-01-01"), Recorded: date("2018-01-03"), Replaced: date("2018-12-20")},
		}
		for known, want := range map[string]string{
			"2018-12-19": "true, periods, from 2018-01-01, entered 2018-01-03",
			"2018-12-20": "false, periods, from 2018-01-01 to 2019-01-01, entered 2018-12-20",
			"2018-01-02": "false, periods",
		} {
			answer, err := h.Status(t.Context(), retroactive, date("2019-06-01"), date(known))
			if err != nil || inWords(answer.Value.VATOnCollection) != want || len(answer.Value.Sources) != 2 {
				t.Errorf("known on %s: %+v, %v", known, answer.Value, err)
			}
		}

		facts, sources, _, err := h.Facts(t.Context(), retroactive)
		if n := len(slices.DeleteFunc(facts, func(f company.Fact) bool {
			return f.Source != "anaf-vat-collection"
		})); err != nil || n != 1 || len(sources) != 2 {
			t.Errorf("%d facts of the register, %v, %v", n, sources, err)
		}
	})
}

// While the tax authority cannot be queried, answers come from observations only.
func TestStatusWhileDown(t *testing.T) {
	withHistory(t, func(t *testing.T, h *History, a *countingAuthority, s *seen, _ *collections) {
		a.down = true
		s.observe(t, "2020-12-05")
		answer, err := h.Status(t.Context(), retroactive, date("2020-12-05"), date("2020-12-05"))
		if err != nil || inWords(answer.Value.VATPayer) != "true, observed, from 2017-10-01" ||
			answer.Value.Now != nil || answer.Value.ChangedRetroactively != nil || len(answer.Value.Sources) != 1 ||
			answer.Value.Name == "" || shown(answer.Value.RegistrationDate) != "2016-05-04" {
			t.Errorf("got %+v, %v", answer.Value, err)
		}

		var failure *op.Failure
		for _, known := range []string{"", "2020-12-04"} {
			var at ro.Date
			if known != "" {
				at = date(known)
			}
			if _, err := h.Status(t.Context(), retroactive, date("2020-12-05"), at); !errors.As(err, &failure) {
				t.Errorf("known on %q: %v", known, err)
			}
		}

		if facts, sources, _, err := h.Facts(t.Context(), retroactive); err != nil || len(facts) == 0 ||
			len(sources) != 1 {
			t.Errorf("%d facts, %v, %v", len(facts), sources, err)
		}
		if _, _, _, err := NewHistory(h.register, &seen{}, nil).Facts(t.Context(),
			retroactive); !errors.As(err, &failure) {
			t.Errorf("without observations: %v", err)
		}
	})
}

// For some hours after midnight, the stored record of today is yesterday's. The answer says so.
func TestStatusOfTodayAfterMidnight(t *testing.T) {
	withHistory(t, func(t *testing.T, h *History, a *countingAuthority, _ *seen, _ *collections) {
		ask := func(known ro.Date) *company.Status {
			answer, err := h.Status(t.Context(), retroactive, ro.Today(), known)
			testkit.NoError(t, err)
			return answer.Value
		}
		ask(0)
		<-time.After(13 * time.Hour)

		got := ask(0)
		if inWords(got.VATPayer) != "true, register, from 2021-01-13" || got.Date != date("2024-12-12") ||
			len(a.asked) != 1 {
			t.Errorf("VAT %s on %s; %d questions", inWords(got.VATPayer), got.Date, len(a.asked))
		}
		if got = ask(date("2024-12-12")); inWords(got.VATPayer) != "true, periods, from 2021-01-13" ||
			got.Date != date("2024-12-12") {
			t.Errorf("known yesterday: VAT %s on %s", inWords(got.VATPayer), got.Date)
		}
	})
}

// The source refers to the record behind the answer, and says whether it is stale.
func TestSourcesWhileDown(t *testing.T) {
	withHistory(t, func(t *testing.T, h *History, a *countingAuthority, s *seen, _ *collections) {
		if _, _, _, err := h.Facts(t.Context(), retroactive); err != nil {
			t.Fatal(err)
		}

		taken := date("2024-12-12")
		a.down = true
		<-time.After(72 * time.Hour)
		// a past day was requested since
		s.observations = []history.Observation{observation(t, date("2018-05-05"), time.Now())}
		_, sources, _, err := h.Facts(t.Context(), retroactive)
		if err != nil || *sources[0].AsOf != taken || !sources[0].Stale ||
			retrievedOn(*sources[0].RetrievedAt) != taken {
			t.Errorf("the stored record: %+v, %v", sources, err)
		}

		testkit.NoError(t, h.register.Forget(t.Context(), retroactive))

		s.observations = nil
		s.observe(t, "2020-12-05")
		s.observe(t, "2021-02-01")
		_, sources, fresh, err := h.Facts(t.Context(), retroactive)
		if err != nil || *sources[0].AsOf != date("2021-02-01") || !sources[0].Stale || fresh.Cache != op.Hit ||
			retrievedOn(fresh.RetrievedAt) != date("2021-02-01") {
			t.Errorf("the last observation: %+v, %+v, %v", sources, fresh, err)
		}

		answer, err := h.Status(t.Context(), retroactive, date("2020-12-05"), date("2020-12-05"))
		if err != nil || len(answer.Value.Sources) != 1 || *answer.Value.Sources[0].AsOf != date("2020-12-05") ||
			answer.Cache != op.Hit || retrievedOn(answer.RetrievedAt) != date("2020-12-05") {
			t.Errorf("the status known then: %+v, %v", answer.Value, err)
		}
	})
}

type unreadable struct{}

func (unreadable) Of(context.Context, ro.CUI) ([]history.Observation, []history.Confirmation, error) {
	return nil, nil, errors.New("the database is away")
}

func TestHistoryThatCannotBeRead(t *testing.T) {
	withHistory(t, func(t *testing.T, h *History, _ *countingAuthority, _ *seen, _ *collections) {
		h.observed = unreadable{}
		if _, _, _, err := h.Facts(t.Context(), retroactive); !errors.Is(err, company.ErrHistoryDown) {
			t.Errorf("facts: %v", err)
		}
		if _, err := h.Status(t.Context(), retroactive, date("2020-12-05"),
			date("2020-12-05")); !errors.Is(err, company.ErrHistoryDown) {
			t.Errorf("status: %v", err)
		}
	})
}

// Requests for each day of ten years do not slow down the history.
func TestManyDaysAreReadOnce(t *testing.T) {
	s, at := &seen{}, time.Date(2024, 12, 12, 10, 0, 0, 0, time.UTC)
	for day := date("2014-12-12"); day < date("2024-12-12"); day++ {
		s.observations = append(s.observations, observation(t, day, at))
		at = at.Add(time.Millisecond)
	}

	h, n := NewHistory(nil, s, nil), len(s.observations)
	allocations := testing.AllocsPerRun(3, func() {
		views, err := h.views(t.Context(), retroactive)
		if err != nil || len(views) != n || views[n-1].Day != date("2024-12-11") ||
			!*views[n-1].Timelines[history.VATPayer].OnDay || *views[0].Timelines[history.VATPayer].OnDay {
			t.Fatalf("%d views, %v", len(views), err)
		}
	})
	if allocations > 2*float64(n) { // the views, and their records, which are not parsed
		t.Errorf("%g allocations for %d observations", allocations, n)
	}
}

func TestHistoryOfUnknown(t *testing.T) {
	withHistory(t, func(t *testing.T, h *History, _ *countingAuthority, _ *seen, _ *collections) {
		if _, err := h.Status(t.Context(), 9900000029, date("2020-12-05"),
			date("2020-12-05")); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("status: %v", err)
		}
		if _, _, _, err := h.Facts(t.Context(), 9900000029); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("facts: %v", err)
		}
	})
}

// Before the first observation, the facts come from today's record.
func TestFactsOfToday(t *testing.T) {
	withHistory(t, func(t *testing.T, h *History, a *countingAuthority, _ *seen, _ *collections) {
		facts, sources, _, err := h.Facts(t.Context(), retroactive)
		if err != nil || len(facts) == 0 || len(sources) != 1 || len(a.asked) != 1 {
			t.Fatalf("%v, %v, %v", facts, sources, err)
		}

		vat := 0
		for _, f := range facts {
			if f.Field == "vatPayer" {
				vat++
			}
			if f.LearnedAt == nil || f.LostAt != nil {
				t.Errorf("learned at %v, lost at %v", f.LearnedAt, f.LostAt)
			}
		}

		if vat != 2 {
			t.Errorf("%d registrations", vat)
		}
	})
}
