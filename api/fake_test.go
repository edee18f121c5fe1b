package api

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/api/release"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/fake"
)

// The registries of these tests: one invented company and a few fixings.

const exampleCUI ro.CUI = 9900000010

type fakeCompanies map[ro.CUI]error

func (f fakeCompanies) Company(_ context.Context, asked ro.CompanyDay) (op.Answer[*company.Company], error) {
	err, known := f[asked.CUI]
	if !known {
		return op.Answer[*company.Company]{}, op.ErrUnknown
	}
	if err != nil {
		return op.Answer[*company.Company]{}, err
	}

	c := &company.Company{TaxID: asked.CUI, Name: "EXEMPLU CLUJ SRL", StateRegistration: company.InOperation,
		Sources: []company.Source{}}
	if asked.Day != 0 {
		c.StatusDate, c.AsOfBasis = &asked.Day, &company.AsOfBases{}
	}

	fresh := op.Freshness{Cache: op.Hit, RetrievedAt: time.Now().Add(-time.Minute),
		FreshUntil: time.Now().Add(time.Hour), MaxAge: 5 * time.Minute}
	return op.Answer[*company.Company]{Value: c, Freshness: fresh}, nil
}

func (f fakeCompanies) Companies(ctx context.Context, companies []ro.CompanyDay, _ time.Duration,
	each func([]company.Found) bool) {
	for i, c := range companies {
		answer, err := f.Company(ctx, c)
		if !each([]company.Found{{Index: i, Answer: answer, Err: err}}) {
			return
		}
	}
}

func (f fakeCompanies) LegalRepresentatives(context.Context, ro.CUI) (*company.LegalRepresentatives, error) {
	return &company.LegalRepresentatives{
		Governance: []company.LegalRepresentative{{Name: "EXEMPLU ANA", Role: "administrator"}},
		Procedural: []company.LegalRepresentative{},
	}, nil
}

func (f fakeCompanies) Insolvency(_ context.Context, c *company.Company) *company.Insolvency {
	i := company.NewInsolvency(company.InsolvencyState(company.Insolvent))
	i.Codes, i.Representatives = []company.StateCode{{Code: "1107", Name: "insolvență"}},
		[]company.LegalRepresentative{{Name: "EXEMPLU INSOLVENȚĂ SPRL", Role: "administrator judiciar"}}
	i.DataThrough = new(ro.NewDate(2026, 9, 2))
	return i
}

// fakeRegisters reports that all companies are farmers; its other registers are unavailable. It records the lists that
// it receives.
type fakeRegisters struct{ asked *[][]ro.CompanyDay }

func (f fakeRegisters) Registers(_ context.Context, companies []ro.CompanyDay,
	_ time.Duration) []op.Answer[*company.Registers] {
	if f.asked != nil {
		*f.asked = append(*f.asked, companies)
	}

	answers := make([]op.Answer[*company.Registers], len(companies))
	for i := range answers {
		answers[i].Value = &company.Registers{
			Farmers: company.RegisterEntry{Registered: new(true), From: new(ro.NewDate(2019, 1, 1))},
			Sources: []company.Source{{Name: "anaf-farmers", Cache: op.Hit}, {Name: "anaf-nonprofits", Cache: op.Miss},
				{Name: "anaf-efactura", Cache: op.Miss}},
		}
		answers[i].Freshness = op.Freshness{Cache: op.Miss, RetrievedAt: time.Now().Add(-time.Hour)}
	}

	return answers
}

func (f fakeCompanies) BalanceSheets(_ context.Context, _ ro.CUI, y company.Years) ([]company.BalanceSheet, []int, bool,
	error) {
	return []company.BalanceSheet{{Year: 2025, Currency: "RON", Indicators: []company.Indicator{}}}, y.Named,
		len(y.Named) == 0, nil
}

func (fakeCompanies) Filings(_ context.Context, _ ro.CUI, year int) (*company.Filings, error) {
	return &company.Filings{Year: year}, nil
}

func (fakeCompanies) PeerFigures(context.Context, int, string) (*company.PeerFigures, error) {
	return new(company.PeerFigures), nil
}

// fakeTrade finds two companies for every query, one of them without a tax id. It can also be not loaded yet.
type fakeTrade struct {
	asked    company.Query
	unloaded bool
}

func (f *fakeTrade) TaxID(_ context.Context, number tradenumber.Number) (ro.CUI, error) {
	if f.unloaded {
		return 0, problem.Unavailable.New("the trade register is being loaded for the first time: 41 %% done; try " +
			"again later").After(time.Minute)
	}
	if number.Old() == "J12/345/2010" {
		return exampleCUI, nil
	}
	return 0, op.ErrUnknown
}

func (f *fakeTrade) Search(_ context.Context, q company.Query) (company.Matches, error) {
	if f.asked = q; f.unloaded {
		return company.Matches{}, problem.Unavailable.New("the trade register is being loaded for the first time: 41 " +
			"%% done; try again later").After(time.Minute)
	}

	county, unknown := "CLUJ", (*int)(nil)
	if q.VATPayer != "" || q.Inactive != "" || q.EInvoice != "" {
		unknown = new(7)
	}

	found := company.Matches{Total: 2, NotObserved: unknown, Through: ro.NewDate(2026, 9, 2),
		Items: []company.Summary{
			{TaxID: new(exampleCUI), Name: "EXEMPLU CLUJ SRL", County: &county, StateRegistration: company.InOperation},
			{Name: "EXEMPLU FĂRĂ NUMĂR SRL", StateRegistration: company.StruckOff}}}
	if q.WithFigures {
		found.StatementsYear = new(2025)
		found.Items[0].SetFigures(&company.Figures{
			company.TurnoverFigure: new(int64(1_500_000)), company.NetResultFigure: new(int64(-2000)),
			company.EmployeesFigure: new(int64(0)),
		})
	}

	return found, nil
}

// fakeReleases has one release.
type fakeReleases struct{}

func (fakeReleases) List() []release.Release {
	return []release.Release{{Date: ro.NewDate(2026, 10, 2), Companies: 2,
		Files: []release.ReleaseFile{release.Parquet, release.CSV, release.Changes}}}
}

func (fakeReleases) File(release ro.Date, name string) (*op.Document, error) {
	if release != 0 && release != ro.NewDate(2026, 10, 2) {
		return nil, op.ErrUnknown
	}
	return op.NewStoredFile("/nowhere/"+name, "application/zstd", name, "abc", time.Time{}), nil
}

// fakeActivities has the codes K, 62, 621 and 6210, and has replaced the code 6201 with 6210.
type fakeActivities struct{ reference.Classification }

func (fakeActivities) Activity(code reference.CAENCode) (a op.Answer[reference.ActivityDetail], ok bool) {
	return a, slices.Contains([]reference.CAENCode{"K", "62", "621", "6210"}, code)
}

func (fakeActivities) Successors(rev2 reference.CAENCode) []reference.Successor {
	if rev2 == "6201" {
		return []reference.Successor{{Code: "6210", Name: "Activitate inventată", NameEn: "Invented activity",
			Type: reference.Class}}
	}
	return nil
}

// fakePlaces knows only the county of Cluj.
type fakePlaces struct{}

func (fakePlaces) County(ref reference.CountyRef) (int, string) {
	if slices.Contains([]reference.CountyRef{"12", "CJ", "Cluj"}, ref) {
		return 12, ""
	}
	return 0, "CLUJ"
}

// Town knows Dej, and Dej as people write it.
func (fakePlaces) Town(_ int, text string) (name, nearest string) {
	if slices.Contains([]string{"Dej", "Mun. Dej"}, text) {
		return "Dej", ""
	}
	return "", "Dej"
}

func (fakePlaces) Counties(reference.CountyQuery) ([]reference.County, int) {
	return []reference.County{}, 0
}
func (fakePlaces) Places(reference.PlaceQuery) ([]reference.Place, int) {
	return []reference.Place{}, 0
}

// fakeCalendar has weekends and no holidays.
type fakeCalendar struct{}

func (fakeCalendar) Holidays(int) []reference.Holiday       { return []reference.Holiday{} }
func (fakeCalendar) HolidaysOn(ro.Date) []reference.Holiday { return nil }
func (fakeCalendar) AsOf() ro.Date                          { return ro.NewDate(2026, 11, 22) }
func (fakeCalendar) BankDay(day ro.Date) bool {
	return reference.WeekdayOf(day) != reference.Saturday && reference.WeekdayOf(day) != reference.Sunday
}

type fakeFixings []rate.Fixing

func (f fakeFixings) On(_ context.Context, day ro.Date) (rate.Fixing, op.Freshness, error) {
	for _, fixing := range slices.Backward(f) {
		if day == 0 || fixing.Date <= day {
			return fixing, op.Freshness{Cache: op.Hit, RetrievedAt: time.Now(), FreshUntil: time.Now().Add(time.Minute),
				MaxAge: time.Minute}, nil
		}
	}

	return rate.Fixing{}, op.Freshness{}, op.ErrUnknown
}

func (f fakeFixings) Between(_ context.Context, c ro.Currency, from, to ro.Date) ([]rate.Quotation, op.Freshness,
	error) {
	var series []rate.Quotation
	for _, fixing := range f {
		if r, ok := fixing.In(c); ok && from <= fixing.Date && fixing.Date <= to {
			series = append(series, rate.Quotation{Date: fixing.Date, Rate: r})
		}
	}

	return series, op.Freshness{Cache: op.Hit}, nil
}

func (f fakeFixings) LastQuoted(_ context.Context, c ro.Currency, day ro.Date) (ro.Date, bool, error) {
	if c == lostCurrency {
		return 0, false, &op.Failure{Registry: "bnr", Kind: op.Broken, Err: errors.New("secret cause")}
	}

	for _, fixing := range slices.Backward(f) {
		if _, ok := fixing.In(c); ok && fixing.Date <= day {
			return fixing.Date, true, nil
		}
	}

	return 0, false, nil
}

// lostCurrency was published in a year that the bank currently fails to deliver.
const lostCurrency ro.Currency = "SKK"

func (f fakeFixings) Currencies() []ro.Currency {
	return []ro.Currency{"EUR", "HRK", "HUF", lostCurrency, "USD", "XAU"}
}

func dec(text string) ro.Decimal {
	d, err := ro.ParseDecimal(text)
	if err != nil {
		panic(err)
	}
	return d
}

var fixings = fakeFixings{
	{Date: ro.NewDate(2022, 12, 30), Rates: []rate.Rate{{Currency: "EUR", Rate: dec("4.9474")},
		{Currency: "HRK", Rate: dec("0.6565")}, {Currency: "HUF", Rate: dec("0.012354")}}},
	{Date: ro.NewDate(2026, 6, 10), Rates: []rate.Rate{{Currency: "EUR", Rate: dec("5.2344")},
		{Currency: "HUF", Rate: dec("0.014420")}, {Currency: "USD", Rate: dec("4.5286")},
		{Currency: "XAU", Rate: dec("605.1234")}}},
	{Date: ro.NewDate(2026, 6, 12), Rates: []rate.Rate{{Currency: "EUR", Rate: dec("5.2400")},
		{Currency: "HUF", Rate: dec("0.0144")}, {Currency: "USD", Rate: dec("4.5300")}}},
}

// fakeReceipts has one receipt.
type fakeReceipts struct{}

func (fakeReceipts) Receipt(_ context.Context, id proof.ReceiptID) (op.Answer[*proof.Receipt], error) {
	if id != "rcp_abcdefghijklmnopqrstuvwxyz" {
		return op.Answer[*proof.Receipt]{}, op.ErrUnknown
	}
	return op.Answer[*proof.Receipt]{Value: &proof.Receipt{ID: id, Statement: proof.Statement{TaxID: exampleCUI,
		Status: proof.Certified("{}")},
		JWT: "a.b.c"}}, nil
}

func (fakeReceipts) Certify(_ context.Context, s proof.Statement) (proof.ReceiptID, op.Renderer, error) {
	if s.TaxID != exampleCUI || !json.Valid(s.Status) {
		return "", nil, errors.New("the disk is full")
	}
	return "rcp_abcdefghijklmnopqrstuvwxyz", certificate(s.Status), nil
}

func (fakeReceipts) Salt(ctx context.Context, _ []byte) string {
	return op.CallerOf(ctx).Address.String()
}

// certificate renders a statement.
type certificate string

// Render implements Renderer.
func (c certificate) Render(_ context.Context, media, _ string) (*op.Document, error) {
	return op.NewFile([]byte(c), media, "receipt"), nil
}

func (fakeReceipts) SigningKeys(context.Context) (op.Answer[*proof.SigningKeys], error) {
	return op.Answer[*proof.SigningKeys]{Value: &proof.SigningKeys{Keys: []proof.SigningKey{}}}, nil
}

func newOperations() []*op.Operation {
	companies := fakeCompanies{exampleCUI: nil}
	return Operations(Registries{Companies: companies, TaxRegisters: fakeRegisters{}, CompanyHistory: &fakeHistory{},
		Trade: &fakeTrade{}, Releases: fakeReleases{}, Gazetteer: fakePlaces{}, Calendar: fakeCalendar{},
		Fixings: fixings, Keys: new(fakeKeyring), Usage: new(fake.Journal),
		Receipts: fakeReceipts{}, AllChanges: true,
		Sources: func() []system.SourceStatus { return []system.SourceStatus{} },
		History: func(int) []system.SourceHistory { return []system.SourceHistory{} }},
		metering.DefaultPlans(), system.About{Version: "test", Environment: "test", Started: time.Now()})
}

// brokenReceipts cannot be read.
type brokenReceipts struct{ fakeReceipts }

func (brokenReceipts) Receipt(context.Context, proof.ReceiptID) (op.Answer[*proof.Receipt], error) {
	return op.Answer[*proof.Receipt]{}, errors.New("the disk is gone")
}
