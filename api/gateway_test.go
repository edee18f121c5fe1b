package api

import (
	"context"
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
	"github.com/rodata/rodata/testkit/gateway"
)

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
