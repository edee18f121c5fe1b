package site

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/caen"
	"github.com/rodata/rodata/upstream/siruta"
)

// fakeTrade finds the same companies for every query, and records the query.
type fakeTrade struct {
	company.TradeRegister
	asked company.Query
	total int
	items []company.Summary
	err   error
	takes time.Duration
	year  *int // of the figures
}

func (f *fakeTrade) Search(_ context.Context, q company.Query) (company.Matches, error) {
	f.asked = q
	<-time.After(f.takes)
	return company.Matches{Total: f.total, Through: ro.NewDate(2026, 10, 2), Items: f.items, StatementsYear: f.year},
		f.err
}

func newFakeTrade() *fakeTrade {
	return &fakeTrade{total: 60, items: []company.Summary{
		{TaxID: new(ro.CUI(9900000010)), Name: "EXEMPLU <CLUJ> SRL", StateRegistration: "in_operation",
			City: new("Cluj-Napoca")},
		{TaxID: new(ro.CUI(9900000134)), Name: "EXEMPLU RADIAT SRL", StateRegistration: "struck_off",
			Inactive: new(true)},
		{Name: "EXEMPLU FĂRĂ NUMĂR", StateRegistration: "unknown"},
		{TaxID: new(ro.CUI(9900000142)), Name: "EXEMPLU MUTAT SRL", StateRegistration: "struck_off", Secondary: true},
	}}
}

// fakeFixings publishes EUR, USD and XAU each day from 2005 to today. The rates grow by 0.01 a day.
type fakeFixings struct {
	rate.Fixings
	freshUntil time.Time
	err        error
}

func (f *fakeFixings) Currencies() []ro.Currency { return []ro.Currency{"BGN", "EUR", "USD", "XAU"} }

func (f *fakeFixings) On(_ context.Context, day ro.Date) (rate.Fixing, op.Freshness, error) {
	if day == 0 {
		day = ro.Today()
	}
	if day < firstRate {
		return rate.Fixing{}, op.Freshness{}, op.ErrUnknown
	}

	rates := []rate.Rate{{Currency: "EUR", Rate: rateOn(day, 40000)}, {Currency: "USD", Rate: rateOn(day, 20000)},
		{Currency: "XAU", Rate: rateOn(day, 6_000000)}}
	return rate.Fixing{Date: day, Rates: rates}, op.Freshness{Cache: op.Hit, FreshUntil: f.freshUntil}, nil
}

func (f *fakeFixings) Between(_ context.Context, c ro.Currency, from,
	to ro.Date) (found []rate.Quotation, _ op.Freshness, _ error) {
	base := map[ro.Currency]int64{"EUR": 40000, "USD": 20000}[c]
	for day := from; day <= to && base > 0; day++ {
		found = append(found, rate.Quotation{Date: day, Rate: rateOn(day, base)})
	}
	return found, op.Freshness{}, f.err
}

func (f *fakeFixings) LastQuoted(context.Context, ro.Currency, ro.Date) (ro.Date, bool, error) {
	return ro.NewDate(2025, 12, 31), true, nil
}

func rateOn(day ro.Date, base int64) ro.Decimal {
	return ro.Cents(base + 100*int64(day-firstRate)).Shift(2)
}

func listingSite(t testing.TB, trade *fakeTrade, fixings *fakeFixings) *Site {
	return liveSite(t, api.Registries{Trade: trade, Fixings: fixings, Classification: caen.Load(),
		Gazetteer: siruta.Load()}, unlimited)
}

// shows requests a page in English and checks that it contains all the texts before "not" and no text after it.
func shows(t *testing.T, s *Site, path string, texts ...string) string {
	t.Helper()
	w := get(s, path)
	body := w.Body.String()
	if w.Code != http.StatusOK {
		t.Fatalf("%s: status %d: %s", path, w.Code, body)
	}

	wanted := true
	for _, text := range texts {
		if text == "not" {
			wanted = false
			continue
		}
		if strings.Contains(body, text) != wanted {
			t.Errorf("%s: %q is there: %t", path, text, !wanted)
		}
	}

	return body
}

func TestCompaniesPage(t *testing.T) {
	trade := newFakeTrade()
	s := listingSite(t, trade, &fakeFixings{})
	shows(t, s, "/companies", `name="county"`, `<option value="CJ">`, "<h1>", "not", "noindex", "results rows")
	if trade.asked.Limit != 0 {
		t.Error("the form alone searched the register")
	}

	body := shows(t, s, "/companies?q=exemplu&county=CJ&city=Cluj-Napoca&activity=62.10&vatPayer=true&sort=newest&page=2",
		`<meta name="robots" content="noindex">`, "60 companies", "26 to 29",
		`<a href="/companies/9900000010">EXEMPLU &lt;CLUJ&gt; SRL</a>`,
		`<b>EXEMPLU FĂRĂ NUMĂR</b>`, `<span class="badge bad" data-fact="state">Struck off</span>`,
		`<span class="badge bad" data-fact="inactive">Fiscally inactive</span>`,
		`<span class="badge unknown" data-fact="insolvency">`, "</a></div>\n<span>CUI 9900000010 · ONRC: In operation · ",
		"EXEMPLU MUTAT SRL</a></div>\n<span>CUI 9900000142 · ONRC: Struck off",
		"2 October 2026",
		`<option value="CJ" selected>`, "not", "badge good")
	for _, link := range []string{
		"/companies?activity=6210&amp;city=Cluj-Napoca&amp;county=CJ&amp;page=3&amp;q=exemplu&amp;sort=newest&amp;vatPayer=true",
		"/companies?activity=6210&amp;city=Cluj-Napoca&amp;county=CJ&amp;q=exemplu&amp;sort=newest&amp;vatPayer=true",
		"/v1/companies?city=Cluj-Napoca&amp;county=CJ&amp;format=csv&amp;naceCode=6210&amp;q=exemplu&amp;sortBy=registrationDate&amp;sortDirection=desc&amp;vatPayer=true",
		"?lang=ro&amp;activity=62.10&amp;city=Cluj-Napoca&amp;county=CJ&amp;page=2&amp;q=exemplu&amp;sort=newest&amp;vatPayer=true",
	} {
		if !strings.Contains(body, `href="`+link+`"`) {
			t.Errorf("there is no link to %s", link)
		}
	}

	asked := trade.asked
	if asked.Text != "exemplu" || asked.County != 12 || asked.Class != "6210" || asked.Sort != "registrationDate" ||
		asked.Direction != "desc" ||
		asked.Limit != 25 || asked.Offset != 25 || asked.VATPayer == "" {
		t.Errorf("the register was asked for %+v", asked)
	}

	shows(t, s, "/companies?state=struck_off&page=2", `<option value="struck_off" selected>Struck off</option>`,
		`format=csv&amp;state=struck_off"`,
		`<a class="button quiet small" rel="next" href="/companies?page=3&amp;state=struck_off">`)
	if !slices.Equal(trade.asked.States, []company.StateRegistration{company.StruckOff}) {
		t.Errorf("the register was asked for %+v", trade.asked)
	}

	shows(t, s, "/companies?seatExpired=true&page=2", `<select name="seatExpired"><option value="">Any</option>`+
		`<option value="true" selected>Yes</option>`, `format=csv&amp;seatExpired=true"`,
		`<a class="button quiet small" rel="next" href="/companies?page=3&amp;seatExpired=true">`)
	if trade.asked.SeatExpired != ro.Yes {
		t.Errorf("the register was asked for %+v", trade.asked)
	}

	year := 2025
	trade.items[0].Turnover, trade.items[0].Employees, trade.year = new(int64(1288377)), new(int64(0)), &year
	shows(t, s, "/companies?turnoverMin=1.000.000&turnoverMax=2,000+000&employeesMax=9&statement=filed&sort=turnover",
		`name="turnoverMin" value="1000000"`, `name="turnoverMax" value="2000000"`, `name="employeesMin" value=""`,
		`<option value="filed" selected>`, `<option value="turnover" selected>`,
		"<b>Net turnover 2025: 1,288,377 RON</b> · <b>Average number of employees 2025: 0</b>",
		"<b>Net turnover 2025: not stated</b>", "the Ministry of Finance’s files of 2025",
		"employeesMax=9&amp;format=csv&amp;sortBy=turnover&amp;sortDirection=desc&amp;statement=filed&amp;turnoverMax=2000000&amp;"+
			"turnoverMin=1000000",
		"/companies?employeesMax=9&amp;page=2&amp;sort=turnover&amp;statement=filed&amp;turnoverMax=2000000&amp;turnoverMin=1000000")
	if r := trade.asked.Ranges[company.TurnoverFigure]; trade.asked.Statement != company.StatementFiled ||
		*r.Min != 1_000_000 || *r.Max != 2_000_000 {
		t.Errorf("the register was asked for %+v", trade.asked)
	}
	trade.year = nil

	shows(t, s, "/companies?state=in_operation,insolvent&lang=ro",
		`<option value="in_operation,insolvent" selected>În funcțiune, În insolvență</option>`)
	shows(t, s, "/companies?turnoverMin=1000", `<option value="turnover" selected>`)
	shows(t, s, "/companies?turnoverMin=1000&q=exemplu", `<option value="turnover">`)
	if w := get(s, "/companies?turnoverMin=multe&city=Turda"); w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), `value="multe"`) || !strings.Contains(w.Body.String(), `value="Turda"`) {
		t.Errorf("%d, and the form lost what was typed", w.Code)
	}
	if w := get(s, "/companies?state=closed"); w.Code != http.StatusBadRequest {
		t.Errorf("a state that does not exist: %d", w.Code)
	}

	// Words also find activities and places.
	shows(t, s, "/companies?q=Cluj-Napoca", `<a href="/places/54975">Cluj-Napoca</a>`)
	shows(t, s, "/companies?q=hairdresser", `<a href="/caen/9621">`)

	shows(t, s, "/companies?activity=6201", "CAEN 6201 is no longer in force", `Use instead: <a href="/caen/6210">6210</a>.`)
	shows(t, s, "/companies?activity=6210", "not", "no longer in force")
}

func TestNothingFound(t *testing.T) {
	s := listingSite(t, &fakeTrade{items: []company.Summary{}}, &fakeFixings{})
	shows(t, s, "/companies?q=zzzz+qqqq&county=CJ", "No results for “zzzz qqqq”",
		`<a href="/companies?q=zzzz%20qqqq">Search without filters</a>`, "Check the spelling", "not", "id=\"export\"",
		"typing error")
	shows(t, s, "/companies?q=RO+9900000011", "The CUI has a typing error",
		"A CUI that begins with 990000001 ends in 0.", "not", "Check the spelling")
	shows(t, s, "/companies?q=9900000011&lang=ro", "Un CUI care începe cu 990000001 se termină cu 0.",
		`<a href="/companies/9900000010">Poate 9900000010?</a>`)

	body := shows(t, s, "/companies?q=frizerie+canina&lang=ro", `href="/caen/9699"`, "Niciun rezultat")
	if strings.Index(body, "/caen/9699") > strings.Index(body, "Niciun rezultat") {
		t.Error("the activity comes after the notice that no company matches")
	}
}

// If the trade register cannot be searched, the page still shows the matching activities and places.
func TestRegisterThatCannotBeSearched(t *testing.T) {
	trade := &fakeTrade{err: problem.Unavailable.New("the trade register is loading")}
	s := listingSite(t, trade, &fakeFixings{})
	shows(t, s, "/companies?q=Cluj-Napoca", "The trade register could not be searched. A registry is down",
		"/places/54975", "not", "0 companies", "the trade register is loading")
	shows(t, s, "/caen/6210", "The trade register could not be searched.", "Computer programming")
	shows(t, s, "/places/54975", "The trade register could not be searched.", "RO-CJ")

	trade.err = problem.UpstreamTimeout.New("the trade register is slow")
	shows(t, s, "/companies?q=Cluj-Napoca", "took too long to answer", "not", "A registry is down")
}

func TestClassificationPages(t *testing.T) {
	trade := newFakeTrade()
	s := listingSite(t, trade, &fakeFixings{})
	tree := shows(t, s, "/caen", `<link rel="canonical" href="`+baseURL+`/caen?lang=en">`, `<a href="/caen/6210">6210</a>`)
	if entries := len(regexp.MustCompile(`href="/caen/\w+"`).FindAllString(tree, -1)); entries < 1000 {
		t.Errorf("the tree has %d entries", entries)
	}

	shows(t, s, "/caen?q=frizerie", `<a href="/caen/9621">`, "noindex")

	body := shows(t, s, "/caen/6210", "Computer programming activities", "Activități de realizare a softului", "6201",
		`<a href="/caen/621">`, "/companies?activity=6210", "EXEMPLU RADIAT SRL")
	if trade.asked.Class != "6210" || trade.asked.Limit != 10 {
		t.Errorf("the register was asked for %+v", trade.asked)
	}

	data := regexp.MustCompile(`<script type="application/ld\+json">(.*?)</script>`).FindStringSubmatch(body)
	var crumbs struct {
		Items []struct{ Position int } `json:"itemListElement"`
	}
	if data == nil || json.Unmarshal([]byte(data[1]), &crumbs) != nil || len(crumbs.Items) != 5 ||
		crumbs.Items[4].Position != 5 {
		t.Errorf("the breadcrumbs are %v", data)
	}

	shows(t, s, "/caen/K", "Section", `<a href="/caen/62">`)
	if trade.asked.Industry != "K" {
		t.Errorf("the register was asked for %+v", trade.asked)
	}

	shows(t, s, "/caen/621", `<a href="/caen/6210">`, "/companies?activity=621")
	if trade.asked.Industry != "621" {
		t.Errorf("the register was asked for %+v", trade.asked)
	}

	shows(t, s, "/caen/6201", "no longer in force", `<a href="/caen/6210">`)
	for _, code := range []string{"0000", "04", "9999", "9999?lang=ro"} { // 9999 is a valid tax id
		if w := get(s, "/caen/"+code); w.Code != http.StatusNotFound {
			t.Errorf("/caen/%s, a code that never was: %d", code, w.Code)
		}
	}

	has(t, get(s, "/caen/9999"), `name="q" type="search" value="RO9999"`)
}

func TestPlacePages(t *testing.T) {
	trade := newFakeTrade()
	s := listingSite(t, trade, &fakeFixings{})
	shows(t, s, "/places", `<a href="/places/127">CLUJ</a>`)
	shows(t, s, "/places?q=cluj+napoca", `<a href="/places/54975">`, "noindex")
	shows(t, s, "/places/54975", "<h1>Cluj-Napoca</h1>", "Municipality", "54975", "RO-CJ",
		"/companies?city=Cluj-Napoca&amp;county=CJ")
	if trade.asked.County != 12 || trade.asked.City != "Cluj-Napoca" {
		t.Errorf("the register was asked for %+v", trade.asked)
	}

	shows(t, s, "/places/127", "<h1>CLUJ</h1>", `<a href="/places/54975">Cluj-Napoca</a>`, `href="?page=2"`)
	shows(t, s, "/places/127?page=2", `href="?page=1"`, "not", `<a href="/places/54975">`)
	beyond := get(s, "/places/127?page=6&lang=ro")
	if body := beyond.Body.String(); beyond.Code != http.StatusNotFound ||
		!strings.Contains(body, "<h1>"+words{romanian}.say("kind.not-found")+"</h1>") ||
		!strings.Contains(body, "Lista nu are o astfel de pagină.") {
		t.Errorf("a page beyond the last one: %d %s", beyond.Code, body)
	}
	shows(t, s, "/places/179141", "SECTOR1", "RO-B")
	if w := get(s, "/places/999999"); w.Code != http.StatusNotFound {
		t.Errorf("a code that does not exist: %d", w.Code)
	}
}

func TestFixingPage(t *testing.T) {
	s := listingSite(t, newFakeTrade(), &fakeFixings{})
	shows(t, s, "/rates?date=2005-01-03", "4.0000", `<a href="/rates/EUR">EUR</a>`, `value="2005-01-03"`)
	shows(t, s, "/rates?date=2005-01-13", "4.1000", "Since 12 January 2005", "▲")
	old := listingSite(t, newFakeTrade(), &fakeFixings{freshUntil: time.Now().Add(-time.Hour)})
	shows(t, old, "/rates", "BNR could not be asked for the latest rate.")
	shows(t, old, "/rates/EUR", "BNR could not be asked for the latest rate.")
	shows(t, s, "/rates", "not", "BNR could not be asked")
}

func TestRatePage(t *testing.T) {
	s := listingSite(t, newFakeTrade(), &fakeFixings{})
	shows(t, s, "/rates/EUR?date=2005-01-13&day=2005-01-13&amount=100,5",
		"<p class=\"big\">1 EUR = 4.1000 RON</p>", "<p class=\"big\">1 EUR = 4.0900 RON</p>", "100.5 EUR = 412.05 RON",
		`role="img"`, `aria-current="true">1 year`)
	for _, day := range []string{"13.01.2005", "13/01/2005", "2005-01-13 10:00"} {
		typed := url.QueryEscape(day)
		shows(t, s, "/rates/EUR?date="+typed+"&day="+typed, "<p class=\"big\">1 EUR = 4.1000 RON</p>", `value="2005-01-13"`,
			"not", day)
		shows(t, s, "/rates?date="+typed, `value="2005-01-13"`)
	}
	shows(t, s, "/rates/BGN?date=03.02.2026&day=03.02.2026", "2026-02-03", "not", "03.02.2026")
	shows(t, s, "/rates/EUR?span=all", "3 January 2005", "Last day of the month",
		`aria-current="true">Since 2005`, "4.0000")
	shows(t, s, "/rates/EUR?to=USD&span=month", "EUR in USD from ", "computed from the two",
		`<option value="USD" selected>`)
	shows(t, s, "/rates/XAU", "XAU is a gram of gold here")
	shows(t, s, "/rates/XAU?lang=ro", "XAU este aici gramul de aur")
	shows(t, s, "/rates/EUR", "not", "gram of gold")
	shows(t, s, "/rates/BGN?span=all", "The latest fixing does not include this currency.",
		"BGN was last quoted on 31 December 2025.", "too few rates")
	shows(t, s, "/rates/BGN?lang=ro&day=2026-02-03",
		"Cursul aplicabil unei facturi din 3 februarie 2026 nu include această valută. Ultimul curs pentru BGN este "+
			"din 31 decembrie 2025.", "not", "last published")
	today := ro.Today().String()
	shows(t, s, "/rates/EUR?span=all", `href="/v1/fx-rates/history?currency=EUR&amp;format=csv&amp;from=2005-01-03&amp;to=`+today+`" download>Export CSV</a>`)
	shows(t, s, "/rates/EUR?span=all&lang=ro",
		`?currency=EUR&amp;delimiter=%3B&amp;format=csv&amp;from=2005-01-03&amp;to=`+today+
			`" download>Exportați CSV</a>`)
	shows(t, s, "/rates/EUR?to=USD", "not", "format=csv")
	shows(t, s, "/rates/RON?to=EUR", "not", "format=csv")
	shows(t, listingSite(t, newFakeTrade(), &fakeFixings{err: errors.Join(problem.Unavailable.New("no archive"))}),
		"/rates/EUR", "The history could not be loaded. A registry is down", "not", "no archive")
	for _, path := range []string{"/rates/XXX", "/rates/EUR?to=XXX", "/rates/EUR?amount=many",
		"/rates/EUR?day=tomorrow"} {
		if w := get(s, path); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []float64
		decimals  int
	}{
		{4.97, 5.09, []float64{4.95, 5, 5.05, 5.1}, 2},
		{1, 1, []float64{1, 1.05}, 2},
		{0.0002, 0.0004, []float64{0.0002, 0.00025, 0.0003, 0.00035, 0.0004}, 5},
		{180, 640, []float64{0, 200, 400, 600, 800}, 0},
	} {
		got, decimals := ticks(c.low, c.high)
		if len(got) != len(c.want) || decimals != c.decimals {
			t.Errorf("%v to %v: %v with %d decimals", c.low, c.high, got, decimals)
			continue
		}

		for i := range got {
			if diff := got[i] - c.want[i]; diff > 1e-9 || diff < -1e-9 {
				t.Errorf("%v to %v: %v", c.low, c.high, got)
				break
			}
		}
	}
}

// The chart of many years keeps the extremes and both ends.
func TestLongSeriesAreThinned(t *testing.T) {
	var items []rate.Quotation
	for day := range ro.Date(5000) {
		items = append(items, rate.Quotation{Date: firstRate + day, Rate: rateOn(firstRate+day, 40000)})
	}

	items[2500].Rate, items[3100].Rate = ro.Cents(1), ro.Cents(99_00)
	s := newRateSeries(words{english}, items)
	kept := thinOut(items)
	if len(kept) > 2*maxPoints+2 || kept[0] != items[0] || kept[len(kept)-1] != items[4999] {
		t.Errorf("%d rates are kept", len(kept))
	}

	for _, i := range []int{2500, 3100} {
		found := false
		for _, q := range kept {
			found = found || q == items[i]
		}
		if !found {
			t.Errorf("the extreme %v is lost", items[i])
		}
	}

	if s.Low != items[2500] || s.High != items[3100] || s.Days() != nil || len(s.Months) < 160 {
		t.Errorf("low %v, high %v, %d months", s.Low, s.High, len(s.Months))
	}
}

func TestRatesInWords(t *testing.T) {
	en, local := words{english}, words{romanian}
	for _, c := range []struct{ got, want string }{
		{en.rate(ro.Cents(5_00)), "5.0000"}, {local.rate(ro.Cents(632_80)), "632,8000"},
		{en.amount(ro.Cents(1234567_00)), "1,234,567.00"},
		{local.exact(ro.Cents(-1234_50)), "−1.234,5"}, {local.currency("XYZ"), "XYZ"},
		{en.currency("CHF"), "Swiss franc"},
	} {
		if c.got != c.want {
			t.Errorf("%q, not %q", c.got, c.want)
		}
	}
}

// The canonical address of a page is its address in its own language. Both languages list the same alternate addresses,
// because search engines ignore addresses that disagree.
func TestCanonicalAddresses(t *testing.T) {
	s := listingSite(t, newFakeTrade(), &fakeFixings{})
	canonical := regexp.MustCompile(`<link rel="canonical" href="([^"]*)">`)
	alternate := regexp.MustCompile(`<link rel="alternate" hreflang="([^"]*)" href="([^"]*)">`)
	for requested, path := range map[string]string{"/caen/6210": "/caen/6210", "/places/54975": "/places/54975",
		"/rates": "/rates", "/places/127?page=1": "/places/127", "/places/127?page=2": "/places/127?page=2"} {
		bare, number, _ := strings.Cut(path, "?")
		addresses := map[string]string{"x-default": baseURL + path}
		for _, lang := range []string{"en", "ro"} {
			addresses[lang] = baseURL + bare + "?lang=" + lang
			if number != "" {
				addresses[lang] += "&" + number
			}
		}

		for _, lang := range []string{"en", "ro"} {
			// By the visitor's language, then by the address itself.
			for _, asked := range []*httptest.ResponseRecorder{get(s, requested, "Accept-Language", lang),
				get(s, strings.TrimPrefix(addresses[lang], baseURL), "Accept-Language", "de")} {
				body := asked.Body.String()
				if !strings.Contains(body, `<html lang="`+lang+`">`) {
					t.Fatalf("%s is not in %s: status %d", path, lang, asked.Code)
				}

				alternates := make(map[string]string)
				for _, link := range alternate.FindAllStringSubmatch(body, -1) {
					alternates[link[1]] = html.UnescapeString(link[2])
				}
				if !maps.Equal(alternates, addresses) {
					t.Errorf("%s in %s: the addresses by language are %v", path, lang, alternates)
				}
				if all := canonical.FindAllStringSubmatch(body, -1); len(all) != 1 ||
					html.UnescapeString(all[0][1]) != alternates[lang] {
					t.Errorf("%s in %s: the canonical addresses are %q", path, lang, all)
				}
			}
		}
	}
}

// robots.txt allows robots to read pages with addresses of their own, and forbids pages of search results, the API and
// the dashboard.
func TestRobotsKeepOffResults(t *testing.T) {
	rules := strings.Split(get(newSite(t), "/robots.txt").Body.String(), "\n")
	keptOff := func(path string) bool {
		for _, rule := range rules {
			if prefix, ok := strings.CutPrefix(rule, "Disallow: "); ok && strings.HasPrefix(path, prefix) {
				return true
			}
		}

		return false
	}
	for path, want := range map[string]bool{
		"/companies?q=exemplu": true, "/caen?q=an": true, "/places?q=cluj": true, "/mcp": true, "/v1/companies": true,
		"/dashboard":            true,
		"/companies/9900000010": false, "/companies": false, "/caen/6210": false, "/places/54975": false,
		"/rates/EUR?to=USD": false,
	} {
		if got := keptOff(path); got != want {
			t.Errorf("robots are kept off %s: %t", path, got)
		}
	}
}
