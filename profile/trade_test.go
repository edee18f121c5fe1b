package profile

import (
	"bytes"
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
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/onrc"
)

// trade is a trade register of a few firms; the zero value is not loaded.
type trade struct {
	firms   []search.Firm
	looked  []bool
	release ro.Date
}

func (t *trade) Search(_ context.Context, q search.Query) (search.Page, ro.Date, error) {
	if t.release == 0 {
		return search.Page{}, 0, onrc.ErrNotLoaded
	}
	return search.Page{Total: 40 + len(t.firms), Firms: t.firms, LookedUp: t.looked}, t.release, nil
}

func (t *trade) ByTaxID(cui ro.CUI) (firms []search.Firm, _ ro.Date, err error) {
	if t.release == 0 {
		return nil, 0, onrc.ErrNotLoaded
	}

	for _, f := range t.firms {
		if f.TaxID == cui {
			firms = append(firms, f)
		}
	}

	return firms, t.release, nil
}

func (t *trade) ByNumber(number tradenumber.Number) (firms []search.Firm, _ ro.Date, err error) {
	if t.release == 0 {
		return nil, 0, onrc.ErrNotLoaded
	}

	for _, f := range t.firms {
		if own, ok := tradenumber.Parse(f.Number); ok && own == number {
			firms = append(firms, f)
		}
	}

	return firms, t.release, nil
}

func (t *trade) DataThrough() ro.Date { return t.release }

func (t *trade) Status() onrc.Status {
	return onrc.Status{Loaded: time.Date(2026, 9, 3, 12, 0, 0, 0, time.UTC)}
}

// loaded returns a trade register with the known company and one more.
func loaded() *trade {
	return &trade{release: ro.NewDate(2026, 9, 2), firms: []search.Firm{
		{TaxID: known, Name: "EXEMPLU ȘTIINȚĂ SRL", Form: "SRL", Number: "J12/345/2010",
			EUID: "ROONRC.J12/345/2010", State: company.Insolvent,
			Registered: ro.NewDate(2010, 3, 1), County: 12, City: "Cluj-Napoca", Address: "Str. Exemplului 1",
			Website: "https://exemplu.example", Main: "6210"},
		{TaxID: unknown, Name: "INVENTAT SA", Form: "SA", State: company.InOperation, County: 40,
			City: "Sector 3"},
	}}
}

func decode(t *testing.T, answer op.Answer[*company.Company]) (c company.Company) {
	t.Helper()
	testkit.NoError(t, json.Unmarshal(answer.Document.JSON, &c))
	return c
}

func TestBothRegistersAreJoined(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		if _, err := r.Company(t.Context(), today(known)); err != nil { // before the trade register is loaded
			t.Fatal(err)
		}

		r.trade = loaded()
		answer, err := r.Company(t.Context(), today(known))
		testkit.NoError(t, err)

		c := decode(t, answer)
		for _, f := range []struct{ name, got, want string }{
			{"state", string(c.StateRegistration), "insolvent"},
			{"companyType", shown(c.CompanyType), "SRL"},
			{"tradeNumber", shown(c.TradeNumber), "J12/345/2010"},
			{"tradeNumberNew", shown(c.TradeNumberNew), "J2010000345122"},
			{"euid", shown(c.EUID), "ROONRC.J12/345/2010"},
			{"website", shown(c.Website), "https://exemplu.example"},
			{"county", shown(c.County), "CLUJ"},
			{"city", shown(c.City), "Cluj-Napoca"},
			{"mainNaceCode", shown(c.MainNACECode), "6210"},
			{"registrationDate", c.RegistrationDate.String(), "2010-03-01"},
		} {
			if f.got != f.want {
				t.Errorf("%s is %s, want %s", f.name, f.got, f.want)
			}
		}

		if len(c.Sources) != 2 || c.Sources[1].Name != "onrc" || c.Sources[1].AsOf.String() != "2026-09-02" ||
			answer.Cache != op.Hit || a.asked != 1 {
			t.Errorf("%s, asked %d times, sources %+v", answer.Cache, a.asked, c.Sources)
		}
		if again, _ := r.Company(t.Context(), today(known)); again.Document != answer.Document {
			t.Error("a hit was joined again")
		}
	})
}

// Whether the right to use the registered office has expired is known only of a company that the trade register lists.
func TestSeatExpired(t *testing.T) {
	release := ro.NewDate(2026, 9, 2)
	entry := search.Firm{TaxID: known, Name: "EXEMPLU SRL"}
	expired := entry
	expired.SeatExpired = true
	for name, c := range map[string]struct {
		register *trade
		want     string
	}{
		"expired":    {&trade{release: release, firms: []search.Firm{expired}}, "true"},
		"in force":   {&trade{release: release, firms: []search.Firm{entry}}, "false"},
		"not listed": {&trade{release: release}, "null"},
		"not loaded": {&trade{firms: []search.Firm{expired}}, "null"},
	} {
		within(t, func(t *testing.T, r *Register, _ *authority) {
			r.trade = c.register
			answer, err := r.Company(t.Context(), today(known))
			testkit.NoError(t, err)
			if !bytes.Contains(answer.Document.JSON, []byte(`"seatExpired":`+c.want+`,`)) {
				t.Errorf("%s: %s, want %s", name, answer.Document.JSON, c.want)
			}
		})
	}
}

// TestTheTopDescribesOneAddress verifies that the trade register's place never completes the tax authority's address.
func TestTheTopDescribesOneAddress(t *testing.T) {
	for general, want := range map[string]string{
		"": "Str. Exemplului 1, Cluj-Napoca, CLUJ, 400001",
		`,"adresa":"JUD. IAŞI, STR. ALTA","codPostal":"700001"`: "JUD. IAȘI, STR. ALTA, null, null, 700001",
	} {
		within(t, func(t *testing.T, r *Register, a *authority) {
			trade := loaded()
			trade.firms[0].PostalCode = "400001"
			r.trade, a.general = trade, general
			answer, err := r.Company(t.Context(), today(known))
			testkit.NoError(t, err)

			c := decode(t, answer)
			got := strings.Join([]string{shown(c.Address), shown(c.City), shown(c.County), shown(c.PostalCode)}, ", ")
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestMainActivityHasARevision(t *testing.T) {
	for _, test := range []struct {
		code       string
		authorised []string
		want       string
	}{
		{"6201", nil, "2"}, {"6210", nil, "3"}, {"0111", nil, "3"}, {"4791", nil, "null"}, {"9999", nil, "null"},
		{"4791", []string{"2:4791", "2:6201"}, "2"},
		{"4791", []string{"2:6201", "3:4791"}, "3"},
		{"4791", []string{"2:4791", "3:4791"}, "null"},
		{"0111", []string{"2:0111"}, "2"},
		{"", []string{"3:6210"}, "3"}, // the trade register's
	} {
		within(t, func(t *testing.T, r *Register, a *authority) {
			trade := loaded()
			trade.firms[0].Codes = test.authorised
			r.trade, a.general = trade, fmt.Sprintf(`,"cod_CAEN":%q`, test.code)
			answer, err := r.Company(t.Context(), today(known))
			testkit.NoError(t, err)
			if !bytes.Contains(answer.Document.JSON, []byte(`"mainNaceRevision":`+test.want+`,`)) {
				t.Errorf("%s, authorised %v: %s, want %s", test.code, test.authorised, answer.Document.JSON, test.want)
			}
		})
	}
}

func TestTradeRegisterAlone(t *testing.T) {
	for _, c := range []struct {
		name      string
		failure   error
		retrieved bool // the tax authority returned data
	}{
		{"the tax authority is down", &op.Failure{Registry: "anaf", Kind: op.Broken, Err: errors.New("refused")},
			false},
		{"the tax authority does not know the number", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			within(t, func(t *testing.T, r *Register, a *authority) {
				r.trade, a.err = loaded(), c.failure
				answer, err := r.Company(t.Context(), today(unknown))
				testkit.NoError(t, err)

				got := decode(t, answer)
				if got.Name != "INVENTAT SA" || got.StateRegistration != company.InOperation || got.VATPayer != nil ||
					shown(got.County) != "BUCUREȘTI" {
					t.Errorf("%+v", got)
				}
				if s := got.Sources; len(s) != 2 || s[0].Name != "anaf" || (s[0].RetrievedAt != nil) != c.retrieved ||
					answer.Cache != op.Miss {
					t.Errorf("%s, sources %+v", answer.Cache, s)
				}
			})
		})
	}
}

// Stored data needs no request, and a closure that only the tax authority knows is not hidden by an older release.
func TestStored(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		if c := r.Stored(known); c != nil {
			t.Errorf("before anything is known: %+v", c)
		}

		r.trade = loaded()
		if c := r.Stored(unknown); c == nil || c.Name != "INVENTAT SA" || c.VATPayer != nil {
			t.Errorf("from the trade register alone: %+v", c)
		}
		if a.asked != 0 {
			t.Errorf("%d questions", a.asked)
		}

		if _, err := r.Company(t.Context(), today(known)); err != nil {
			t.Fatal(err)
		}
		if c := r.Stored(known); c == nil || c.VATPayer == nil || c.StateRegistration != "insolvent" {
			t.Errorf("from both: %+v", c)
		}
	})

	remembering(t, now, func(t *testing.T, r *Register, m *memory) {
		m.status = "RADIERE din data 01.06.2026"
		r.trade = &trade{release: ro.NewDate(2026, 5, 1), firms: []search.Firm{
			{TaxID: known, Name: "EXEMPLU SRL", State: company.InOperation},
		}}
		about(t, r, m, 0, 1)
		if c := r.Stored(known); c.StateRegistration != company.StruckOff {
			t.Errorf("struck off after the release: %s", c.StateRegistration)
		}
	})
}

func TestNeitherRegister(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		r.trade = loaded()
		const nobody ro.CUI = 9900000037
		if _, err := r.Company(t.Context(), today(nobody)); !errors.Is(err, op.ErrUnknown) {
			t.Errorf("an unknown number: %v", err)
		}

		a.err = &op.Failure{Registry: "anaf", Kind: op.TimedOut, Err: errors.New("slow")}
		if _, err := r.Company(t.Context(), today(nobody+8)); !errors.Is(err, a.err) {
			t.Errorf("with the tax authority down: %v", err)
		}
	})
}

func TestSearchFillsInWhatIsStored(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		r.trade = loaded()
		found, err := r.Search(t.Context(), company.Query{Text: "exemplu", Limit: 25})
		if err != nil || found.Total != 42 || len(found.Items) != 2 || found.Through.String() != "2026-09-02" {
			t.Fatalf("%+v, %v", found, err)
		}
		if first := found.Items[0]; first.VATPayer != nil || shown(first.County) != "CLUJ" ||
			shown(first.MainNACECode) != "6210" {
			t.Errorf("before the company is stored: %+v", first)
		}

		synctest.Wait() // the missing company is fetched in the background
		if a.asked != 2 {
			t.Errorf("the tax authority was asked %d times", a.asked)
		}

		found, _ = r.Search(t.Context(), company.Query{Text: "exemplu", Limit: 25})
		if first := found.Items[0]; first.VATPayer == nil || !*first.VATPayer || first.Inactive == nil ||
			*first.Inactive {
			t.Errorf("after: %+v", first)
		}
		if a.asked != 2 {
			t.Error("a stored company was fetched again")
		}
	})
}

func TestSearchFetchesNothingWhileTheTaxAuthorityIsDown(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		ready := false
		r.trade, r.Ready = loaded(), func() bool { return ready }
		for _, want := range []int{0, 2} {
			if _, err := r.Search(t.Context(), company.Query{Text: "exemplu", Limit: 25}); err != nil {
				t.Error(err)
			}

			synctest.Wait()
			if a.asked != want {
				t.Errorf("ready: %t; the tax authority was asked %d times, want %d", ready, a.asked, want)
			}

			ready = true
		}
	})
}

// notPaying are the statuses of a company that is known not to pay VAT.
var notPaying = history.Statuses(0).With(history.VATPayer, new(false))

func TestSearchFillsInWhatLooksSaid(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		r.trade = loaded()
		r.LastLooks = func(_ context.Context, companies []ro.CUI) (all []history.Finding, err error) {
			for _, c := range companies {
				all = append(all, history.Finding{Company: c,
					Statuses: notPaying.With(history.Inactive, new(true)), NACE: 111, Phone: "0700000000"})
			}
			return all, nil
		}
		found, err := r.Search(t.Context(), company.Query{Text: "exemplu", Limit: 25})
		if err != nil || found.NotObserved != nil {
			t.Fatalf("%+v, %v", found, err)
		}

		for _, c := range found.Items {
			if c.Inactive == nil || !*c.Inactive {
				t.Errorf("not inactive: %+v", c)
			}
			if c.VATPayer == nil || *c.VATPayer || shown(c.MainNACECode) != "0111" || shown(c.Phone) != "0700000000" {
				t.Errorf("%+v", c)
			}
		}

		synctest.Wait()
		if a.asked != 0 {
			t.Errorf("the tax authority was asked %d times", a.asked)
		}

		found, err = r.Search(t.Context(), company.Query{Text: "exemplu", VATPayer: ro.No, Limit: 25})
		if err != nil || found.NotObserved == nil {
			t.Errorf("by a status: %+v, %v", found, err)
		}
	})
}

// Looks are read only for companies that were looked at.
func TestSearchReadsFewLooks(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		register, read := loaded(), []ro.CUI(nil)
		r.trade = register
		r.LastLooks = func(_ context.Context, companies []ro.CUI) ([]history.Finding, error) {
			read = append(read, companies...)
			return []history.Finding{{Company: known, Statuses: notPaying, NACE: 111}}, nil
		}
		for _, c := range []struct {
			looked []bool
			want   []ro.CUI
		}{{[]bool{false, false}, nil}, {[]bool{true, false}, []ro.CUI{known}}} {
			register.looked, read = c.looked, nil
			found, err := r.Search(t.Context(), company.Query{Text: "exemplu", Limit: 25, Stored: true})
			if err != nil || len(found.Items) != 2 || !slices.Equal(read, c.want) {
				t.Errorf("looked at %v: read %v; %v", c.looked, read, err)
			}
			if first := found.Items[0]; c.looked[0] != (shown(first.MainNACECode) == "0111") {
				t.Errorf("looked at %v: %+v", c.looked, first)
			}
		}
	})
}

func TestSearchGivesNoNumberWhereTheRegisterHasNone(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		r.trade = &trade{release: ro.NewDate(2026, 9, 2), firms: []search.Firm{{Name: "EXEMPLU FĂRĂ NUMĂR SRL"}}}
		found, err := r.Search(t.Context(), company.Query{Text: "exemplu", Limit: 25})
		if err != nil || len(found.Items) != 1 || found.Items[0].TaxID != nil {
			t.Errorf("%+v, %v", found.Items, err)
		}

		synctest.Wait()
		if a.asked != 0 {
			t.Error("the tax authority was asked for a company without a number")
		}
	})
}

func TestTaxIDOfARegisterNumber(t *testing.T) {
	register := &Register{trade: &trade{release: ro.NewDate(2026, 9, 2), firms: []search.Firm{
		{TaxID: 99, Name: "C12 5 1999 IMPEX SRL", Number: "J12/1/1999"},
		{TaxID: known, Name: "EXEMPLU SA", Number: "J40/8302/1997"},
		{TaxID: unknown, Name: "INVENTAT SRL", Number: "J2025007112004"},
		{Name: "EXEMPLU FĂRĂ CUI SRL", Number: "J12/7/1991"},
		{Name: "EXEMPLU DUBLU SRL", Number: "J12/8/1991"},
		{TaxID: 18, Name: "EXEMPLU DUBLU SRL", Number: "J12/8/1991"},
	}}}
	for name, c := range map[string]struct {
		number string
		want   ro.CUI
	}{
		"the old spelling":               {"J40/8302/1997", known},
		"the new spelling":               {"J1997008302407", known},
		"a number without a county":      {"J2025007112004", unknown},
		"another county":                 {"J12/8302/1997", 0},
		"a company without a tax id":     {"J12/7/1991", 0},
		"two companies, one with tax id": {"J12/8/1991", 18},
	} {
		t.Run(name, func(t *testing.T) {
			number, _ := tradenumber.ParseStrict(c.number)
			got, err := register.TaxID(t.Context(), number)
			if got != c.want || errors.Is(err, op.ErrUnknown) != (c.want == 0) || c.want != 0 && err != nil {
				t.Errorf("%q is %s, %v; want %s", c.number, got, err, c.want)
			}
		})
	}

	register.trade = new(trade)
	if _, err := register.TaxID(t.Context(), tradenumber.Number{}); !errors.Is(err, onrc.ErrNotLoaded) {
		t.Errorf("before the first load: %v", err)
	}
}

func TestSearchBeforeTheFirstLoad(t *testing.T) {
	within(t, func(t *testing.T, r *Register, a *authority) {
		if _, err := r.Search(t.Context(), company.Query{Limit: 25}); !errors.Is(err, onrc.ErrNotLoaded) {
			t.Error(err)
		}
	})
}
