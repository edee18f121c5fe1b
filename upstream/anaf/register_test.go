package anaf

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invented"
)

//go:embed testdata/company.json
var inventedCompany []byte

// patch changes one field of an invented company, such as "date_generale.denumire".
type patch struct {
	field string
	value any
}

// absent is the value of an omitted field.
type absent struct{}

// today returns a company as of today.
func today(cui ro.CUI) ro.CompanyDay { return ro.CompanyDay{CUI: cui} }

func asOfToday(cuis ...ro.CUI) (companies []ro.CompanyDay) {
	for _, cui := range cuis {
		companies = append(companies, today(cui))
	}
	return companies
}

// companyRecord returns the record of an invented company in the register's wording.
func companyRecord(cui ro.CUI, patches ...patch) map[string]any {
	var r map[string]any
	if err := json.Unmarshal(inventedCompany, &r); err != nil {
		panic(err)
	}

	for _, p := range append([]patch{{"date_generale.cui", cui}}, patches...) {
		object, field := r, p.field
		for group, rest, nested := strings.Cut(field, "."); nested; group, rest, nested = strings.Cut(field, ".") {
			object, field = object[group].(map[string]any), rest
		}

		if _, gone := p.value.(absent); gone {
			delete(object, field)
		} else {
			object[field] = p.value
		}
	}

	return r
}

// found returns the body of an answer with the given companies and unknown numbers.
func found(companies []map[string]any, missing ...ro.CUI) string {
	if companies == nil {
		companies = []map[string]any{}
	}
	if missing == nil {
		missing = []ro.CUI{}
	}

	body, err := json.Marshal(map[string]any{"found": companies, "notFound": missing})
	if err != nil {
		panic(err)
	}

	return string(body)
}

// register starts a register with the test's answers, and a client for it.
func register(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := NewClient(Options{URL: server.URL})
	testkit.NoError(t, err)

	return c
}

// answering returns a register that always gives the same answer.
func answering(t *testing.T, status int, body string) *Client {
	return register(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		w.Write([]byte(body))
	})
}

// profile returns the client's profile of an invented company.
func profile(t *testing.T, patches ...patch) *company.Company {
	t.Helper()
	cui := invented.CUI(1)
	results, err := answering(t, http.StatusOK, found([]map[string]any{companyRecord(cui,
		patches...)})).Profiles(t.Context(),
		asOfToday(cui))
	testkit.NoError(t, err)
	if results[today(cui)].Err != nil {
		t.Fatal(results[today(cui)].Err)
	}

	c, err := results[today(cui)].Record.Company(nil)
	testkit.NoError(t, err)

	return c
}
