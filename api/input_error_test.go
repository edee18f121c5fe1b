package api

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit/gateway"
)

// wrongCall is the answer to an invalid call, as parsed by a program.
type wrongCall struct {
	Status       int
	Detail, Code string
	Errors       []struct {
		Parameter, Code, Accepted, Suggestion string
		Received                              *string
	}
}

func readProblem(t *testing.T, p *problem.Problem) (w wrongCall) {
	t.Helper()
	if p == nil {
		t.Fatal("answered")
	}
	if err := json.Unmarshal(p.JSON("https://example.test"), &w); err != nil {
		t.Fatal(err)
	}

	return w
}

func TestInputErrors(t *testing.T) {
	for _, c := range []struct {
		target, parameter string
		code              problem.InputCode
		received          string // "-" for null
		accepted, meant   string
	}{
		{"/v1/companies?limit=101", "limit", problem.OutOfRange, "101", "a whole number from 1 to 100", ""},
		{"/v1/companies?limt=5", "limt", problem.UnknownParameter, "limt", "q, county", "limit"},
		{"/v1/companies?caenCode=6210", "caenCode", problem.UnknownParameter, "caenCode", "naceCode", "naceCode"},
		{"/v1/companies?CAEN=6210", "CAEN", problem.UnknownParameter, "CAEN", "naceCode", "naceCode"},
		{"/v1/companies?utm_source=x", "utm_source", problem.UnknownParameter, "utm_source", "q, county", ""},
		{"/v1/companies?limit=5&limit=6", "limit", problem.Repeated, "-", "one value", ""},
		{"/v1/companies?q=", "q", problem.Empty, "", "a value", ""},
		{"/v1/companies?naceCode=62", "naceCode", problem.InvalidFormat, "62", "exactly 4 digits", ""},
		{"/v1/companies?county=Klug", "county", problem.NoSuchValue, "Klug", "the name, plate code or number", "CLUJ"},
		{"/v1/companies?sortBy=nam", "sortBy", problem.NotOneOf, "nam", "relevance, name", "name"},
		{"/v1/companies/suggest?q=e", "q", problem.TooShort, "e", "2 characters", ""},
		{"/v1/companies/suggest", "q", problem.Required, "-", "beginning of a company's name", ""},
		{"/v1/companies/12345678", "cui", problem.CheckDigit, "12345678", "control digit", ""},
		{"/v1/companies/RO123", "cui", problem.InvalidFormat, "RO123", "without the RO prefix", ""},
		{"/v1/companies/9900000010?include=balanceSheet", "include", problem.NotOneOf, "balanceSheet",
			"balanceSheets, legal", "balanceSheets"},
		{"/v1/companies/9900000010?years=2020", "years", problem.Conflict, "-", "include=balanceSheets", ""},
		{"/v1/companies?q=%zz", "", problem.Malformed, "-", "percent-encoded", ""},
		{"/v1/fx-rates?date=2026-02-30", "date", problem.OutOfRange, "2026-02-30", "YYYY-MM-DD", ""},
		{"/v1/fx-rates?date=2999-01-01", "date", problem.OutOfRange, "2999-01-01", "2005-01-03", ""},
		{"/v1/fx-rates?currency=LEI", "currency", problem.NoSuchValue, "LEI", "EUR, HRK", ""},
		{"/v1/fx-rates/history?currency=EUR&from=2026-06-02&to=2026-06-01", "from", problem.Conflict, "2026-06-02",
			"2026-06-01", ""},
		{"/v1/fx-rates/history?currency=EUR&from=2025-01-01&to=2026-06-12", "from", problem.OutOfRange, "2025-01-01",
			"2025-06-11", ""},
		{"/v1/fx-rates/convert?amount=1&from=EUR&to=LEI", "to", problem.NoSuchValue, "LEI", "XAU, RON", "RON"},
		{"/v1/fx-rates/convert?amount=1&from=EUT&to=RON", "from", problem.NoSuchValue, "EUT", "EUR, HRK", "EUR"},
		{"/v1/fx-rates/convert?amount=99,90&from=EUR&to=RON", "amount", problem.InvalidFormat, "99,90", "a point", "99.90"},
		{"/v1/fx-rates/convert?amount=-1.000,50&from=EUR&to=RON", "amount", problem.InvalidFormat, "-1.000,50", "a point", "-1000.50"},
		{"/v1/fx-rates/convert?amount=1,000.50&from=EUR&to=RON", "amount", problem.InvalidFormat, "1,000.50", "a point", ""},
		{"/v1/fx-rates/convert?amount=1.00,5&from=EUR&to=RON", "amount", problem.InvalidFormat, "1.00,5", "a point", ""},
		{"/v1/fx-rates/convert?amount=1&from=euro&to=RON", "from", problem.InvalidFormat, "euro", "three-letter", "EUR"},
		{"/v1/fx-rates/convert?amount=1&from=E-R&to=RON", "from", problem.InvalidFormat, "E-R", "three-letter", ""},
		{"/v1/fx-rates/convert?amount=1&from=%C5%BFA&to=RON", "from", problem.InvalidFormat, "\u017fA", "three-letter", ""},
		{"/v1/cities?id=" + strings.Repeat("1,", 101) + "1", "id", problem.TooMany, strings.Repeat("1,", 30) + "…",
			"at most 100", ""},
	} {
		t.Run(c.target[:min(len(c.target), 60)], func(t *testing.T) {
			w := readProblem(t, get(t, c.target).Problem)
			if w.Status != 400 || w.Code != "invalid-request" || len(w.Errors) != 1 {
				t.Fatalf("%+v", w)
			}

			e := w.Errors[0]
			received := "-"
			if e.Received != nil {
				received = *e.Received
			}
			if e.Parameter != c.parameter || e.Code != string(c.code) || received != c.received ||
				!strings.Contains(e.Accepted, c.accepted) || e.Suggestion != c.meant {
				t.Errorf("%+v, received %s", e, received)
			}
			if c.meant != "" && !strings.Contains(w.Detail, "did you mean "+c.meant+"?") {
				t.Errorf("the detail does not suggest it: %s", w.Detail)
			}
			if name := c.parameter; name != "" &&
				(strings.Contains(w.Detail, name+": "+name) || strings.Count(w.Detail, `"`+c.received+`"`) > 1) {
				t.Errorf("the detail repeats itself: %s", w.Detail)
			}
		})
	}
}

func TestAllErrorsAreReported(t *testing.T) {
	w := readProblem(t, get(t, "/v1/companies?limit=0&offset=-1&limt=5&sortBy=size").Problem)
	var reported []string
	for _, e := range w.Errors {
		reported = append(reported, e.Parameter+" "+e.Code)
		if !strings.Contains(w.Detail, e.Parameter) {
			t.Errorf("the detail does not name %s: %s", e.Parameter, w.Detail)
		}
	}

	if got := strings.Join(reported, ", "); got != "limit out_of_range, offset out_of_range, sortBy not_one_of, limt "+
		"unknown_parameter" {
		t.Error(got)
	}
}

func TestUnknownFieldsOfBodyAreNamed(t *testing.T) {
	args, err := op.ArgsFromJSON([]byte(`{"name":["ERP"],"scopes":["read"],"labels":{"team":[{}]},"nam":"ERP"}`))
	if err != nil {
		t.Fatal(err)
	}

	o, _ := gateway.Find(newOperations(), "POST", "/v1/keys")
	w := readProblem(t, gateway.New(t).Do(t.Context(), o,
		&op.Call{Authorization: "Bearer " + gateway.GoodKey, Args: args}).Problem)
	var reported []string
	for _, e := range w.Errors {
		reported = append(reported, strings.TrimSpace(e.Parameter+" "+e.Code+" "+e.Suggestion))
	}
	if got := strings.Join(reported, ", "); got != "name invalid_type, scopes unknown_parameter, labels "+
		"unknown_parameter, nam unknown_parameter name" {
		t.Error(got)
	}
}

func TestUnauthorizedPointsToKeys(t *testing.T) {
	o, inPath := gateway.Find(newOperations(), "GET", "/v1/companies/9900000010")
	w := readProblem(t, gateway.New(t).Do(t.Context(), o,
		&op.Call{InPath: inPath, Authorization: "Bearer nothing"}).Problem)
	if w.Status != 401 || w.Code != "unauthorized" ||
		!strings.HasSuffix(w.Detail, "; keys are created at https://example.test/dashboard/keys") || w.Errors != nil {
		t.Errorf("%+v", w)
	}
}

func TestEveryCodeIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}

	for _, k := range problem.Kinds {
		if row := "| `" + k.Slug + "` |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/errors.md has no row %s", row)
		}
	}

	for _, c := range problem.InputCodes {
		if row := "| `" + string(c.Code) + "` | " + c.Meaning + " |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/errors.md has no row %s", row)
		}
	}
}

// The error of a value that is parsed outside of a call names no parameter.
func TestInputErrorOfAValueOnItsOwn(t *testing.T) {
	err := new(customer.Email).UnmarshalText([]byte("ana"))
	if err == nil || err.Error() != "must be an e-mail address, such as ana@example.ro" {
		t.Errorf("got %q", err)
	}
}
