package api

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

// limited is a gateway with a daily limit of company calls per address, and two calls for pages on behalf of visitors.
func limited(t *testing.T, companies int) *op.Gateway {
	g := gateway.New(t)
	g.Daily, g.Allowances = op.Daily{Companies: companies, Pages: 2}, metering.NewDays()
	return g
}

func TestDailyAllowance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // starts at midnight UTC
		const company, unknown = "/v1/companies/9900000010", "/v1/companies/19"
		g, ops := limited(t, 3), newOperations()
		given := gateway.Ask(t, gateway.New(t), ops, new(op.Call), company)
		tag := given.ETag()
		call := func(target string, call op.Call) (*op.Reply, http.Header) {
			t.Helper()
			call.Address = netip.MustParseAddr("192.0.2.1")
			reply, h := gateway.Ask(t, g, ops, &call, target), http.Header{}
			reply.WriteHeader(h)
			return &reply, h
		}
		shows := func(name, target string, c op.Call, status int, state string) *op.Reply {
			t.Helper()
			reply, h := call(target, c)
			if got := gateway.Header(h, "RateLimit"); reply.Status != status || !strings.HasSuffix(got, state) ||
				!strings.HasPrefix(got, `"`) {
				t.Errorf("%s: %d, RateLimit %s, want %d and ...%s", name, reply.Status, got, status, state)
			}

			return reply
		}
		shows("a company", company, op.Call{}, 200, `, "companies";r=2;t=86400`)
		shows("what no register knows", unknown, op.Call{}, 404, `, "companies";r=2;t=86400`)
		shows("what the caller has", company, op.Call{IfNoneMatch: tag}, 304, `, "companies";r=2;t=86400`)
		shows("a bad argument", "/v1/companies/1", op.Call{}, 400, `t=1`)
		shows("what costs nothing", "/v1/plans", op.Call{}, 200, `t=1`)
		shows("a search", "/v1/companies?q=exemplu", op.Call{}, 200, `, "companies";r=1;t=86400`)
		shows("the last one", company, op.Call{}, 200, `, "companies";r=0;t=86400`)

		refused := shows("one too many", company, op.Call{}, 429, `, "companies";r=0;t=86400`)
		for _, says := range []string{"3 company calls a day", "100 company calls a month on the plan Free", "5000",
			"/dashboard/sign-up", "00:00 UTC"} {
			if !strings.Contains(refused.Problem.Detail, says) {
				t.Errorf("%s is not in: %s", says, refused.Problem.Detail)
			}
		}

		_, h := call(company, op.Call{})
		if policy := gateway.Header(h, "RateLimit-Policy"); policy != `"anonymous";q=1000;w=1, "companies";q=3;w=86400` ||
			gateway.Header(h, "Retry-After") != "86400" {
			t.Errorf("RateLimit-Policy %s, Retry-After %s", policy, gateway.Header(h, "Retry-After"))
		}

		shows("what costs nothing goes on", "/v1/plans", op.Call{}, 200, `t=1`)
		if reply, _ := call(company, op.Call{APIKey: gateway.GoodKey}); reply.Status != 200 || reply.Quota.Limit != 0 ||
			reply.Cost != 1 {
			t.Errorf("a key: %d %+v", reply.Status, reply.Quota)
		}

		shows("a page of ours", company, op.Call{OwnPage: true}, 200, `, "pages";r=1;t=86400`)
		shows("the page's last", company, op.Call{OwnPage: true}, 200, `, "pages";r=0;t=86400`)
		if p := shows("the page's one too many", company, op.Call{OwnPage: true}, 429,
			`, "pages";r=0;t=86400`).Problem; !strings.Contains(p.Detail, "each visitor") {
			t.Errorf("the problem for the page is: %s", p.Detail)
		}
	})
}

// A call that panics or fails does not use up the allowance.
func TestFailuresUseUpNoAllowance(t *testing.T) {
	g := limited(t, 1)
	ops := Operations(Registries{}, metering.DefaultPlans(), system.About{}) // the call panics
	for range 3 {
		if r := gateway.Ask(t, g, ops, new(op.Call), "/v1/companies/9900000010"); r.Status != 500 ||
			r.Quota.Remaining != 1 {
			t.Errorf("%d, %+v", r.Status, r.Quota)
		}
	}
}
