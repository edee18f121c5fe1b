package service

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/redis"
	"github.com/rodata/rodata/testkit/standin"
)

// joinFleet starts a gateway that is one of two edges, in front of a stand-in for the tax authority.
func joinFleet(t *testing.T, redis, anaf string) *Service {
	t.Helper()
	t.Setenv("RODATA_TEST_REDIS_URL", redis+"\n") // as a file ends
	s := openTest(t, `{"data_dir": "`+t.TempDir()+
		`", "redis": {"url": "{env.RODATA_TEST_REDIS_URL}", "edges": 2}, "anonymous": {"per_second": 1, "burst": 8},
		"upstreams": {"anaf_files": {"off": true}, "anaf": {"url": "`+anaf+`", "pace": "10ms"},
			"bnr": {"url": "http://127.0.0.1:1"}, "vies": {"url": "http://127.0.0.1:1"}, "onrc": {"off": true}}}`)

	testkit.CloseAfter(t, s)
	testkit.Until(t, "the edge reaches redis", func() bool { return s.fleet.Stats().Up })
	return s
}

// Two edges fetch a company once, forget it together, and share one rate limit per caller.
func TestEdgesAreOneGateway(t *testing.T) {
	server := redis.Start(t)
	registries := standin.For(t, standin.Options{})
	// The address has two spellings, because with the same configuration both gateways would share one state.
	here := joinFleet(t, server.URL(), registries.ANAF.URL)
	elsewhere := joinFleet(t, server.URL()+"/0", registries.ANAF.URL)
	if here.fleet == elsewhere.fleet {
		t.Fatal("there is one edge only")
	}

	const company = ro.CUI(9900000010)
	cached := func(s *Service, want string) bool {
		answer, err := s.companies.Company(t.Context(), ro.CompanyDay{CUI: company})
		testkit.NoError(t, err)
		return answer.Cache == want
	}
	if !cached(here, op.Miss) {
		t.Error("the first call is a hit")
	}

	testkit.Until(t, "elsewhere it is a hit", func() bool { return cached(elsewhere, op.Hit) })

	// On a busy machine Redis may not answer in time, and then counts as down for a while.
	testkit.Until(t, "redis tells the other edge", func() bool { return elsewhere.Forget(t.Context(), company) == nil })
	testkit.Until(t, "here it is forgotten", func() bool { return cached(here, op.Miss) })

	caller := account.Caller{Address: netip.MustParseAddr("192.0.2.7")}
	passed := 0
	for i := range 20 {
		s := []*Service{here, elsewhere}[i%2]
		if s.gateway.Fleet.Take(t.Context(), caller.Bucket(), s.gateway.Anonymous).OK {
			passed++
		}
	}

	if passed < 8 || passed > 12 {
		t.Errorf("%d of 20 calls were admitted, want the burst of 8 and one for each second since", passed)
	}

	testkit.Until(t, "the metrics say that redis is up", func() bool { // which may be too slow once
		fleet := here.Reading().Fleet
		return fleet != nil && fleet.Up
	})
}

// Several edges together permit no more attempts to sign in or to request a new password than one edge.
func TestEdgesCountSignInsTogether(t *testing.T) {
	server := redis.Start(t)
	edges := []*Service{
		joinFleet(t, server.URL(), "http://127.0.0.1:1"), joinFleet(t, server.URL()+"/0", "http://127.0.0.1:1"),
	}
	failures := func() uint64 { return edges[0].fleet.Stats().Failures + edges[1].fleet.Stats().Failures }
	for network := range 20 {
		before, admitted := failures(), 0
		for i := range 6 {
			r := httptest.NewRequest("POST", "/api/auth/request-password-reset",
				strings.NewReader(`{"email":"ana@exemplu.example"}`))
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", network+1)
			w := httptest.NewRecorder()
			edges[i%2].Auth.ServeHTTP(w, r)
			if w.Code != http.StatusTooManyRequests {
				admitted++
			}
		}

		if failures() == before {
			if admitted != 3 {
				t.Errorf("%d tries are admitted, want 3", admitted)
			}
			return
		}
		// On a busy machine Redis may be too slow once; then each edge counts separately.
		testkit.Until(t, "the edges are back", func() bool {
			return edges[0].fleet.Stats().Up && edges[1].fleet.Stats().Up
		})
	}

	t.Error("redis was too slow every time")
}
