package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// pagedTrade finds 30 companies.
type pagedTrade struct{ company.TradeRegister }

func (pagedTrade) Search(_ context.Context, q company.Query) (company.Matches, error) {
	found := company.Matches{Total: 30, Through: ro.NewDate(2026, 10, 2), Items: []company.Summary{}}
	for i := int(q.Offset); i < min(30, int(q.Offset)+int(q.Limit)); i++ {
		found.Items = append(found.Items, company.Summary{Name: fmt.Sprintf("EXEMPLU %d SRL", i)})
	}
	return found, nil
}

func searchHandler(t *testing.T) *Handler {
	t.Helper()
	o := newHandler(t).Options
	o.Operations = api.Operations(api.Registries{Trade: pagedTrade{}}, nil, system.About{})
	return New(o)
}

func TestFormatIsChosenByParameterOrHeader(t *testing.T) {
	const csv = "text/csv; charset=utf-8"
	h := searchHandler(t)
	for _, test := range []struct {
		target, accept, media string
		status                int
	}{
		{"/v1/companies", "", "application/json", 200},
		{"/v1/companies", "text/csv", csv, 200},
		{"/v1/companies", op.XLSXType, op.XLSXType, 200},
		{"/v1/companies?format=csv", "", csv, 200},
		{"/v1/companies?format=csv", "application/json", csv, 200},
		{"/v1/companies?q=exemplu&format=xlsx&limit=1", "*/*", op.XLSXType, 200},
		{"/v1/companies?format=json", "text/csv", "application/json", 200},
		{"/v1/companies?format=", "", "application/problem+json", 400},
		{"/v1/companies?format=xls", "", "application/problem+json", 400},
		{"/v1/companies?format=csv&format=csv", "", "application/problem+json", 400},
		{"/v1/counties?format=csv", "", "application/problem+json", 400},
	} {
		r := newRequest("GET", test.target, nil)
		if test.accept != "" {
			r.Header.Set("Accept", test.accept)
		}

		res := answer(h, r)
		if got := res.Header.Get("Content-Type"); got != test.media || res.StatusCode != test.status {
			body, _ := io.ReadAll(res.Body)
			t.Errorf("%s, accepting %q: %d %s, want %d %s: %.200s", test.target, test.accept, res.StatusCode, got,
				test.status, test.media, body)
		}
	}

	body, _ := io.ReadAll(answer(h, newRequest("GET", "/v1/companies?format=xls", nil)).Body)
	if !strings.Contains(string(body), "json, csv or xlsx") {
		t.Errorf("an unknown format: %s", body)
	}
}

func TestExportLinksToTheNextRows(t *testing.T) {
	h := searchHandler(t)
	address, rows := "https://example.com/v1/companies?format=csv&q=exemplu+%26+fiii&limit=12", []string{}
	for range 3 {
		res := answer(h, newRequest("GET", strings.TrimPrefix(address, "https://example.com"), nil))
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", address, res.StatusCode, body)
		}

		rows = append(rows, strings.Split(strings.TrimSpace(string(body)), "\r\n")[1:]...)
		address, _, _ = strings.Cut(strings.TrimPrefix(res.Header.Get("Link"), "<"), `>; rel="next"`)
	}

	if address != "" || len(rows) != 30 || !slices.IsSortedFunc(rows[:10], strings.Compare) ||
		!strings.Contains(rows[29], "EXEMPLU 29 SRL") {
		t.Errorf("%d rows, then %q", len(rows), address)
	}
}

type companies = company.Companies // its own name equals a method

// oneCompany has a single company.
type oneCompany struct{ companies }

func (oneCompany) Company(context.Context, ro.CompanyDay) (op.Answer[*company.Company], error) {
	return op.Answer[*company.Company]{Value: &company.Company{TaxID: 9900000010, Name: "EXEMPLU CLUJ SRL"}}, nil
}

// A single value of a company is selected only by the parameter: with an Accept header that prefers text, the answer is
// still the profile.
func TestTextIsChosenByParameterOnly(t *testing.T) {
	o := newHandler(t).Options
	o.Operations = api.Operations(api.Registries{Companies: oneCompany{}}, nil, system.About{})
	h := New(o)
	for _, test := range []struct {
		query, accept, media, body string
		status                     int
	}{
		{"", "text/plain, */*; q=0.01", "application/json", `"name":"EXEMPLU CLUJ SRL"`, 200},
		{"?format=json", "text/plain", "application/json", `"name":"EXEMPLU CLUJ SRL"`, 200},
		{"?format=text&fields=name", "application/json", "text/plain; charset=utf-8", "EXEMPLU CLUJ SRL", 200},
		{"?fields=vatPayer&format=text", "", "text/plain; charset=utf-8", "unknown", 200},
		{"?format=text", "", "application/problem+json", "fields=name", 400},
		{"?format=xml&fields=name", "", "application/problem+json", "json or text", 400},
		{"?format=text&fields=name&key=rodata_live_x", "", "application/problem+json",
			"does not belong into the address", 400},
	} {
		r := newRequest("GET", "/v1/companies/9900000010"+test.query, nil)
		if test.accept != "" {
			r.Header.Set("Accept", test.accept)
		}

		res := answer(h, r)
		body, _ := io.ReadAll(res.Body)
		if got := res.Header.Get("Content-Type"); res.StatusCode != test.status || got != test.media ||
			!strings.Contains(string(body), test.body) {
			t.Errorf("%s, accepting %q: %d %s %s", test.query, test.accept, res.StatusCode, got, body)
		}
		if slices.Contains(res.Header.Values("Vary"), "Accept") || res.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s: headers %v", test.query, res.Header)
		}
	}
}

// The parameter format returns CSV whatever the Accept header says, because spreadsheet formulas send no useful Accept
// header.
func TestTableIgnoresAcceptHeader(t *testing.T) {
	h := searchHandler(t)
	for _, accept := range []string{"", "*/*", "application/json", op.NDJSONType} {
		r := newRequest("GET", "/v1/companies.csv?taxIds=9900000011", nil)
		if accept != "" {
			r.Header.Set("Accept", accept)
		}

		res := answer(h, r)
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
			!strings.HasPrefix(string(body), "input,reference,status,") {
			t.Errorf("accepting %q: %d %s: %s", accept, res.StatusCode, res.Header.Get("Content-Type"), body)
		}
	}
}

// A list is answered as an object, a table or a stream.
func TestFormOfAListIsChosenByAccept(t *testing.T) {
	h := searchHandler(t)
	for accept, want := range map[string]string{
		"": `{"count":1,`, "text/csv": "input,reference,status,", op.NDJSONType: `{"index":0,`,
	} {
		r := newRequest("POST", "/v1/companies/batch", strings.NewReader(`{"taxIds":[9900000011]}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", accept)
		res := answer(h, r)
		body, _ := io.ReadAll(res.Body)
		if media, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";"); res.StatusCode != http.StatusOK ||
			accept != "" && media != accept || !strings.HasPrefix(string(body), want) {
			t.Errorf("accepting %q: %d %s: %s", accept, res.StatusCode, media, body)
		}
	}
}
