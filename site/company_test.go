package site

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/fake"
)

// exampleProfile returns the complete profile of an invented company.
func exampleProfile() *company.Company {
	now := time.Now().UTC().Truncate(time.Second)
	day := ro.DateIn(now, ro.Bucharest)
	return &company.Company{
		TaxID: 9900000010, Name: "EXEMPLU </script><CLUJ> SRL", TradeNumber: new("J12/101/2012"),
		EUID: new("ROONRC.J12/101/2012"),
		City: new("Cluj-Napoca"), County: new("CLUJ"), RegistrationDate: on("2012-03-05"),
		RegistrationStatus: new("INREGISTRAT din data 05.03.2012"), StateRegistration: company.InOperation,
		VATPayer: new(true), VATSince: on("2021-01-13"), VATOnCollection: new(false),
		VATPeriods: []company.VATPeriod{
			{From: on("2017-10-01"), To: on("2020-12-02"), CanceledOn: on("2020-12-29"),
				Reason: new("Anulare (exemplu)")},
			{From: on("2021-01-13")},
		},
		Inactive: &company.Inactive{Since: on("2020-12-02"), Reactivated: on("2020-12-18")},
		EInvoice: &company.EInvoice{Registered: true, Since: on("2022-07-01")},
		Website:  new("www.exemplu.example"),
		Seat: &company.StructuredAddress{Street: new("Str. Exemplului"), Number: new("2"),
			City: new("Cluj-Napoca"), County: new("CLUJ")},
		FiscalDomicile: &company.StructuredAddress{Street: new("Str. Alta"), Number: new("7"), City: new("Turda"),
			County: new("CLUJ")},
		Sources: []company.Source{
			{Name: anaf, RetrievedAt: &now, AsOf: &day}, {Name: onrc, RetrievedAt: &now, AsOf: &day},
		},
	}
}

func exampleSheets(context.Context) ([]company.BalanceSheet, []int, error) {
	n := func(n int64) *int64 { return &n }
	return []company.BalanceSheet{
		{Year: 2025, Turnover: n(1288377), NetResult: n(-56576), Employees: n(14)},
		{Year: 2024, Turnover: n(1198377), NetResult: n(55925)},
	}, nil, nil
}

// companySite is a site over one company.
func companySite(t testing.TB, known *oneCompany) *Site {
	t.Helper()
	return liveSite(t, api.Registries{Companies: known}, unlimited)
}

// has checks that a page contains all the texts.
func has(t *testing.T, w *httptest.ResponseRecorder, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(w.Body.String(), text) {
			t.Errorf("%d, without %q", w.Code, text)
		}
	}
}

func TestCompanyPage(t *testing.T) {
	s := companySite(t, &oneCompany{profile: exampleProfile(), sheets: exampleSheets})
	has(t, get(s, "/companies/9900000010"),
		"<title>EXEMPLU &lt;/script&gt;&lt;CLUJ&gt; SRL · CUI 9900000010 · rodata</title>",
		`<link rel="canonical" href="`+baseURL+`/companies/9900000010?lang=en">`,
		`hreflang="ro" href="`+baseURL+`/companies/9900000010?lang=ro"`, `property="og:title"`,
		`<span class="badge good" data-fact="vat">Registered for VAT since 13 January 2021</span>`,
		"From 1 October 2017 to 1 December 2020, inclusive", "Anulare (exemplu)", "Reactivated on",
		`<rect class="bad"`,
		"Str. Exemplului 2, Cluj-Napoca, CLUJ", "Str. Alta 7, Turda, CLUJ", "1,288,377", `<rect class="loss"`,
		"No proceedings in the trade register",
		"Show the representatives", "asked on ", " EE",
		`>holds</b> It was not declared inactive <small><a href="https://legislatie.just.ro/Public/DetaliiDocument/171282">`+
			`Law 227/2015 art. 11 (7)</a></small>`,
		`>Law 207/2015 art. 92</a></small> <small><a href="https://www.anaf.ro/RegistruTVA/">ANAF (tax authority)</a></small></li>`,
		`<li><b><a href="https://www.anaf.ro/RegistruTVA/">ANAF (tax authority)</a></b> · `,
		`</b> It was not in insolvency proceedings`, `<small><a href="https://myportal.onrc.ro/">ONRC (trade register)</a></small></li>`)
	has(t, get(s, "/companies/9900000010?include=legalRepresentatives&x=%22"),
		`href="?lang=ro&amp;include=legalRepresentatives"`)
	has(t, get(s, "/companies/9900000010?lang=ro"), "Plătitoare de TVA din 13 ianuarie 2021", "1.288.377 de lei",
		"Situații financiare anuale", `>Legea 227/2015 art. 11 (7)</a></small>`)
}

// A company that only the trade register knows has neither statuses of other days nor a history, so the page does not
// offer them. It offers both while the tax authority's answer is missing.
func TestPastOfACompanyOfTheTradeRegister(t *testing.T) {
	profile := exampleProfile()
	profile.RegistrationStatus, profile.VATPayer, profile.Inactive, profile.EInvoice = nil, nil, nil, nil
	s := companySite(t, &oneCompany{profile: profile, sheets: exampleSheets})
	body := get(s, "/companies/9900000010").Body.String()
	for _, offer := range []string{`aria-labelledby="onday"`, "/companies/9900000010/history"} {
		if strings.Contains(body, offer) {
			t.Errorf("the page offers %s", offer)
		}
	}

	profile.Sources[0].RetrievedAt = nil
	has(t, get(companySite(t, &oneCompany{profile: profile, sheets: exampleSheets}), "/companies/9900000010"),
		`aria-labelledby="onday"`, "/companies/9900000010/history")
}

// Parts of an address that say nothing are left out, and long numbers break where they should.
func TestFactsAreTidy(t *testing.T) {
	profile := exampleProfile()
	profile.Seat, profile.FiscalDomicile = nil, nil
	profile.Address = new("MUN. CLUJ-NAPOCA, -, NR., STR. NR. 5, BL.-, JUD. CLUJ")
	has(t, get(companySite(t, &oneCompany{profile: profile, sheets: exampleSheets}), "/companies/9900000010"),
		">MUN. CLUJ-NAPOCA, STR. NR. 5, JUD. CLUJ</span>", "ROONRC.<wbr>J12/<wbr>101/<wbr>2012")
}

// Results are not shown as yes or no, because "no" before a negated rule, "it was not declared inactive", reads as good
// news.
func TestFailedNegation(t *testing.T) {
	profile := exampleProfile()
	profile.Inactive = &company.Inactive{Status: true}
	s := companySite(t, &oneCompany{profile: profile, sheets: exampleSheets})
	has(t, get(s, "/companies/9900000010?lang=en"),
		`<ul class="rules"><li><b class="badge bad">does not hold</b> It was not declared inactive: the company was declared `+
			`inactive`)
	has(t, get(s, "/companies/9900000010?lang=ro"),
		`>nu se confirmă</b> Era activă fiscal: firma era declarată inactivă`)
}

// The right to use the registered office is mentioned only if it has expired.
func TestExpiredSeat(t *testing.T) {
	for _, expired := range []*bool{nil, new(false), new(true)} {
		profile := exampleProfile()
		profile.SeatExpired = expired
		s := companySite(t, &oneCompany{profile: profile, sheets: exampleSheets})
		for address, sentence := range map[string]string{
			"/companies/9900000010?lang=en": "Expired, according to the trade register",
			"/companies/9900000010?lang=ro": "Expirat, potrivit registrului comerțului",
		} {
			want := expired != nil && *expired
			if got := strings.Contains(get(s, address).Body.String(), sentence); got != want {
				t.Errorf("%s says that the right has expired: %t, want %t", address, got, want)
			}
		}
	}
}

// oneDay is a history with the same statuses on every day.
type oneDay struct {
	company.History
	company.StatusesOnDay
}

func (o oneDay) Status(_ context.Context, cui ro.CUI, day,
	_ ro.Date) (op.Answer[*company.Status], error) {
	return op.Answer[*company.Status]{Value: &company.Status{TaxID: cui, Name: "EXEMPLU", Date: day,
		RegistrationDate: on("2012-03-05"), StatusesOnDay: o.StatusesOnDay, Record: longHistory{}}}, nil
}

func (o oneDay) Supplier(ctx context.Context, found company.Found, cui ro.CUI, day,
	knownAt ro.Date) (company.Supplier, error) {
	answer, _ := o.Status(ctx, cui, day, knownAt)
	return company.Supplier{Profile: found.Answer, TaxErr: found.Err, Status: answer.Value}, nil
}

// dayServices answer about one company that has the same statuses on every day.
func dayServices(statuses company.StatusesOnDay, known *oneCompany) api.Registries {
	return api.Registries{Companies: known, CompanyHistory: oneDay{StatusesOnDay: statuses}, Receipts: sameReceipt{}}
}

func TestDaysOfACompany(t *testing.T) {
	inactive := company.StatusesOnDay{Inactive: company.StatusOnDay{Value: new(true)},
		VATPayer: company.StatusOnDay{Value: new(true), From: on("2012-04-01")}}
	for name, c := range map[string]struct {
		day      string
		statuses company.StatusesOnDay
		texts    []string // as of shows
	}{
		"before the company existed, with neither yes nor no": {"1999-01-04", company.StatusesOnDay{}, []string{
			"Firma a fost înregistrată la 5 martie 2012. La 4 ianuarie 1999 nu exista",
			`<b class="badge ">nu se aplică</b>`, "not", "necunoscut"}},
		"the first day": {"2012-03-05", company.StatusesOnDay{}, []string{"not", "nu exista"}},
		"printed, with the number and the day": {"2020-12-05", company.StatusesOnDay{}, []string{
			"CUI <b>9900000010</b>", "/companies/9900000010/status?date=2020-12-05. Data și ora"}},
		"as people write it":     {"05.12.2020", company.StatusesOnDay{}, []string{`value="2020-12-05"`, "not", "05.12.2020"}},
		"inactivity is bad news": {"2020-12-05", inactive, []string{`<b class="badge bad">inactivă</b>`}},
		"the conclusion is the verdict of the day, with its articles": {"2020-12-05", inactive, []string{
			`<b class="badge bad">De lămurit înainte de plată sau de deducere</b>`,
			"la 5 decembrie 2020, potrivit informațiilor disponibile atunci: firma era declarată inactivă; era înregistrată în " +
				"scopuri de TVA; nu se știe dacă aplica sistemul normal de TVA.",
			`<a href="https://legislatie.just.ro/Public/DetaliiDocument/171282">Legea 227/2015 art. 11 (7)</a>`}},
		"paid in cash, above the ceiling": {"2020-12-05&amount=6000,50", inactive, []string{
			"plătit în numerar: 6.000,50 lei", "suma depășește plafonul: restul se plătește prin bancă",
			"/companies/9900000010/status?amount=6000.50&amp;date=2020-12-05. Data și ora"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := liveSite(t, dayServices(c.statuses, &oneCompany{profile: exampleProfile()}), unlimited)
			shows(t, s, "/companies/9900000010/status?lang=ro&date="+c.day, c.texts...)
		})
	}
}

// noVerdict is a history whose database is down, so that there is no verdict.
type noVerdict struct{ oneDay }

func (noVerdict) Supplier(context.Context, company.Found, ro.CUI, ro.Date, ro.Date) (company.Supplier, error) {
	return company.Supplier{}, company.ErrHistoryDown
}

// noStatuses is the history of a company that only the trade register knows.
type noStatuses struct{ oneDay }

func (noStatuses) Status(context.Context, ro.CUI, ro.Date, ro.Date) (a op.Answer[*company.Status], _ error) {
	return a, op.ErrUnknown
}

func (noStatuses) Supplier(_ context.Context, f company.Found, _ ro.CUI, _, _ ro.Date) (company.Supplier, error) {
	return company.Supplier{Profile: f.Answer, TaxErr: op.ErrUnknown}, nil
}

// Without a verdict, the page has the facts; without the tax authority's facts, it has the verdict.
func TestHalfADay(t *testing.T) {
	services := dayServices(company.StatusesOnDay{}, &oneCompany{profile: exampleProfile()})
	for says, known := range map[string]company.History{
		"There is no conclusion right now": noVerdict{}, "as could be known then: ": noStatuses{},
	} {
		services.CompanyHistory = known
		shows(t, liveSite(t, services, unlimited), "/companies/9900000010/status?date=2020-12-05", says,
			`data-status="vatPayer"`, `<b class="badge unknown">unknown</b>`)
	}
}

// The form takes a company and the day of an invoice, and redirects to the page about that company on that day. For a
// mistyped number, it suggests the right one.
func TestInvoiceDayForm(t *testing.T) {
	s := liveSite(t, dayServices(company.StatusesOnDay{}, &oneCompany{profile: exampleProfile()}), unlimited)
	shows(t, s, "/companies/status?lang=ro", `name="cui"`, "not", "alert")
	shows(t, s, "/companies/status?cui=9900000011&date=2020-12-05&lang=ro", "o cifră este greșită",
		`<a href="/companies/9900000010/status?date=2020-12-05">Poate 9900000010?</a>`, `value="2020-12-05"`)
	shows(t, s, "/companies/status?cui=exemplu+cluj&lang=ro", `<a href="/companies?q=exemplu%20cluj">`)
	shows(t, s, "/companies/status?cui=&date=2020-12-05&lang=ro", "Lipsește CUI-ul.", "un CUI de 2 până la 10 cifre",
		`value="2020-12-05"`, "not", "Căutați „”")
	w := get(s, "/companies/9900000010/status?date=2020-12-05&amount=multe&lang=ro")
	if page := w.Body.String(); w.Code != http.StatusBadRequest || !strings.Contains(page, `value="multe"`) ||
		!strings.Contains(page, `value="2020-12-05"`) {
		t.Errorf("%d, and the form lost what was typed:\n%s", w.Code, page)
	}

	w = get(s, "/companies/status?cui=RO+9900000010&date=05.12.2020&amount=100")
	if to := w.Header().Get("Location"); to != "/companies/9900000010/status?amount=100&date=2020-12-05" {
		t.Errorf("%d to %q", w.Code, to)
	}

	w = get(s, "/companies/status?cui=9900000010&date=05.12.2020&amount=7.000,50&lang=ro")
	if to := w.Header().Get("Location"); !strings.Contains(to, "amount=7000.50") {
		t.Errorf("an amount in groups: %d to %q", w.Code, to)
	}
}

// oneActivity is the only activity of a classification.
type oneActivity struct{ reference.Classification }

func (oneActivity) Activity(code reference.CAENCode) (op.Answer[reference.ActivityDetail], bool) {
	detail := reference.ActivityDetail{Activity: reference.Activity{Code: "6210", Name: "Activități de programare",
		NameEn: "Programming <activities>"}}
	return op.Answer[reference.ActivityDetail]{Value: detail}, code == "6210"
}

func (oneActivity) Successors(code reference.CAENCode) []reference.Successor {
	if code != "6201" {
		return nil
	}
	return []reference.Successor{{Code: "6210"}, {Code: "6290"}}
}

// The page shows an activity with its name and a link. A code that CAEN Rev.3 dropped leads to its successors. A code
// of Rev.2, or of an unknown revision, is not shown with the name that Rev.3 gives it.
func TestActivityOfPage(t *testing.T) {
	for _, c := range []struct {
		code     string
		revision *int
		says     string
	}{
		{"6210", new(3), `<dd><a href="/caen/6210">6210 · Programming &lt;activities&gt;</a></dd>`},
		{"6210", new(2), `<dd><span>6210</span><small>A code of CAEN Rev.2, which means another activity in Rev.3</small>`},
		{"6210", nil, `<dd><span>6210</span><small>The registers do not say whether`},
		{"6201", new(2), `<dd><a href="/caen/6201">6201</a><small>A code of CAEN Rev.2; in Rev.3: 6210, 6290</small>`},
		{"0000", nil, "<dd><span>0000</span></dd>"},
	} {
		profile := exampleProfile()
		profile.MainNACECode, profile.MainNACERevision = &c.code, c.revision
		s := liveSite(t, api.Registries{Companies: &oneCompany{profile: profile}, Classification: oneActivity{}},
			unlimited)
		has(t, get(s, "/companies/9900000010"), c.says)
	}
}

// The linked data for search engines contains the identifiers, and a company name cannot end the script element.
func TestLinkedData(t *testing.T) {
	s := companySite(t, &oneCompany{profile: exampleProfile()})
	page := get(s, "/companies/9900000010").Body.String()
	found := regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`).FindStringSubmatch(page)
	var linked linkedCompany
	if found == nil || json.Unmarshal([]byte(found[1]), &linked) != nil {
		t.Fatalf("no linked data: %v", found)
	}

	if linked.Type != "Organization" || linked.Name != "EXEMPLU </script><CLUJ> SRL" || linked.TaxID != "9900000010" ||
		linked.VATID != "RO9900000010" ||
		linked.URL != "https://www.exemplu.example" || linked.Identifiers[1].Value != "ROONRC.J12/101/2012" ||
		linked.Identifiers[2].Value != "J12/101/2012" {
		t.Errorf("%+v", linked)
	}
}

// If a register could not be queried, the page says so and does not show its statuses as no.
func TestUnknownFactsOfPages(t *testing.T) {
	profile := exampleProfile()
	profile.Sources[0] = company.Source{Name: anaf}
	profile.VATPayer, profile.VATPeriods, profile.VATOnCollection, profile.Inactive, profile.EInvoice,
		profile.RegistrationStatus = nil, nil, nil, nil, nil, nil
	page := get(companySite(t, &oneCompany{profile: profile}), "/companies/9900000010")
	has(t, page, `<p class="notice" data-notice="unknown">ANAF (tax authority) could not be asked.`,
		`<span class="badge unknown" data-fact="vat">VAT: unknown</span>`,
		`<span class="badge unknown" data-fact="inactive">Inactive: unknown</span>`)
	if strings.Contains(page.Body.String(), "badge good") {
		t.Error("a company is green although its taxes are unknown")
	}

	for _, name := range []string{"Registered for VAT", "VAT on collection", "Fiscally inactive",
		"In the e-Factura register"} {
		has(t, page, "<dt>"+name+`</dt><dd><span class="missing">unknown</span>`)
	}
}

// The page does not wait for late balance sheets, and says that they are missing.
func TestLateSheets(t *testing.T) {
	for _, c := range []struct {
		name, says string
		sheets     func(context.Context) ([]company.BalanceSheet, []int, error)
	}{
		{"late", "The statements are being fetched from ANAF.",
			func(ctx context.Context) ([]company.BalanceSheet, []int, error) {
				<-ctx.Done()
				return nil, nil, ctx.Err()
			}},
		{"down", "ANAF could not be asked for the statements.",
			func(context.Context) ([]company.BalanceSheet, []int, error) {
				return nil, nil, &op.Failure{Registry: anaf, Kind: op.Closed, Err: context.DeadlineExceeded}
			}},
		{"years missing", "Not known yet: 2025, 2024.", func(context.Context) ([]company.BalanceSheet, []int, error) {
			return []company.BalanceSheet{}, []int{2025, 2024}, nil
		}},
		{"none", "No published statements were found. That does not mean that none were filed.",
			func(context.Context) ([]company.BalanceSheet, []int, error) {
				return []company.BalanceSheet{}, nil, nil
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				w := get(companySite(t, &oneCompany{profile: exampleProfile(), sheets: c.sheets}),
					"/companies/9900000010")
				has(t, w, c.says, "Registered for VAT since")
				if took := time.Since(start); w.Code != http.StatusOK || took > sheetsPatience {
					t.Errorf("%d after %s", w.Code, took)
				}
			})
		})
	}
}

// visitors are the sessions of the tests, by cookie.
type visitors map[string]account.Session

func (v visitors) Session(_ context.Context, _, cookie string) (account.Session, error) {
	if s, ok := v[cookie]; ok {
		return s, nil
	}
	return account.Session{}, account.ErrNoSession
}

// The page shows names of persons only to verified accounts that request them, and does not cache them.
func TestRepresentatives(t *testing.T) {
	const path = "/companies/9900000010?include=legalRepresentatives"
	s := companySite(t, &oneCompany{profile: exampleProfile(), persons: &company.LegalRepresentatives{
		Governance: []company.LegalRepresentative{{Name: "EXEMPLU ANA", Role: "administrator"}},
		Procedural: []company.LegalRepresentative{},
	}})
	journal := new(fake.Journal)
	s.Gateway.Ledger = metering.NewLedger(journal, slog.New(slog.DiscardHandler))
	defer s.Gateway.Ledger.Close()
	s.Gateway.Sessions = visitors{
		"good": {ID: "s1", Account: "a1", Plan: s.Gateway.Plans[0].Code, Verified: true},
		"new":  {ID: "s2", Account: "a2", Plan: s.Gateway.Plans[0].Code},
	}
	for _, c := range []struct {
		name, cookie, from string
		shown              bool
		says               string
	}{
		{"a link of our own", "good", "same-origin", true, "EXEMPLU ANA"},
		{"typed into the browser", "good", "none", true, "EXEMPLU ANA"},
		{"a link of another site", "good", "cross-site", false, "Show the representatives"},
		{"a link of a neighbour", "good", "same-site", false, "Show the representatives"},
		{"a browser that does not say", "good", "", false, "sign in with an account"},
		{"an account that is not verified", "new", "same-origin", false, "sign in with an account"},
		{"no session", "", "same-origin", false, "sign in with an account"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(journal.Entries())
			w := get(s, path, "Cookie", c.cookie, "Sec-Fetch-Site", c.from)
			if charged := len(journal.Entries())-before == 1; charged != c.shown {
				t.Errorf("the account was charged: %v", charged)
			}

			has(t, w, c.says)
			if shown := strings.Contains(w.Body.String(), "EXEMPLU ANA"); shown != c.shown {
				t.Errorf("names are shown: %v", shown)
			}
			if private := w.Header().Get("Cache-Control") == "private, no-store"; private != c.shown {
				t.Errorf("Cache-Control is %q", w.Header().Get("Cache-Control"))
			}
		})
	}

	if w := get(s, "/companies/9900000010", "Cookie", "good", "Sec-Fetch-Site",
		"same-origin"); strings.Contains(w.Body.String(), "EXEMPLU ANA") {
		t.Error("names are shown unasked")
	}
}

// Pages contain no inline scripts or styles, because the Content-Security-Policy forbids them. Linked data is allowed,
// because browsers do not execute it.
func TestLivePagesNeedNoExemption(t *testing.T) {
	s := companySite(t, &oneCompany{profile: exampleProfile(), sheets: exampleSheets})
	page := strings.Replace(get(s, "/companies/9900000010").Body.String(), `<script type="application/ld+json">`, "", 1)
	inline := regexp.MustCompile(`<script(>| [^>]*[^>]>[^<])|<style|\sstyle=|\son[a-z]+=`)
	if found := inline.FindString(page); found != "" {
		t.Errorf("the page has %q in it", found)
	}
}

// The page of a company has the rule on statements, whose register has no page of its own to link to.
func TestRuleOnStatements(t *testing.T) {
	known := &oneCompany{profile: &company.Company{TaxID: 9900000010, Name: "EXEMPLU CLUJ SRL",
		TradeNumber: new("J12/345/2010"), Release: ro.Today()}}
	s := liveSite(t, api.Registries{Companies: known}, unlimited)
	body := get(s, "/companies/9900000010").Body.String()
	for _, want := range []string{"The last yearly statement that was due has been filed: the files of the year are not loaded " +
		"here", "<small>ANAF, balance sheets</small>"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing", want)
		}
	}
}
