package api

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/fake"
	"github.com/rodata/rodata/testkit/gateway"
)

const (
	found   = "/v1/companies/9900000010"
	unknown = "/v1/companies/19"
)

// till is a gateway with a key, with access to the records of its credits.
type till struct {
	*op.Gateway
	journal    *fake.Journal
	operations []*op.Operation
}

// newTill creates a till with the given number of monthly credits for its key.
func newTill(t *testing.T, monthly int64) *till {
	journal := new(fake.Journal)
	x := &till{gateway.New(t), journal, nil}
	x.Ledger = gateway.NewLedger(t, journal)
	x.Plans[2].MonthlyCredits, x.Plans[2].Rate = monthly, metering.PerSecond(1000, 1000)
	companies := fakeCompanies{exampleCUI: nil,
		9900000029: &op.Failure{Registry: "anaf", Kind: op.Broken, Err: errors.New("secret cause")}}
	x.operations = Operations(Registries{Companies: companies, Trade: &fakeTrade{}, Fixings: fixings, Usage: journal},
		x.Plans, system.About{})
	return x
}

// call makes a call with the key, and also returns the response headers.
func (x *till) call(t *testing.T, target string, change ...func(*op.Call)) (op.Reply, http.Header) {
	t.Helper()
	call := &op.Call{Channel: "rest", Authorization: "Bearer " + gateway.GoodKey,
		Address: netip.MustParseAddr("192.0.2.1")}
	for _, f := range change {
		f(call)
	}

	reply := gateway.Ask(t, x.Gateway, x.operations, call, target)
	h := http.Header{}
	reply.WriteHeader(h)
	return reply, h
}

func (x *till) used(t *testing.T) int64 {
	t.Helper()
	b, err := x.journal.Balance(t.Context(), "account1", metering.Period(time.Now()))
	if err != nil {
		t.Fatal(err)
	}

	return b.Used
}

func TestCreditsRunOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTill(t, 2)
		x.call(t, found)
		x.call(t, found)
		r, h := x.call(t, found)
		if r.Status != 402 || r.Document != nil || gateway.Header(h, "x-credits-cost") != "0" ||
			gateway.Header(h, "x-credits-remaining") != "0" {
			t.Errorf("the third call of two: %d %v", r.Status, h)
		}
		// The bubble's clock starts on 2000-01-01.
		for _, part := range []string{"2000-01", "Pro", "2 a month", "/v1/plans", "2000-02-01"} {
			if !strings.Contains(r.Problem.Detail, part) {
				t.Errorf("the detail does not say %s: %s", part, r.Problem.Detail)
			}
		}

		if r, _ := x.call(t, "/v1/plans"); r.Status != 200 {
			t.Errorf("a free operation: %d", r.Status)
		}

		x.Plans[2].MonthlyCredits = 3 // as after a change of the catalogue
		if r, h := x.call(t, found); r.Status != 200 || gateway.Header(h, "x-credits-remaining") != "0" {
			t.Errorf("with a greater plan: %d %v", r.Status, h)
		}

		<-time.After(31 * 24 * time.Hour)
		if r, h := x.call(t, found); r.Status != 200 || gateway.Header(h, "x-credits-remaining") != "2" {
			t.Errorf("in the next month: %d %v", r.Status, h)
		}
	})
}

// The store fails between admission and charge: the result is not sent.
func TestStoreDownAtTheCharge(t *testing.T) {
	x := newTill(t, 10)
	x.call(t, found) // so that the account becomes known
	x.journal.Fail(errors.New("secret cause"))
	r, h := x.call(t, found)
	if r.Status != 503 || r.Document != nil || gateway.Header(h, "x-cache") != "" || gateway.Header(h,
		"x-credits-remaining") != "9" {
		t.Errorf("got %d %v", r.Status, h)
	}
}

func TestUsageOfAMonth(t *testing.T) {
	x := newTill(t, 10)
	for range 4 {
		x.call(t, found)
	}

	x.journal.Give("account1", metering.Period(time.Now()), 5)
	var usage customer.CreditUsage
	r, h := x.call(t, "/v1/usage")
	if err := json.Unmarshal(r.Document.JSON, &usage); err != nil {
		t.Fatal(err)
	}
	if usage.MonthlyCredits != 15 || usage.CreditsUsed != 4 || *usage.CreditsRemaining != 11 || usage.Plan != "pro" ||
		usage.RateLimit != (customer.UsageRate{RPS: 1000, Burst: 1000}) {
		t.Errorf("got %s", r.Document.JSON)
	}
	if h.Get("Cache-Control") != "no-store" {
		t.Errorf("it may be kept: %v", h)
	}
	if r, _ := x.call(t, "/v1/usage", func(c *op.Call) { c.Authorization = "" }); r.Status != 401 {
		t.Errorf("without an account: %d", r.Status)
	}
}

// Accounts on a plan that was removed from the catalogue fall back to the first plan, like new accounts. The operator
// is warned once.
func TestPlanThatIsGone(t *testing.T) {
	var log strings.Builder
	x := newTill(t, 10)
	x.Plans = x.Plans[:2] // the key and the session belong to an account on the third
	x.Sessions, x.Logger = fakeSessions{}, slog.New(slog.NewTextHandler(&log, nil))
	withSession := func(c *op.Call) { c.Authorization, c.Cookie = "", goodCookie }
	if r, h := x.call(t, found); r.Status != 200 || gateway.Header(h, "x-credits-remaining") != "99" ||
		gateway.Header(h, "RateLimit-Policy") != `"free";q=10;w=5` {
		t.Errorf("a company: %d %v %v", r.Status, r.Problem, h)
	}

	for name, change := range map[string]func(*op.Call){"a key": func(*op.Call) {}, "a session": withSession} {
		r, _ := x.call(t, "/v1/usage", change)
		if r.Status != 200 || !strings.Contains(string(r.Document.JSON), `"plan":"free","period":`) ||
			!strings.Contains(string(r.Document.JSON), `"monthlyCredits":100,"creditsUsed":1,`) {
			t.Errorf("usage with %s: %d %v", name, r.Status, r.Problem)
		}
	}

	if caller, problem := x.Authenticate(t.Context(),
		&op.Call{Channel: "mcp", Authorization: "Bearer " + gateway.GoodKey}); problem != nil ||
		caller.Plan.Code != "free" {
		t.Errorf("over MCP: %v", problem)
	}
	if output := log.String(); strings.Count(output, "level=") != 1 || !strings.Contains(output, "level=WARN") ||
		!strings.Contains(output, "plan=pro instead=free") {
		t.Errorf("logged:\n%s", output)
	}
}
