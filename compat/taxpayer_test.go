package compat

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

const v9 = "/api/PlatitorTvaRest/v9/tva"

// inquireAbout returns a body about companies, today.
func inquireAbout(cuis ...ro.CUI) string {
	items := make([]string, len(cuis))
	for i, cui := range cuis {
		items[i] = fmt.Sprintf(`{"cui":%d,"data":"%s"}`, cui, ro.Today())
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (s *service) inquire(t *testing.T, path, body string, header ...string) response {
	t.Helper()
	return s.ask(t, "POST", path, body, append(header, "Content-Type", "application/json")...)
}

// sent returns the record of a company with the day of the inquiry.
func sent(cui ro.CUI, day ro.Date) string {
	return strings.Replace(recordOf(cui), `"data":"2026-11-20"`, `"data":"`+day.String()+`"`, 1)
}

// Answers contain the registry's own bytes, in the order of the inquiry. Only the day is replaced.
func TestRecordsAreSentAsTheyCame(t *testing.T) {
	s := newService(t)
	day := ro.Today()
	body := fmt.Sprintf(`[{"cui":%d,"data":"%s"},{"cui":%d,"data":"%s"},{"cui":"RO %d","data":"%s"},{"cui":%d,"data":"%s"}]`,
		testCUI(1), day, unknownCUI, day, knownCUI, day+1, testCUI(0), day-1)
	lists := `"found":[` + sent(testCUI(1), day) + `,` + sent(knownCUI, day+1) + `,` + sent(testCUI(0), day-1) +
		`],"notFound":[9900009990]}`
	for path, want := range map[string]string{
		v9:                               "{" + lists,
		"/PlatitorTvaRest/api/v8/ws/tva": `{"cod":200,"message":"SUCCESS",` + lists,
		"/PlatitorTvaRest/api/v9/ws/tva": `{"cod":200,"message":"SUCCESS",` + lists,
	} {
		a := s.inquire(t, path, body)
		if a.StatusCode != 200 || a.text != want {
			t.Errorf("%s: got  %d %s\nwant %s", path, a.StatusCode, a.text, want)
		}
	}
}

func TestHeadersOfAnInquiry(t *testing.T) {
	s := newService(t)
	s.taxes.fates[testCUI(0)] = found(&company.Company{Record: rawRecord(recordOf(testCUI(0)))}, op.Hit, 10*time.Minute)
	s.taxes.fates[testCUI(1)] = found(&company.Company{Record: rawRecord(recordOf(testCUI(1)))}, op.Hit, 2*time.Hour)
	for name, c := range map[string]struct {
		cuis          []ro.CUI
		cache, age    string
		stale, status string
	}{
		"stored": {[]ro.CUI{testCUI(0)}, "HIT", "600", "", "rodata; hit"},
		"asked":  {[]ro.CUI{testCUI(2)}, "MISS", "60", "", "rodata; fwd=miss"},
		"both":   {[]ro.CUI{testCUI(0), testCUI(2)}, "MISS", "600", "", "rodata; fwd=miss"},
		"stale":  {[]ro.CUI{testCUI(1), testCUI(0)}, "HIT", "7200", "1", "rodata; hit"},
	} {
		a := s.inquire(t, v9, inquireAbout(c.cuis...), "Origin", "https://shop.example")
		h := a.Header
		if h.Get("x-cache") != c.cache || h.Get("Age") != c.age || h.Get("x-rodata-stale") != c.stale ||
			!strings.HasPrefix(h.Get("Cache-Status"), c.status) {
			t.Errorf("%s: %v", name, h)
		}
		if h.Get("Content-Type") != "application/json" || h.Get("Access-Control-Allow-Origin") != "*" ||
			h.Get("Etag") != "" || h.Get("x-credits-cost") != "0" || h.Get("RateLimit-Limit") == "" {
			t.Errorf("%s: %v", name, h)
		}
	}

	if h := s.inquire(t, v9, inquireAbout(unknownCUI)).Header; h.Get("x-cache") != "MISS" || h.Get("Age") != "" {
		t.Errorf("nothing found: %v", h)
	}
}

// notFound lists only companies that the registry has confirmed not to know, because clients delete their data about
// the companies in this list.
func TestWhoIsNotFound(t *testing.T) {
	broken := &op.Failure{Registry: "anaf", Kind: op.Broken, RetryAfter: 20 * time.Second,
		Err: errors.New("secret cause")}
	unlisted := found(&company.Company{Name: "EXEMPLU", Unlisted: true}, op.Hit, 0)
	onlyTrade := found(&company.Company{Name: "EXEMPLU"}, op.Hit, 0)
	for name, c := range map[string]struct {
		fates      map[ro.CUI]company.Found
		asks       []ro.CUI
		status     int
		notFound   string
		unanswered string
	}{
		"unknown everywhere": {nil, []ro.CUI{unknownCUI}, 404, "9900009990", ""},
		"only in the trade register": {map[ro.CUI]company.Found{knownCUI: unlisted}, []ro.CUI{knownCUI}, 404,
			"9900000010", ""},
		"no company's number": {nil, []ro.CUI{9900009043, 7}, 404, "9900009043,7", ""},
		"one of two unknown":  {nil, []ro.CUI{unknownCUI, knownCUI}, 200, "9900009990", ""},
		"one of two not answered": {map[ro.CUI]company.Found{testCUI(5): {Err: broken}},
			[]ro.CUI{testCUI(5), knownCUI}, 200, "", testCUI(5).String()},
		"trade register in the meantime": {map[ro.CUI]company.Found{testCUI(5): onlyTrade},
			[]ro.CUI{testCUI(5), knownCUI, unknownCUI}, 200, "9900009990", testCUI(5).String()},
		"one unknown, others unanswered": {map[ro.CUI]company.Found{testCUI(5): {Err: broken},
			testCUI(6): {Err: broken}},
			[]ro.CUI{testCUI(5), unknownCUI, testCUI(6)}, 200, "9900009990",
			testCUI(5).String() + ", " + testCUI(6).String()},
		"none answered": {map[ro.CUI]company.Found{testCUI(5): {Err: broken}}, []ro.CUI{testCUI(5)},
			503, "", ""},
		"none answered, trade knows them": {map[ro.CUI]company.Found{testCUI(5): onlyTrade}, []ro.CUI{testCUI(5)},
			503, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			for cui, fate := range c.fates {
				s.taxes.fates[cui] = fate
			}

			a := s.inquire(t, v9, inquireAbout(c.asks...), "x-api-key", goodKey)
			if c.status == 503 {
				a.refused(t, 503, "tax authority")
				if len(s.journal.Entries()) > 0 {
					t.Errorf("charged %v", s.journal.Entries())
				}
				return
			}

			if a.StatusCode != c.status || !strings.HasSuffix(a.text, `],"notFound":[`+c.notFound+`]}`) ||
				a.Header.Get("x-rodata-unanswered") != c.unanswered {
				t.Errorf("%d %s, unanswered %v", a.StatusCode, a.text[max(0, len(a.text)-200):],
					a.Header.Get("x-rodata-unanswered"))
			}
		})
	}
}

// An inquiry costs one credit for each distinct company found.
func TestPriceOfAnInquiry(t *testing.T) {
	s := newService(t)
	body := inquireAbout(knownCUI, testCUI(0), knownCUI, unknownCUI, 9900009043)
	a := s.inquire(t, v9, body, "x-api-key", goodKey)
	if a.StatusCode != 200 || a.Header.Get("x-credits-cost") != "2" || a.Header.Get("x-credits-remaining") != "49998" {
		t.Errorf("%d %v", a.StatusCode, a.Header)
	}
	if n := strings.Count(a.text, `"date_generale"`); n != 3 {
		t.Errorf("%d records, want one for each item that was found", n)
	}

	total := int64(0)
	for _, charge := range s.journal.Entries() {
		total += charge.Credits
	}
	if total != 2 {
		t.Errorf("%d credits were charged", total)
	}
	if s.inquire(t, v9, inquireAbout(unknownCUI), "x-api-key", goodKey).Header.Get("x-credits-cost") != "0" {
		t.Error("an unknown company costs something")
	}
	if o := s.seen[0]; o.Operation.Name != "find_taxpayers" || o.Channel != "compat" ||
		o.Caller.Account() != "account1" || o.Reply.Status != 200 {
		t.Errorf("seen %+v", o)
	}
}

// Keys and limits are checked before the body, and errors are short sentences.
func TestRefusalsAreSentences(t *testing.T) {
	s := newService(t)
	for _, header := range [][]string{{"x-api-key", "wrong"}, {"Authorization", "Bearer wrong"},
		{"Authorization", "Basic eDp5"}} {
		s.inquire(t, v9, inquireAbout(knownCUI), header...).refused(t, 401, "")
	}

	s.inquire(t, v9, inquireAbout(knownCUI), "x-api-key", goodKey, "Authorization", "Bearer other").refused(t, 400,
		"different keys")

	exhausted := newService(t)
	exhausted.Gateway.Plans = slices.Clone(exhausted.Gateway.Plans)
	for i := range exhausted.Gateway.Plans {
		exhausted.Gateway.Plans[i].MonthlyCredits = 1
	}

	exhausted.inquire(t, v9, inquireAbout(knownCUI, testCUI(0)), "x-api-key", goodKey).refused(t, 402, "credits")
	if exhausted.taxes.asked != nil {
		t.Errorf("asked about %v", exhausted.taxes.asked)
	}

	slow := newService(t)
	slow.Gateway.Anonymous = metering.PerSecond(1, 5)
	if a := slow.inquire(t, v9, inquire500(t)); a.StatusCode != 200 {
		t.Errorf("500 companies with 5 tokens: %d %s", a.StatusCode, a.text)
	}

	a := slow.inquire(t, v9, inquireAbout(knownCUI))
	if a.StatusCode != 429 || a.Header.Get("Retry-After") == "" ||
		a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("without a token left: %d %v", a.StatusCode, a.Header)
	}
}

// Names of parameters are case-sensitive, so they are written as they must be sent, even at the beginning of a
// sentence.
func TestNamesOfParametersKeepTheirCase(t *testing.T) {
	s := newService(t)
	for path, begins := range map[string]string{
		asynchronous:              "id is missing; send ",
		"/nbrfxrates.xml?ns=2020": "ns must be 2005",
	} {
		if a := s.ask(t, "GET", path, ""); a.StatusCode != 400 || !strings.HasPrefix(a.text, begins) {
			t.Errorf("%s: %d %q, want a sentence that begins with %q", path, a.StatusCode, a.text, begins)
		}
	}

	if a := s.inquire(t, v9, `[]`); !strings.HasPrefix(a.text, "The array is empty") {
		t.Errorf("an empty array: %q", a.text)
	}
}

func inquire500(t *testing.T) string {
	t.Helper()
	return strings.ReplaceAll(inquire(500), "2026-11-22", ro.Today().String())
}

// TestBadRequestsCostNothing sends malformed inquiries to each path that accepts inquiries.
func TestBadRequestsCostNothing(t *testing.T) {
	s := newService(t)
	ask := func(path, body string, status int, says string, header ...string) {
		t.Helper()
		if a := s.ask(t, "POST", path, body, append(header, "x-api-key", goodKey)...); a.StatusCode != status {
			t.Errorf("%s %.60s: %d %s, want %d", path, body, a.StatusCode, a.text, status)
		} else {
			a.refused(t, status, says)
		}
	}

	const mediaType = "Content-Type"
	for _, path := range []string{v9, "/PlatitorTvaRest/api/v8/ws/tva", "/AsynchWebService/api/v8/ws/tva",
		"/api/registruroefactura/v1/interogare"} {
		for body, says := range badInquiries {
			ask(path, strings.ReplaceAll(body, "2026-11-22", ro.Today().String()), 400, says, mediaType,
				"application/json")
		}

		ask(path, strings.ReplaceAll(inquire(501), "2026-11-22", ro.Today().String()), 400, "501 companies", mediaType,
			"application/json")
		ask(path, strings.Repeat(" ", maxBody)+"[]", 413, "65536 bytes", mediaType, "application/json")
		ask(path, inquireAbout(knownCUI), 415, "Content-Type: application/json")
		ask(path, inquireAbout(knownCUI), 415, "Content-Type: application/json", mediaType,
			"application/x-www-form-urlencoded")
		ask(path, inquireAbout(knownCUI), 415, "Content-Type: application/json", mediaType, "text/html")
		ask(path, inquireAbout(knownCUI), 415, "compressed", mediaType, "application/json", "Content-Encoding", "gzip")
	}

	for _, path := range []string{"/bilant", "/bilant?an=2025", "/bilant?cui=1590082", "/bilant?an=25&cui=1590082",
		"/bilant?an=2025&cui=abc"} {
		s.ask(t, "GET", path, "").refused(t, 400, "/bilant?an=2025&cui=1590082")
	}

	s.ask(t, "GET", v9, "").refused(t, 405, "OPTIONS, POST")
	s.ask(t, "POST", "/api/PlatitorTvaRest/v8/tva", "[]").refused(t, 404, "POST /api/PlatitorTvaRest/v9/tva")
	if s.taxes.asked != nil || len(s.journal.Entries()) > 0 {
		t.Errorf("asked about %v, charged %v", s.taxes.asked, s.journal.Entries())
	}

	for _, media := range []string{"application/json;", "application/json; charset=utf-8", "Application/JSON",
		"text/json", "application/vnd.api+json"} {
		if a := s.ask(t, "POST", v9, "\ufeff"+inquireAbout(knownCUI), mediaType, media); a.StatusCode != 200 {
			t.Errorf("%s: %d %s", media, a.StatusCode, a.text)
		}
	}
}

// Answers contain the e-Factura register's own records, which have no day to replace.
func TestEInvoices(t *testing.T) {
	s := newService(t)
	const path = "/api/registruroefactura/v1/interogare"
	a := s.inquire(t, path, inquireAbout(testCUI(1), unknownCUI, testCUI(0)), "x-api-key", goodKey)
	want := `{"found":[` + eInvoiceRecord(testCUI(1)) + `,` + eInvoiceRecord(testCUI(0)) + `],"notFound":[9900009990]}`
	if a.StatusCode != 200 || a.text != want || a.Header.Get("x-credits-cost") != "2" {
		t.Errorf("got  %d %s\nwant %s", a.StatusCode, a.text, want)
	}
	if a := s.inquire(t, path, inquireAbout(unknownCUI)); a.StatusCode != 404 ||
		a.text != `{"found":[],"notFound":[9900009990]}` {
		t.Errorf("unknown: %d %s", a.StatusCode, a.text)
	}

	s.taxes.down = &op.Failure{Registry: "anaf", Kind: op.TimedOut, Err: errors.New("secret cause")}
	s.inquire(t, path, inquireAbout(knownCUI)).refused(t, 503, "tax authority")
}

func TestStatements(t *testing.T) {
	s := newService(t)
	for _, c := range []struct{ query, want, cost string }{
		{"an=2025&cui=9900000010", statementRecord(9900000010), "1"},
		{"cui=RO9900000010&an=2025&_=1", statementRecord(9900000010), "1"},
		{"an=2019&cui=9900000010", `{"an":2019,"cui":9900000010,"deni":"","caen":null,"den_caen":"","i":[]}`, "0"},
		{"an=2024&cui=9900000010", `{"an":2024,"cui":9900000010,"i":[]}`, "0"},
		{"an=2025&cui=9900009990", `{"an":2025,"cui":9900009990,"deni":"","caen":null,"den_caen":"","i":[]}`, "0"},
		{"an=2025&cui=7", `{"an":2025,"cui":7,"deni":"","caen":null,"den_caen":"","i":[]}`, "0"},
	} {
		a := s.ask(t, "GET", "/bilant?"+c.query, "", "x-api-key", goodKey)
		if a.StatusCode != 200 || a.text != c.want || a.Header.Get("Content-Type") != "application/json" ||
			a.Header.Get("x-credits-cost") != c.cost {
			t.Errorf("%s: %d %s for %v, want %s for %s", c.query, a.StatusCode, a.text, a.Header.Get("x-credits-cost"),
				c.want, c.cost)
		}
	}

	s.taxes.down = &op.Failure{Registry: "anaf", Kind: op.TimedOut, Err: errors.New("secret cause")}
	if a := s.ask(t, "GET", "/bilant?an=2025&cui=9900000010", ""); a.StatusCode != 504 ||
		strings.Contains(a.text, "secret") {
		t.Errorf("not answered: %d %s", a.StatusCode, a.text)
	}
}

// A record without a time of retrieval, as a stored statement is, has no age.
func TestAgeOfARecordWithoutTime(t *testing.T) {
	header := make(http.Header)
	newAnswer([]*outcome{{record: []byte("{}")}}, bare, false).writeHeader(header)
	if age := header.Values("Age"); len(age) > 0 {
		t.Errorf("its age is %s", age)
	}
}
