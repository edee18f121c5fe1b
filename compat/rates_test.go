package compat

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
)

const (
	newNamespace = "https://www.bnr.ro/xsd"
	oldNamespace = "http://www.bnr.ro/xsd"
)

// dataSet is the part of a central bank file that clients read.
type dataSet struct {
	XMLName   xml.Name
	Publisher string `xml:"Header>Publisher"`
	Published string `xml:"Header>PublishingDate"`
	Kind      string `xml:"Header>MessageType"`
	Currency  string `xml:"Body>OrigCurrency"`
	Cubes     []struct {
		Date  string `xml:"date,attr"`
		Rates []struct {
			Currency   string `xml:"currency,attr"`
			Multiplier string `xml:"multiplier,attr"`
			Text       string `xml:",chardata"`
		} `xml:"Rate"`
	} `xml:"Body>Cube"`
}

func (a response) dataSet(t *testing.T) dataSet {
	t.Helper()
	var d dataSet
	if err := xml.Unmarshal([]byte(a.text), &d); err != nil || a.StatusCode != 200 ||
		a.Header.Get("Content-Type") != "text/xml" {
		t.Fatalf("%d %s, %v: %.200s", a.StatusCode, a.Header.Get("Content-Type"), err, a.text)
	}

	return d
}

func TestRateFiles(t *testing.T) {
	s := newService(t)
	for _, c := range []struct{ path, namespace, published, days string }{
		{"/nbrfxrates.xml", newNamespace, "2026-11-20", "2026-11-20"},
		{"/nbrfxrates.xml?ns=2005", oldNamespace, "2026-11-20", "2026-11-20"},
		{"/nbrfxrates.xml?_=1700000000", newNamespace, "2026-11-20", "2026-11-20"},
		{"/legacy/nbrfxrates.xml", oldNamespace, "2026-11-20", "2026-11-20"},
		{"/nbrfxrates10days.xml", newNamespace, "2026-11-20", "2026-11-20 2026-11-19 2025-12-31 2025-12-30"},
		{"/legacy/nbrfxrates10days.xml", oldNamespace, "2026-11-20", "2026-11-20 2026-11-19 2025-12-31 2025-12-30"},
		{"/files/xml/years/nbrfxrates2025.xml", newNamespace, "2025-12-31", "2025-12-30 2025-12-31"},
		{"/files/xml/years/nbrfxrates2026.xml?ns=2005", oldNamespace, "2026-11-20", "2026-11-19 2026-11-20"},
		{"/legacy/files/xml/years/nbrfxrates2026.xml", oldNamespace, "2026-11-20", "2026-11-19 2026-11-20"},
	} {
		d := s.ask(t, "GET", c.path, "").dataSet(t)
		var days []string
		for _, cube := range d.Cubes {
			days = append(days, cube.Date)
		}

		if d.XMLName != (xml.Name{Space: c.namespace, Local: "DataSet"}) || d.Published != c.published ||
			strings.Join(days, " ") != c.days {
			t.Errorf("%s: %v of %s with %v, want %s of %s with %s", c.path, d.XMLName, d.Published, days, c.namespace,
				c.published, c.days)
		}

		if d.Publisher != "National Bank of Romania" || d.Kind != "DR" || d.Currency != "RON" {
			t.Errorf("%s: %+v", c.path, d)
		}
	}
}

// TestRatesAreWrittenAsPublished compares a file byte for byte with the bank's format.
func TestRatesAreWrittenAsPublished(t *testing.T) {
	const want = `<?xml version="1.0" encoding="utf-8"?>
<DataSet xmlns="https://www.bnr.ro/xsd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="https://curs.bnr.ro/xsd/nbrfxrates.xsd"><Header><Publisher>National Bank of Romania</Publisher><PublishingDate>2026-11-20</PublishingDate><MessageType>DR</MessageType></Header><Body><Subject>Reference rates</Subject><OrigCurrency>RON</OrigCurrency><Cube date="2026-11-20"><Rate currency="EUR">5.3450</Rate><Rate currency="HUF" multiplier="100">1.4401</Rate></Cube></Body></DataSet>
`
	if got := newService(t).ask(t, "GET", "/nbrfxrates.xml", "").text; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRateFilesAreRevalidated(t *testing.T) {
	s := newService(t)
	first := s.ask(t, "GET", "/nbrfxrates.xml", "")
	tag, modified := first.Header.Get("Etag"), first.Header.Get("Last-Modified")
	if tag == "" || modified != "Fri, 20 Nov 2026 11:02:31 GMT" ||
		!strings.Contains(first.Header.Get("Cache-Control"), "max-age=") {
		t.Errorf("headers %v", first.Header)
	}

	for name, c := range map[string]struct {
		header []string
		status int
	}{
		"tag":                  {[]string{"If-None-Match", tag}, 304},
		"other tag":            {[]string{"If-None-Match", `"other"`}, 200},
		"date":                 {[]string{"If-Modified-Since", modified}, 304},
		"earlier date":         {[]string{"If-Modified-Since", "Fri, 20 Nov 2026 11:02:30 GMT"}, 200},
		"no date":              {[]string{"If-Modified-Since", "yesterday"}, 200},
		"other tag, same date": {[]string{"If-None-Match", `"other"`, "If-Modified-Since", modified}, 200},
	} {
		if a := s.ask(t, "GET", "/nbrfxrates.xml", "", c.header...); a.StatusCode != c.status ||
			(a.text == "") != (c.status == 304) || a.Header.Get("Etag") != tag {
			t.Errorf("%s: %d with %d bytes and the tag %s, want %d", name, a.StatusCode, len(a.text),
				a.Header.Get("Etag"), c.status)
		}
	}

	s.bank.fixings[3].Rates[0].Rate, s.bank.modified = decimal("5.3451"), published.Add(time.Hour)
	if a := s.ask(t, "GET", "/nbrfxrates.xml", "", "If-None-Match", tag); a.StatusCode != 200 ||
		!strings.Contains(a.text, "5.3451") {
		t.Errorf("a corrected fixing: %d %s", a.StatusCode, a.text)
	}
}

func TestHeadOfARateFile(t *testing.T) {
	s := newService(t)
	got, head := s.ask(t, "GET", "/nbrfxrates10days.xml", ""), s.ask(t, "HEAD", "/nbrfxrates10days.xml", "")
	if head.StatusCode != 200 || head.text != "" ||
		head.Header.Get("Content-Length") != got.Header.Get("Content-Length") ||
		head.Header.Get("Etag") != got.Header.Get("Etag") {
		t.Errorf("HEAD: %d %v", head.StatusCode, head.Header)
	}
}

func TestSchemaOfRateFiles(t *testing.T) {
	s := newService(t)
	for path, namespace := range map[string]string{
		"/xsd/nbrfxrates.xsd": newNamespace, "/xsd/nbrfxrates.xsd?ns=2005": oldNamespace,
		"/legacy/xsd/nbrfxrates.xsd": oldNamespace,
	} {
		a := s.ask(t, "GET", path, "")
		var schema struct {
			Target string `xml:"targetNamespace,attr"`
		}
		if err := xml.Unmarshal([]byte(a.text), &schema); err != nil || a.StatusCode != 200 ||
			schema.Target != namespace || a.Header.Get("Content-Type") != "text/xml" {
			t.Errorf("%s: %d, %v, namespace %s", path, a.StatusCode, err, schema.Target)
		}
	}
}

// A request for a file that does not exist gets a short plain sentence, never a page or a redirect.
func TestRateFilesThatAreNotThere(t *testing.T) {
	s := newService(t)
	for _, c := range []struct {
		method, path string
		status       int
		says         string
	}{
		{"GET", "/files/xml/years/nbrfxrates2004.xml", 404, "year 2004"},
		{"GET", "/files/xml/years/nbrfxrates2027.xml", 404, "year 2027"},
		{"GET", "/files/xml/years/nbrfxrates0000.xml", 404, "no file of this name"},
		{"GET", "/files/xml/years/nbrfxrates26.xml", 404, "no file of this name"},
		{"GET", "/files/xml/years/nbrfxrates+026.xml", 404, "no file of this name"},
		{"GET", "/files/xml/years/other.xml", 404, "no file of this name"},
		{"GET", "/legacy/other.xml", 404, "nothing at this path"},
		{"GET", "/files/xml/./years/nbrfxrates2026.xml", 404, "nothing at this path"},
		{"GET", "/AsynchWebService/", 404, "the asynchronous form is at"},
		{"GET", "/api/registruroefactura", 404, "the ro e-factura register is at"},
		{"GET", "/nbrfxrates.xml?ns=2020", 400, "ns must be 2005"},
		{"POST", "/nbrfxrates.xml", 405, ": GET, HEAD, OPTIONS"},
	} {
		a := s.ask(t, c.method, c.path, "")
		a.refused(t, c.status, c.says)
	}

	s.bank.down = &op.Failure{Registry: "bnr", Kind: op.Closed, RetryAfter: 30 * time.Second,
		Err: errors.New("the breaker is open")}
	s.ask(t, "GET", "/nbrfxrates.xml", "").refused(t, 503, "central bank")
}

// refused checks that an answer is a plain error sentence.
func (a response) refused(t *testing.T, status int, says string) {
	t.Helper()
	h := a.Header
	if a.StatusCode != status || !strings.Contains(strings.ToLower(a.text), strings.ToLower(says)) ||
		len(a.text) > 400 || strings.ContainsAny(a.text, "<>") || !strings.HasSuffix(a.text, ".\n") {
		t.Errorf("%d %q, want %d and a sentence with %q", a.StatusCode, a.text, status, says)
	}
	if h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("Cache-Control") != "no-store" ||
		h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Location") != "" {
		t.Errorf("headers %v", h)
	}
	if (status == 503) != (h.Get("Retry-After") != "") {
		t.Errorf("%d with Retry-After %q", status, h.Get("Retry-After"))
	}
}

func TestPagesMayReadRateFiles(t *testing.T) {
	s := newService(t)
	a := s.ask(t, "OPTIONS", "/nbrfxrates.xml", "", "Origin", "https://shop.example", "Access-Control-Request-Method",
		"GET", "Access-Control-Request-Headers", "x-api-key")
	if h := a.Header; a.StatusCode != 204 || h.Get("Access-Control-Allow-Origin") != "*" ||
		h.Get("Access-Control-Allow-Methods") != "GET, HEAD, OPTIONS" ||
		!strings.Contains(h.Get("Access-Control-Allow-Headers"), "X-Api-Key") {
		t.Errorf("preflight: %d %v", a.StatusCode, h)
	}

	if h := s.ask(t, "GET", "/nbrfxrates.xml", "", "Origin",
		"https://shop.example").Header; h.Get("Access-Control-Allow-Origin") != "*" ||
		h.Get("Access-Control-Expose-Headers") != "*" {
		t.Errorf("a page's request: %v", h)
	}
}

// The gateway authenticates and counts requests for rate files like other calls.
func TestRateFilesAreCalls(t *testing.T) {
	s := newService(t)
	s.ask(t, "GET", "/nbrfxrates.xml", "", "x-api-key", "wrong").refused(t, 401, "key is invalid")
	for _, header := range []string{"x-api-key", "Authorization"} {
		value := goodKey
		if header == "Authorization" {
			value = "Bearer " + value
		}
		if a := s.ask(t, "GET", "/nbrfxrates.xml", "", header, value); a.StatusCode != 200 ||
			a.Header.Get("RateLimit-Limit") != "1000000" || a.Header.Get("x-credits-cost") != "0" {
			t.Errorf("with a key in %s: %d %v", header, a.StatusCode, a.Header)
		}
	}

	if len(s.seen) != 3 || s.seen[2].Channel != "compat" || s.seen[2].Operation.Name != "get_rate_file" ||
		s.seen[2].Caller.Account() != "account1" {
		t.Errorf("seen %+v", s.seen)
	}
}
