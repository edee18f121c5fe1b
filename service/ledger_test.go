package service

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/accountstore"
)

// till is a server that charges calls in a store on disk.
type till struct {
	*httptest.Server
	key     string
	service *Service
}

// newTill starts a server with a key that has monthly credits, for a number of concurrent callers.
func newTill(tb testing.TB, monthly int64, callers int) *till {
	tb.Helper()
	s := newService(tb, oneCompany)
	s.Store = accountstore.Open(tb)
	s.ledger = metering.NewLedger(s.Store, s.gateway.Logger)
	keys := account.NewDirectory(s.Store, []byte("a pepper for tests"), account.DefaultPrefix)
	owner := account.Account{ID: account.NewID(), Plan: "pro", CreatedAt: time.Now()}
	testkit.NoError(tb, s.Store.CreateAccount(tb.Context(), owner))

	_, key, err := keys.Issue(tb.Context(), account.Key{Account: owner.ID, Name: "test"})
	testkit.NoError(tb, err)

	s.gateway.Keys, s.gateway.Ledger = keys, s.ledger
	s.gateway.Plans[2].MonthlyCredits, s.gateway.Plans[2].Rate = monthly, metering.PerSecond(1e6, 1e6)
	s.gateway.Anonymous = metering.PerSecond(1e6, 1e6)
	s.serve(tb, api.Registries{Companies: s.companies, Usage: s.Store})
	server := httptest.NewServer(s)
	server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = callers
	tb.Cleanup(func() {
		server.Close()
		if err := s.ledger.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &till{server, key, s}
}

// call requests a path with a key, or without one if key is empty.
func (x *till) call(tb testing.TB, path, key string) *http.Response {
	r, err := http.NewRequestWithContext(tb.Context(), "GET", x.URL+path, nil)
	if err != nil {
		tb.Error(err)
		return nil
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}

	res, err := x.Client().Do(r)
	if err != nil {
		tb.Error(err)
		return nil
	}

	res.Body = readAll(tb, res.Body)
	return res
}

// readAll reads a body to its end, so that the connection can be reused.
func readAll(tb testing.TB, body io.ReadCloser) io.ReadCloser {
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		tb.Error(err)
	}

	return io.NopCloser(bytes.NewReader(text))
}

// parallel makes a number of calls by a number of callers, each with its index.
func parallel(callers, calls int, call func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for i := next.Add(1); i <= int64(calls); i = next.Add(1) {
				call(int(i))
			}
		})
	}

	all.Wait()
}

func TestExactlyTheQuotaIsAnswered(t *testing.T) {
	x := newTill(t, 1000, 64)
	var answers [600]atomic.Int64
	parallel(64, 3000, func(int) {
		answers[x.call(t, "/v1/companies/9900000010", x.key).StatusCode].Add(1)
	})
	if ok, refused := answers[200].Load(), answers[402].Load(); ok != 1000 || refused != 2000 {
		t.Errorf("of 3000 calls %d were answered and %d refused, want 1000 and 2000", ok, refused)
	}

	x.hasUsed(t, 1000)
}

// hasUsed compares the reported usage with a number, and with the ledger.
func (x *till) hasUsed(t *testing.T, want int64) {
	t.Helper()
	var usage struct{ CreditsUsed, CreditsRemaining int64 }
	testkit.NoError(t, json.NewDecoder(x.call(t, "/v1/usage", x.key).Body).Decode(&usage))
	if usage.CreditsUsed != want || usage.CreditsRemaining != 1000-want ||
		x.service.ledger.Stats().Credits != uint64(want) {
		t.Errorf("the usage is %+v, want %d used; the ledger has %+v", usage, want, x.service.ledger.Stats())
	}

	var daily customer.DailyUsage
	testkit.NoError(t, json.NewDecoder(x.call(t, "/v1/usage/daily", x.key).Body).Decode(&daily))
	if credits := daily.Days[0].Credits; credits != want {
		t.Errorf("today has %d credits", credits)
	}
}

// BenchmarkChargedHit compares a charged company from the cache with a free one, for 64 waiting callers, over loopback.
func BenchmarkChargedHit(b *testing.B) {
	for _, c := range []struct {
		name    string
		charged bool
	}{{"free", false}, {"charged", true}} {
		b.Run(c.name, func(b *testing.B) {
			x := newTill(b, metering.Unlimited, 64)
			key := ""
			if c.charged {
				key = x.key
			}

			x.call(b, "/v1/companies/9900000010", key)
			took := make([]time.Duration, b.N)
			b.ResetTimer()
			parallel(64, b.N, func(i int) {
				start := time.Now()
				if res := x.call(b, "/v1/companies/9900000010", key); res.StatusCode != 200 {
					b.Errorf("got %d", res.StatusCode)
				}

				took[i-1] = time.Since(start)
			})
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
			b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
			if stats := x.service.ledger.Stats(); c.charged {
				b.ReportMetric(stats.CommitTime.Seconds()*1000/float64(stats.Commits), "commit-ms")
			}
		})
	}
}
