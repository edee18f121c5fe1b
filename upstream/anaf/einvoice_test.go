package anaf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
)

const registeredSince = `{"cui" : 9900000010,"denumire":"EXEMPLU S.R.L.","registru":"Registrul RO e-Factura","dataInscriere":"2022-07-01","dataOptiuneB2G":null}`

func TestEInvoicesAsksAsTheRegisterWants(t *testing.T) {
	c := register(t, func(w http.ResponseWriter, r *http.Request) {
		var asked []struct {
			CUI  json.Number `json:"cui"`
			Date api.Date    `json:"data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked) != 3 || asked[0].Date != api.Today() {
			t.Errorf("asked %+v: %v", asked, err)
		}
		if r.Method != "POST" || r.URL.Path != "/api/registruroefactura/v1/interogare" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("asked %s %s", r.Method, r.URL)
		}
		fmt.Fprintf(w, `{"found":[%s,{"cui":%d,"stare":"1"}, {"cui":%[2]d,"stare":"2"}],"notFound":[%d]}`, registeredSince, invented(2), invented(3))
	})
	results, err := c.EInvoices(t.Context(), asOfToday(9900000010, invented(2), invented(3)))
	if err != nil {
		t.Fatal(err)
	}
	for cui, want := range map[api.CUI]string{
		9900000010:  registeredSince,
		invented(2): fmt.Sprintf(`{"cui":%d,"stare":"1"},{"cui":%[1]d,"stare":"2"}`, invented(2)),
	} {
		raw, err := results[today(cui)].Record.Raw()
		if err != nil || string(raw) != want {
			t.Errorf("%s: got %s, %v", cui, raw, err)
		}
	}
	if results[today(invented(3))].Err != api.ErrUnknown {
		t.Errorf("the one that is not in it: %+v", results[today(invented(3))])
	}
}

func TestEInvoicesOfNobody(t *testing.T) {
	c := answering(t, 404, fmt.Sprintf(`{"found":[],"notFound":[%d]}`, invented(1)))
	results, err := c.EInvoices(t.Context(), asOfToday(invented(1)))
	if err != nil || results[today(invented(1))].Err != api.ErrUnknown {
		t.Errorf("got %+v, %v", results, err)
	}
}

func TestEInvoicesFails(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"a page": {200, "<html>Request Rejected</html>"}, "too many": {400, "prea multe cui-uri"}, "another 404": {404, `{"error":"no"}`},
		"neither found nor missing": {200, `{"found":[],"notFound":[]}`}, "both": {200, `{"found":[` + registeredSince + `],"notFound":[9900000010]}`},
		"an error": {200, `{"cod":500,"message":"EROARE"}`},
	} {
		_, err := answering(t, c.status, c.body).EInvoices(t.Context(), asOfToday(9900000010))
		if wantKind(t, err, api.Broken); err == nil {
			t.Error(name)
		}
	}
}

// records is a register that is asked in batches, beside that of taxpayers.
type records struct {
	*ledger
	sizes []int
	err   error
}

func (r *records) ask(ctx context.Context, companies []api.CompanyDay) (map[api.CompanyDay]Result, error) {
	r.mu.Lock()
	r.sizes = append(r.sizes, len(companies))
	r.mu.Unlock()
	results, err := r.fetch(ctx, companies)
	return results, errors.Join(err, r.err)
}

// batched runs a test of a register asked in batches beside a Lookup.
func batched(t *testing.T, test func(t *testing.T, l *Lookup, r *records, b *Batched)) {
	r := &records{ledger: &ledger{latency: 300 * time.Millisecond}}
	behind(t, r.ledger, LookupOptions{}, func(t *testing.T, l *Lookup) { test(t, l, r, NewBatched(l, r.ask)) })
}

func TestBatchedAsksAboutManyAtOnce(t *testing.T) {
	batched(t, func(t *testing.T, l *Lookup, r *records, b *Batched) {
		began := time.Now()
		var callers sync.WaitGroup
		for i := range 250 {
			callers.Go(func() {
				record, err := b.Record(as(i%5), today(invented(i)), cache.Demand{})
				if err != nil || record.company.TaxID != invented(i) {
					t.Errorf("%d: %v", i, err)
				}
			})
		}
		callers.Wait()
		if took := time.Since(began); len(r.sizes) != 3 || r.sizes[0] != 100 || r.sizes[2] != 50 || took > 4*time.Second {
			t.Errorf("calls about %v, took %s", r.sizes, took)
		}
		if synctest.Wait(); b.running {
			t.Error("it runs on")
		}
	})
}

func TestBatchedLeavesTurnsToCompanies(t *testing.T) {
	batched(t, func(t *testing.T, l *Lookup, r *records, b *Batched) {
		var callers sync.WaitGroup
		for i := range 500 {
			callers.Go(func() { b.Record(as(1), today(invented(i)), cache.Demand{}) })
		}
		for i := range 5 {
			<-time.After(900 * time.Millisecond)
			began := time.Now()
			if _, err := l.Company(as(2), today(invented(1000+i)), cache.Demand{}); err != nil || time.Since(began) > 2200*time.Millisecond {
				t.Errorf("%v after %s", err, time.Since(began))
			}
		}
		callers.Wait()
	})
}

func TestBatchedFailsThoseWhoWait(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*records)
		kind  api.FailureKind
	}{
		"an error": {func(r *records) { r.err = broken(errors.New("a page")) }, api.Broken},
		"a hang":   {func(r *records) { r.latency = time.Hour }, api.TimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			batched(t, func(t *testing.T, l *Lookup, r *records, b *Batched) {
				c.spoil(r)
				var callers sync.WaitGroup
				for i := range 20 {
					callers.Go(func() {
						_, err := b.Record(t.Context(), today(invented(i)), cache.Demand{})
						wantKind(t, err, c.kind)
					})
				}
				callers.Wait()
			})
		})
	}
	t.Run("a panic", func(t *testing.T) {
		behind(t, new(ledger), LookupOptions{}, func(t *testing.T, l *Lookup) {
			b := NewBatched(l, func(context.Context, []api.CompanyDay) (map[api.CompanyDay]Result, error) { panic("a mistake of ours") })
			if _, err := b.Record(t.Context(), today(invented(1)), cache.Demand{}); !errors.Is(err, errNoReturn) {
				t.Error(err)
			}
		})
	})
}

func TestBatchedAsksOnceAboutACompany(t *testing.T) {
	batched(t, func(t *testing.T, l *Lookup, r *records, b *Batched) {
		var callers sync.WaitGroup
		for day := range api.Date(3) {
			callers.Go(func() {
				if _, err := b.Record(t.Context(), api.CompanyDay{CUI: invented(1), Day: day}, cache.Demand{}); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		if !slices.Equal(r.sizes, []int{1, 1, 1}) {
			t.Errorf("calls about %v companies", r.sizes)
		}
	})
}

func TestBatchedDropsWhatNobodyWants(t *testing.T) {
	batched(t, func(t *testing.T, l *Lookup, r *records, b *Batched) {
		began := time.Now()
		facts := cached(t, cache.Kind{Name: "efactura", Fresh: time.Hour}, current(b.Record))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := facts.Get(ctx, invented(1)); err != context.DeadlineExceeded {
			t.Error(err)
		}
		if _, err := b.Record(ctx, today(invented(2)), cache.Demand{}); err == nil {
			t.Error("no error")
		}
		<-time.After(3 * time.Second)
		synctest.Wait()
		if len(r.sizes) != 0 || b.running {
			t.Errorf("calls about %v, running %t", r.sizes, b.running)
		}
		if _, err := facts.Get(t.Context(), invented(1)); err != nil || time.Since(began) > 4*time.Second {
			t.Errorf("the next caller: %v after %s", err, time.Since(began))
		}
	})
}

func TestBatchedAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLookup(new(ledger).fetch, LookupOptions{})
		b := NewBatched(l, new(ledger).fetch)
		l.Close()
		_, err := b.Record(t.Context(), today(invented(1)), cache.Demand{})
		wantKind(t, err, api.Closed)
	})
}

func TestBatchedQueueIsBounded(t *testing.T) {
	batched(t, func(t *testing.T, l *Lookup, r *records, b *Batched) {
		ctx, cancel := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		for i := range l.options.Queue {
			callers.Go(func() { b.Record(ctx, today(invented(i)), cache.Demand{}) })
		}
		synctest.Wait()
		if _, err := b.Record(ctx, today(invented(5000)), cache.Demand{}); !errors.Is(err, ErrBusy) {
			t.Errorf("got %v", err)
		}
		cancel()
		callers.Wait()
	})
}
