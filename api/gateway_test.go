package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

func TestStatusOfEveryWayToFail(t *testing.T) {
	const (
		broken   ro.CUI = 9900000029
		slow     ro.CUI = 9900000037
		shut     ro.CUI = 9900000045
		mistaken ro.CUI = 9900000053
	)
	companies := fakeCompanies{
		exampleCUI: nil,
		broken:     &op.Failure{Registry: "anaf", Kind: op.Broken, Err: errors.New("secret cause")},
		slow:       &op.Failure{Registry: "anaf", Kind: op.TimedOut, Err: errors.New("secret cause")},
		shut: fmt.Errorf("asking: %w",
			&op.Failure{Registry: "anaf", Kind: op.Closed, RetryAfter: 1500 * time.Millisecond,
				Err: errors.New("secret cause")}),
		mistaken: errors.New("secret cause"),
	}
	ops := Operations(Registries{Companies: companies, Fixings: fixings}, metering.DefaultPlans(), system.About{})
	for _, c := range []struct {
		name, target, authorization string
		keys                        op.Directory
		status                      int
		slug                        string
	}{
		{name: "found", target: "/v1/companies/9900000010", status: 200},
		{name: "bad argument", target: "/v1/companies/9900000011", status: 400, slug: "invalid-request"},
		{name: "other scheme", target: "/v1/plans", authorization: "Basic QTpC", status: 401, slug: "unauthorized"},
		{name: "unknown key on a free route", target: "/v1/plans", authorization: "Bearer rodata_live_nope",
			status: 401, slug: "unauthorized"},
		{name: "unknown key wins over a bad argument", target: "/v1/plans?x=1", authorization: "Bearer x", status: 401,
			slug: "unauthorized"},
		{name: "good key", target: "/v1/plans", authorization: "bearer  " + gateway.GoodKey, status: 200},
		{name: "key store down", target: "/v1/plans", authorization: "Bearer " + gateway.GoodKey,
			keys: gateway.Keys{Down: fmt.Errorf("disk: %w", account.ErrStoreDown)}, status: 503, slug: "unavailable"},
		{name: "probes need no store", target: "/health", authorization: "Bearer x",
			keys: gateway.Keys{Down: account.ErrStoreDown}, status: 200},
		{name: "persons need a key", target: "/v1/companies/9900000010?include=legalRepresentatives", status: 403,
			slug: "forbidden"},
		{name: "a key may see persons", target: "/v1/companies/9900000010?include=legalRepresentatives",
			authorization: "Bearer " + gateway.GoodKey, status: 200},
		{name: "unknown number", target: "/v1/companies/19", status: 404, slug: "not-found"},
		{name: "registry error", target: "/v1/companies/9900000029", status: 502, slug: "upstream-error"},
		{name: "registry timeout", target: "/v1/companies/9900000037", status: 504, slug: "upstream-timeout"},
		{name: "breaker open", target: "/v1/companies/9900000045", status: 503, slug: "unavailable"},
		{name: "our mistake", target: "/v1/companies/9900000053", status: 500, slug: "internal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gateway.New(t)
			if c.keys != nil {
				g.Keys = c.keys
			}

			reply := gateway.Ask(t, g, ops, &op.Call{Authorization: c.authorization}, c.target)
			if reply.Status != c.status {
				t.Fatalf("status %d, want %d: %+v", reply.Status, c.status, reply.Problem)
			}
			if c.status < 400 {
				return
			}

			var body struct {
				Type, Title, Detail string
				Status              int
			}
			if err := json.Unmarshal(reply.Problem.JSON("https://example.test"), &body); err != nil {
				t.Fatal(err)
			}
			if body.Type != "https://example.test/problems/"+c.slug || body.Status != c.status || body.Title == "" ||
				body.Detail == "" {
				t.Errorf("problem %+v", body)
			}
			if strings.Contains(body.Detail, "secret") {
				t.Errorf("the cause is shown to the caller: %s", body.Detail)
			}

			header := http.Header{}
			reply.WriteHeader(header)
			if cost := gateway.Header(header, "x-credits-cost"); cost != "0" {
				t.Errorf("a failure costs %s", cost)
			}
			if after := header.Get("Retry-After"); (c.status == 503) != (after != "") {
				t.Errorf("Retry-After is %q", after)
			}
		})
	}
}

func TestRetryAfterIsRoundedUp(t *testing.T) {
	p := &problem.Problem{RetryAfter: 1500 * time.Millisecond}
	if p.RetrySeconds() != 2 {
		t.Errorf("1.5 s became %d s", p.RetrySeconds())
	}
}

func TestPanicIsAnInternalError(t *testing.T) {
	ops := Operations(Registries{}, nil, system.About{}) // no registries: every call of one panics
	reply := gateway.Ask(t, gateway.New(t), ops, &op.Call{}, "/v1/companies/9900000010")
	if reply.Status != 500 || reply.Problem.ID == "" || !strings.Contains(reply.Problem.Detail, reply.Problem.ID) {
		t.Errorf("got %d %+v", reply.Status, reply.Problem)
	}
}

// A call that ends because the caller disconnected counts neither as an internal error nor as a failure of a registry.
func TestCallerGone(t *testing.T) {
	var log strings.Builder
	g := gateway.New(t)
	g.Logger = slog.New(slog.NewTextHandler(&log, nil))
	companies := fakeCompanies{exampleCUI: fmt.Errorf("waiting: %w", context.Canceled)}
	reply := gateway.Ask(t, g, Operations(Registries{Companies: companies}, nil, system.About{}), &op.Call{},
		"/v1/companies/9900000010")
	if reply.Status != 499 || log.Len() > 0 {
		t.Errorf("status %d, logged %q", reply.Status, &log)
	}
}

func TestRateLimitIsPerCaller(t *testing.T) {
	g, ops := gateway.New(t), newOperations()
	g.Anonymous = metering.PerSecond(1, 2)
	call := func(address, authorization string) op.Reply {
		return gateway.Ask(t, g, ops, &op.Call{Address: netip.MustParseAddr(address), Authorization: authorization},
			"/v1/plans")
	}
	call("192.0.2.1", "")
	call("192.0.2.1", "")
	refused := call("192.0.2.1", "")
	if refused.Status != 429 || refused.RetrySeconds() < 1 || refused.Allowance.Remaining != 0 {
		t.Errorf("third call: %d, %+v", refused.Status, refused.Allowance)
	}
	if r := call("192.0.2.2", ""); r.Status != 200 {
		t.Errorf("another address was refused as well: %d", r.Status)
	}

	h := http.Header{}
	refused.WriteHeader(h)
	if h.Get("Retry-After") != "1" || gateway.Header(h, "RateLimit") != `"anonymous";r=0;t=1` {
		t.Errorf("refused with %v", h)
	}

	r := call("192.0.2.1", "Bearer "+gateway.GoodKey)
	if r.Status != 200 || r.Allowance.Rate.N != 20 {
		t.Errorf("a key of the pro plan on that address: %d, %+v", r.Status, r.Allowance)
	}

	h = http.Header{}
	if r.WriteHeader(h); gateway.Header(h, "RateLimit-Policy") != `"pro";q=60;w=3` || gateway.Header(h, "RateLimit") != `"pro";r=59;t=1` {
		t.Errorf("its limit is shown as %v", h)
	}

	probe := gateway.Ask(t, g, ops, &op.Call{Address: netip.MustParseAddr("192.0.2.1")}, "/health")
	if probe.Status != 200 {
		t.Errorf("a probe is limited: %d", probe.Status)
	}
}

func TestKeysCannotBeGuessed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, ops := gateway.New(t), newOperations()
		g.Anonymous = metering.PerSecond(1, 10)
		send := func(address, authorization string) op.Reply {
			return gateway.Ask(t, g, ops, &op.Call{Address: netip.MustParseAddr(address), Authorization: authorization},
				"/v1/plans")
		}
		call := func(address, key string) op.Reply { return send(address, "Bearer "+key) }
		for i := range 5 {
			for _, authorization := range []string{"Bearer guess", "Basic QTpC"} {
				r := send("192.0.2.1", authorization)
				h := http.Header{}
				if r.WriteHeader(h); r.Status != 401 || !strings.HasPrefix(gateway.Header(h, "RateLimit"), `"anonymous";r=`) {
					t.Fatalf("guess %d with %s: %d %v", i, authorization, r.Status, h)
				}
			}
		}

		if r := send("192.0.2.1", "Basic QTpC"); r.Status != 429 {
			t.Errorf("the eleventh guess with another scheme: %d", r.Status)
		}
		if r := call("192.0.2.1", "guess"); r.Status != 429 || r.RetrySeconds() != 1 {
			t.Errorf("the eleventh guess: %d, to be repeated in %d s", r.Status, r.RetrySeconds())
		}
		if r := call("192.0.2.1", gateway.GoodKey); r.Status != 200 {
			t.Errorf("a valid key from the same address: %d", r.Status)
		}
		if r := call("192.0.2.2", "guess"); r.Status != 401 {
			t.Errorf("another address: %d", r.Status)
		}

		<-time.After(time.Second)
		if r := call("192.0.2.1", "guess"); r.Status != 401 {
			t.Errorf("after waiting for Retry-After: %d", r.Status)
		}
	})
}

// Names of persons are returned to accountable callers only.
func TestAccountableCallers(t *testing.T) {
	for _, c := range []struct {
		name   string
		key    account.Key
		status int
	}{
		{"on the first plan", account.Key{Plan: "free"}, 403},
		{"on a plan that is gone", account.Key{Plan: "gone"}, 403},
		{"verified", account.Key{Plan: "free", Verified: true}, 200},
		{"on another plan", account.Key{Plan: "starter"}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gateway.New(t)
			c.key.ID, c.key.Account = "key", "account"
			g.Keys = oneKey(c.key)
			reply := gateway.Ask(t, g, newOperations(), &op.Call{APIKey: gateway.GoodKey},
				"/v1/companies/9900000010?include=legalRepresentatives")
			if reply.Status != c.status || (reply.Cost == 1) != (c.status == 200) {
				t.Errorf("%d, cost %d: %v", reply.Status, reply.Cost, reply.Problem)
			}
			if reply := gateway.Ask(t, g, newOperations(), &op.Call{APIKey: gateway.GoodKey},
				"/v1/companies/9900000010"); reply.Status != 200 {
				t.Errorf("without persons: %d", reply.Status)
			}
		})
	}
}

// A page may make a call with the visitor's session. API calls do not accept the cookie instead of a key.
func TestCallsBySession(t *testing.T) {
	const persons = "/v1/companies/9900000010?include=legalRepresentatives"
	for _, c := range []struct {
		name         string
		session      account.Session
		bySession    bool
		status, cost int
	}{
		{"verified", account.Session{Plan: "free", Verified: true}, true, 200, 1},
		{"on another plan", account.Session{Plan: "starter"}, true, 200, 1},
		{"not verified", account.Session{Plan: "free"}, true, 403, 0},
		{"not by session", account.Session{Plan: "free", Verified: true}, false, 403, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gateway.New(t)
			c.session.ID, c.session.Account = "session", "account"
			g.Sessions = oneSession(c.session)
			reply := gateway.Ask(t, g, newOperations(), &op.Call{Cookie: "session", BySession: c.bySession}, persons)
			if reply.Status != c.status || reply.Cost != c.cost {
				t.Errorf("%d, cost %d: %v", reply.Status, reply.Cost, reply.Problem)
			}
		})
	}
}

// oneSession is a directory in which every cookie belongs to the same session.
type oneSession account.Session

func (s oneSession) Session(context.Context, string, string) (account.Session, error) {
	return account.Session(s), nil
}

// oneKey is a directory in which every secret belongs to the same key.
type oneKey account.Key

func (k oneKey) KeyFrom(context.Context, string, netip.Addr) (account.Key, error) {
	return account.Key(k), nil
}

// A key is accepted in either header, and in both if it is the same.
func TestHeadersOfAKey(t *testing.T) {
	const bad = "rodata_live_nope"
	for _, c := range []struct {
		name, authorization, apiKey string
		status                      int
	}{
		{"x-api-key", "", gateway.GoodKey, 200},
		{"both", "Bearer " + gateway.GoodKey, gateway.GoodKey, 200},
		{"an unknown key", "", bad, 401},
		{"an unknown key in both", "Bearer " + bad, bad, 401},
		{"different keys", "Bearer " + gateway.GoodKey, bad, 400},
		{"different keys, the other way round", "Bearer " + bad, gateway.GoodKey, 400},
		{"another scheme beside a key", "Basic QTpC", gateway.GoodKey, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, ops := gateway.New(t), newOperations()
			g.Sessions = noSessions{t}
			call := op.Call{Channel: "rest", Authorization: c.authorization, APIKey: c.apiKey, Cookie: "theme=dark"}
			for _, target := range []string{"/v1/plans", "/v1/keys"} {
				sent := call
				if r := gateway.Ask(t, g, ops, &sent, target); r.Status != c.status || r.Allowance.Rate.N == 0 {
					t.Errorf("%s: %d %+v, want %d on some bucket", target, r.Status, r.Problem, c.status)
				}
			}

			caller, problem := g.Authenticate(t.Context(), &call)
			if got := problem == nil; got != (c.status == 200) || got && caller.Key.ID != "key1" {
				t.Errorf("another channel: %+v, %v", caller.Key, problem)
			}
		})
	}
}

// noSessions fails if a cookie is looked up although a key was sent.
type noSessions struct{ *testing.T }

func (s noSessions) Session(context.Context, string, string) (account.Session, error) {
	s.Error("a session was looked up beside a key")
	return account.Session{}, account.ErrNoSession
}

func TestEntitlement(t *testing.T) {
	g, ops := gateway.New(t), newOperations()
	g.Plans[2].Without = []metering.Entitlement{metering.CompaniesRead}
	reply := gateway.Ask(t, g, ops, &op.Call{Authorization: "Bearer " + gateway.GoodKey}, "/v1/companies/9900000010")
	if reply.Status != 403 || !strings.Contains(reply.Problem.Detail, "Pro") ||
		!strings.Contains(reply.Problem.Detail, "companies.read") {
		t.Errorf("got %d %+v", reply.Status, reply.Problem)
	}
}

func TestNotModified(t *testing.T) {
	plans := get(t, "/v1/plans")
	etag := plans.ETag()
	for _, c := range []struct {
		name, header string
		status       int
	}{
		{"the same", etag, 304},
		{"weak", "W/" + etag, 304},
		{"in a list", `"other", ` + etag, 304},
		{"any", "*", 304},
		{"of the compressed form", strings.TrimSuffix(etag, `"`) + `-gzip"`, 304},
		{"another", `"other"`, 200},
		{"not quoted", "other", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := gateway.Ask(t, gateway.New(t), newOperations(), &op.Call{IfNoneMatch: c.header}, "/v1/plans")
			if reply.Status != c.status || reply.Status == 304 && !strings.Contains(c.header, reply.ETag()) &&
				c.header != "*" {
				t.Errorf("%d with the tag %s, want %d", reply.Status, reply.ETag(), c.status)
			}
		})
	}
}

// An answer with account headers is private, even as a 304, and shared caches do not serve an answer to a request with
// a key to other callers.
func TestAnswersToAKeyArePrivate(t *testing.T) {
	plans := get(t, "/v1/plans")
	tag := plans.ETag()
	for _, target := range []string{"/v1/plans", "/v1/fx-rates"} {
		for _, c := range []struct {
			name  string
			call  op.Call
			scope string
		}{
			{"nobody", op.Call{}, "public"},
			{"a key", op.Call{Authorization: "Bearer " + gateway.GoodKey}, "private"},
			{"a key in its own header", op.Call{APIKey: gateway.GoodKey}, "private"},
			{"a key that has the answer already", op.Call{APIKey: gateway.GoodKey, IfNoneMatch: tag}, "private"},
			{"nobody, after a key", op.Call{}, "public"},
		} {
			reply := gateway.Ask(t, gateway.New(t), newOperations(), &c.call, target)
			h := http.Header{}
			reply.WriteHeader(h)
			if control := gateway.Header(h, "Cache-Control"); !strings.HasPrefix(control, c.scope+", max-age=") ||
				gateway.Header(h, "Vary") != "Authorization, X-Api-Key, Accept-Encoding" {
				t.Errorf("%s asks for %s: %d, Cache-Control %q, Vary %q", c.name, target, reply.Status, control,
					gateway.Header(h, "Vary"))
			}

			if credits := gateway.Header(h, "x-credits-remaining"); c.scope == "public" &&
				(credits != "" || strings.Contains(gateway.Header(h, "RateLimit"), "pro")) {
				t.Errorf("%s gets headers about an account: %v", c.name, h)
			}
		}
	}
}

func TestHeadersOfAHit(t *testing.T) {
	reply := get(t, "/v1/companies/9900000010")
	h := http.Header{}
	reply.WriteHeader(h)
	for name, want := range map[string]string{
		"RateLimit-Limit": "1000", "RateLimit-Remaining": "999", "RateLimit-Policy": `"anonymous";q=1000;w=1`,
		"RateLimit": `"anonymous";r=999;t=1`, "x-credits-cost": "0", "x-cache": "HIT",
		"Cache-Control": "private, max-age=360", "Age": "60", "Etag": reply.ETag(),
	} {
		if got := gateway.Header(h, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}

	if got := gateway.Header(h, "x-credits-remaining"); got != "" {
		t.Errorf("an anonymous caller got %s remaining credits", got)
	}
	if got := gateway.Header(h, "Cache-Status"); !strings.HasPrefix(got, "rodata; hit; ttl=35") {
		t.Errorf("Cache-Status: %s", got)
	}
}

func TestObservation(t *testing.T) {
	g := gateway.New(t)
	var seen *op.Observation
	g.Observe = func(_ context.Context, o *op.Observation) { seen = o }
	gateway.Ask(t, g, newOperations(), &op.Call{Channel: "rest", Authorization: "Bearer " + gateway.GoodKey},
		"/v1/plans")
	if seen == nil || seen.Operation.Name != "list_plans" || seen.Channel != "rest" || seen.Caller.Key.ID != "key1" ||
		seen.Reply.Status != 200 {
		t.Errorf("observed %+v", seen)
	}
}

// RFC 6750, section 3.1: the challenge describes the error of the credentials that were sent.
func TestChallengeOfTheUnauthorized(t *testing.T) {
	ops := Operations(Registries{}, metering.DefaultPlans(), system.About{})
	for authorization, want := range map[string]string{
		"":                                   `Bearer`,
		"Bearer rodata_live_nope":            `Bearer error="invalid_token"`,
		"Basic QTpC":                         `Bearer error="invalid_token"`,
		"Bearer " + gateway.GoodKey + "more": `Bearer error="invalid_token"`,
	} {
		h := http.Header{}
		reply := gateway.Ask(t, gateway.New(t), ops, &op.Call{Authorization: authorization}, "/v1/usage")
		reply.WriteHeader(h)
		if got := h.Get("WWW-Authenticate"); reply.Status != 401 || got != want {
			t.Errorf("%q got %d %s, want %s", authorization, reply.Status, got, want)
		}
	}
}
