package client

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// serve returns a client of a server with one handler.
func serve(t *testing.T, handle http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	c, err := New(Options{URL: server.URL, Key: "rodata_test_key", HTTPClient: server.Client()})
	testkit.NoError(t, err)

	return c
}

// answer is a handler with a fixed answer.
func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestNew(t *testing.T) {
	for url, base := range map[string]string{
		"https://api.example.ro":             "https://api.example.ro",
		"https://api.example.ro/":            "https://api.example.ro",
		"https://api.example.ro/v1/":         "https://api.example.ro",
		" http://127.0.0.1:8080/registers/":  "http://127.0.0.1:8080/registers",
		"api.example.ro":                     "",
		"ftp://api.example.ro":               "",
		"https://":                           "",
		"https://api.example.ro/?key=secret": "",
		"":                                   "",
	} {
		c, err := New(Options{URL: url})
		switch {
		case base == "" && err == nil:
			t.Errorf("%q is accepted", url)
		case base != "" && (err != nil || c.base != base):
			t.Errorf("%q: got %v, %v", url, c, err)
		}
	}
}

// A key is encrypted on its way to another machine.
func TestUnencryptedKey(t *testing.T) {
	for url, accepted := range map[string]bool{
		"http://api.example.ro": false, "http://127.0.0.1.example.ro": false, "http://localhost.example.ro/v1": false,
		"http://a.localhost": false, "http://10.0.0.1": false, "http://rodata:8080": false,
		"https://api.example.ro": true,
		"http://localhost:1":     true, "http://LOCALHOST": true, "http://[::1]:1": true, "http://127.0.0.9": true,
	} {
		_, err := New(Options{URL: url, Key: "rodata_live_key"})
		if (err == nil) != accepted || err != nil && !strings.Contains(err.Error(), "AllowHTTP") {
			t.Errorf("%s: got %v", url, err)
		}
		if _, err := New(Options{URL: url, Key: "rodata_live_key", AllowHTTP: true}); err != nil {
			t.Errorf("%s with AllowHTTP: got %v", url, err)
		}
		if _, err := New(Options{URL: url}); err != nil {
			t.Errorf("%s without a key: got %v", url, err)
		}
	}
}

// A redirect is an error: it could carry the key to another host, or unencrypted.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var arrived atomic.Int32
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
	defer target.Close()
	server := httptest.NewTLSServer(http.RedirectHandler(target.URL+"/", http.StatusPermanentRedirect))
	defer server.Close()

	c, err := New(Options{URL: server.URL, Key: "rodata_live_key", HTTPClient: server.Client()})
	testkit.NoError(t, err)
	_, err = c.Usage(t.Context())
	answer, ok := errors.AsType[*UnexpectedAnswer](err)
	if !ok || answer.Location != target.URL+"/" || arrived.Load() > 0 {
		t.Errorf("%d requests arrived at the target; got %v", arrived.Load(), err)
	}
	if server.Client().CheckRedirect != nil {
		t.Error("the caller's own client was changed")
	}
}

// Each method sends the request in the contract.
func TestRequests(t *testing.T) {
	yes, no := true, false
	june := Date{2026, time.June, 10}
	for want, call := range map[string]func(c *Client) error{
		"GET /v1/companies/9900000010": func(c *Client) error {
			_, err := c.Company(t.Context(), " ro 9900000010", CompanyOptions{})
			return err
		},
		"GET /v1/companies/9900000010?date=2026-06-10&include=registers%2Cinsolvency": func(c *Client) error {
			_, err := c.Company(t.Context(), "9900000010",
				CompanyOptions{Date: june, Include: []Part{WithRegisters, WithInsolvency}})
			return err
		},
		"GET /v1/companies/9900000010/status?date=2026-06-10&knownAt=2026-06-10": func(c *Client) error {
			_, err := c.CompanyStatus(t.Context(), "9900000010", june, june)
			return err
		},
		"GET /v1/companies/9900000010/statements?year=2025": func(c *Client) error {
			_, err := c.StatementState(t.Context(), "9900000010", 2025)
			return err
		},
		"GET /v1/companies/9900000010/peers?level=group&year=2025": func(c *Client) error {
			_, err := c.Peers(t.Context(), "9900000010", 2025, "group")
			return err
		},
		"GET /v1/companies/9900000010/verdict?amount=4900&date=2026-06-10&payment=cash&vatCharged=true": func(c *Client) error {
			_, err := c.VerifySupplier(t.Context(), "9900000010",
				VerdictQuery{Date: june, Amount: "4900", Payment: "cash", VATCharged: &yes})
			return err
		},
		"GET /v1/companies?county=CJ&inactive=false&limit=5&offset=10&q=exemplu&sortBy=name&sortDirection=desc&state=in_operation%2Cinsolvent&vatPayer=true": func(c *Client) error {
			_, err := c.SearchCompanies(t.Context(), Search{
				Text: "exemplu", County: "CJ", VATPayer: &yes, Inactive: &no, Limit: 5, Offset: 10, SortBy: "name",
				Descending: true,
				States:     []State{InOperation, Insolvent},
			})
			return err
		},
		"GET /v1/companies?employeesMax=49&netResultMin=-1&sortBy=turnover&statement=filed&turnoverMin=0": func(c *Client) error {
			_, err := c.SearchCompanies(t.Context(), Search{
				TurnoverMin: new(int64(0)), NetResultMin: new(int64(-1)), EmployeesMax: new(int64(49)),
				Statement: "filed", SortBy: "turnover",
			})
			return err
		},
		"GET /v1/fx-rates?basis=invoice&currency=EUR%2CUSD&date=2026-06-10": func(c *Client) error {
			_, err := c.Rates(t.Context(), june, InvoiceBasis, "EUR", "USD")
			return err
		},
		"GET /v1/fx-rates/history?currency=EUR&from=2026-06-10": func(c *Client) error {
			_, err := c.RateHistory(t.Context(), "EUR", june, Date{})
			return err
		},
		"GET /v1/fx-rates/convert?amount=100.50&from=EUR&to=RON": func(c *Client) error {
			_, err := c.Convert(t.Context(), "100.50", "EUR", "RON", Date{}, "")
			return err
		},
		"GET /v1/caen-codes/6210": func(c *Client) error {
			_, err := c.CAENCode(t.Context(), "6210")
			return err
		},
		"GET /v1/caen-codes?limit=3&q=coafor": func(c *Client) error {
			_, err := c.SearchCAENCodes(t.Context(), "coafor", 3)
			return err
		},
		"GET /v1/vat-numbers/DE%20811569869?requester=RO14399840": func(c *Client) error {
			_, err := c.CheckVATNumber(t.Context(), "DE 811569869", "RO14399840")
			return err
		},
		"PUT /v1/watchlists/default/companies/9900000010": func(c *Client) error {
			return c.Watch(t.Context(), DefaultWatchlist, "RO9900000010", "S-1")
		},
		"DELETE /v1/watchlists/a%2Fb/companies/9900000010": func(c *Client) error {
			return c.Unwatch(t.Context(), "a/b", "9900000010")
		},
		"GET /v1/events?after=abc&taxId=9900000010&type=company.vat.cancelled": func(c *Client) error {
			_, err := c.EventPage(t.Context(),
				EventQuery{After: "abc", TaxID: 9900000010, Types: []string{"company.vat.cancelled"}})
			return err
		},
		"POST /v1/jobs?column=CUI&date=2026-06-10&fields=name%2CvatPayer": func(c *Client) error {
			_, err := c.CreateJob(t.Context(),
				JobFile{Type: CSVFile, Column: "CUI", Date: june, Fields: []string{"name", "vatPayer"}})
			return err
		},
		"DELETE /v1/jobs/job_1":            func(c *Client) error { return c.CancelJob(t.Context(), "job_1") },
		"DELETE /v1/jobs/job_1?erase=true": func(c *Client) error { return c.DeleteJob(t.Context(), "job_1") },
		"GET /v1/jobs/job_1/result?format=xlsx": func(c *Client) error {
			body, err := c.JobResult(t.Context(), "job_1", "xlsx")
			return errors.Join(err, body.Close())
		},
	} {
		var got string
		var key string
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			got, key = r.Method+" "+r.URL.RequestURI(), r.Header.Get("Authorization")
			answer(http.StatusOK, "application/json; charset=utf-8", "{}")(w, r)
		})
		if err := call(c); err != nil || got != want || key != "Bearer rodata_test_key" {
			t.Errorf("got %s with %q, %v; want %s", got, key, err, want)
		}
	}
}

func TestProblem(t *testing.T) {
	const body = `{"type": "https://api.example.ro/problems/quota-exhausted", "title": "Quota exhausted", "status": 402,
		"detail": "3 credits are needed and 1 is left", "code": "quota-exhausted", "needed": 3, "remaining": 1,
		"errors": [{"parameter": "cui", "code": "check_digit", "received": "1", "accepted": "a CUI", "suggestion": "19"}]}`
	c := serve(t, answer(http.StatusPaymentRequired, problemType, body))
	_, err := c.Usage(t.Context())
	var p *Problem
	if !errors.As(err, &p) {
		t.Fatalf("got %v", err)
	}
	if p.Code != CodeQuotaExhausted || p.Status != 402 || *p.Needed != 3 || *p.Remaining != 1 || len(p.Errors) != 1 ||
		p.Errors[0].Suggestion != "19" || *p.Errors[0].Received != "1" {
		t.Errorf("got %+v", p)
	}
	if got := err.Error(); got != "quota-exhausted: 3 credits are needed and 1 is left" {
		t.Errorf("it says %s", got)
	}
}

// Answers of other servers are distinguished from the gateway's problems.
func TestUnexpectedAnswers(t *testing.T) {
	for name, handle := range map[string]http.HandlerFunc{
		"a page":                   answer(http.StatusOK, "text/html", "<h1>Hello</h1>"),
		"a page that is missing":   answer(http.StatusNotFound, "text/html", "not found"),
		"JSON that is no problem":  answer(http.StatusBadRequest, "application/json", "{}"),
		"a problem without a code": answer(http.StatusBadRequest, problemType, `{"title": "Bad Request"}`),
		"nothing": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := serve(t, handle).Usage(t.Context())
			var u *UnexpectedAnswer
			if !errors.As(err, &u) || !strings.Contains(err.Error(), "/v1/usage answers ") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestMalformedAnswer(t *testing.T) {
	_, err := serve(t, answer(http.StatusOK, jsonType, `{"plan": `)).Usage(t.Context())
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		t.Errorf("got %v", err)
	}
}

func TestDate(t *testing.T) {
	var value struct {
		Day  Date  `json:"day"`
		None *Date `json:"none"`
	}
	const text = `{"day":"2026-06-10","none":null}`
	if err := json.Unmarshal([]byte(text), &value); err != nil || value.Day != (Date{2026, time.June, 10}) ||
		value.None != nil {
		t.Errorf("got %+v, %v", value, err)
	}
	if again, err := json.Marshal(value); err != nil || string(again) != text {
		t.Errorf("got %s, %v", again, err)
	}

	for _, written := range []string{"2026-06-10", "10.06.2026", "10/06/2026", "10.6.2026", "2026-06-10 00:00:00",
		"2026-06-10T08:30", " 10.06.2026 08:30 "} {
		if d, err := ParseDate(written); err != nil || d != (Date{2026, time.June, 10}) {
			t.Errorf("%q is %v, %v", written, d, err)
		}
	}

	for _, wrong := range []string{"", "2026-6-10", "2026-02-30", "31.02.2026", "06/10/26"} {
		if d, err := ParseDate(wrong); err == nil {
			t.Errorf("%q is %v", wrong, d)
		}
	}
}
