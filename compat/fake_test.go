package compat

import (
	"context"
	_ "embed"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/fake"
)

// service is the channel with fake registries, and records the outcomes of its calls.
type service struct {
	*Handler
	taxes   *fakeTaxes
	bank    *fakeBank
	journal *fake.Journal

	mu   sync.Mutex
	seen []op.Observation
}

func newService(tb testing.TB) *service {
	tb.Helper()
	s := &service{taxes: newTaxes(), bank: new(fakeBank), journal: new(fake.Journal)}
	plans := metering.DefaultPlans()
	for i := range plans {
		plans[i].Rate = metering.PerSecond(1e6, 1e6)
	}

	ledger := metering.NewLedger(s.journal, slog.New(slog.DiscardHandler))
	tb.Cleanup(func() { ledger.Close() })
	s.Handler = New(Options{
		Gateway: &op.Gateway{
			Keys: fakeKeys{}, Repeats: noRepeats{}, Plans: plans, Anonymous: metering.PerSecond(1e6, 1e6),
			Buckets: metering.NewBuckets(), Ledger: ledger,
			Observe: s.observe, Logger: slog.New(slog.DiscardHandler),
		},
		Operations: NewOperations(Registries{Companies: s.taxes, Tax: s.taxes, Bank: s.bank, Answers: new(Answers)}),
		Stay:       func() (func(), bool) { return func() {}, true },
		Address:    func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.1") },
		Logger:     slog.New(slog.DiscardHandler),
	})
	return s
}

func (s *service) observe(_ context.Context, o *op.Observation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, *o)
}

// ask sends a request; header has alternating names and values.
func (s *service) ask(tb testing.TB, method, target, body string, header ...string) response {
	tb.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}

	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	res := w.Result()
	text, err := io.ReadAll(res.Body)
	testkit.NoError(tb, err)

	sent := http.Header{} // as clients read it: regardless of the names' case
	for name, values := range res.Header {
		sent[http.CanonicalHeaderKey(name)] = values
	}

	res.Header = sent
	return response{res, string(text)}
}

type response struct {
	*http.Response
	text string
}

// fakeKeys knows one key.
type fakeKeys struct{}

const goodKey = "rodata_live_good"

func (fakeKeys) KeyFrom(_ context.Context, secret string, _ netip.Addr) (account.Key, error) {
	if secret == goodKey {
		return account.Key{ID: "key1", Account: "account1", Plan: "pro"}, nil
	}
	return account.Key{}, account.ErrUnknownKey
}

type companies = company.Companies // so that fakeTaxes's embedded field and its method have different names

// fakeTaxes stands in for the tax authority. It knows the tests' companies below mostKnown, and the company of the
// record in testdata.
type fakeTaxes struct {
	companies
	down  error         // for companies that are not stored
	late  chan struct{} // closed when it may answer; nil for at once
	fates map[ro.CUI]company.Found

	mu    sync.Mutex
	asked []ro.CompanyDay
}

const (
	knownCUI   ro.CUI = 9900000010
	unknownCUI ro.CUI = 9900009990
	mostKnown         = 600
)

// record returns a record as sent by the tax authority.
//
//go:embed testdata/record.json
var record string

func recordOf(cui ro.CUI) string {
	return strings.Replace(record, knownCUI.String(), cui.String(), 1)
}

func newTaxes() *fakeTaxes { return &fakeTaxes{fates: map[ro.CUI]company.Found{}} }

type rawRecord string

func (r rawRecord) Raw() ([]byte, error) { return []byte(r), nil }

// fate returns the outcome of a look-up.
func (f *fakeTaxes) fate(cui ro.CUI) company.Found {
	if fate, ok := f.fates[cui]; ok {
		return fate
	}
	if cui != knownCUI && (cui < testCUI(0) || cui >= testCUI(mostKnown)) {
		return company.Found{Err: op.ErrUnknown}
	}
	if f.down != nil {
		return company.Found{Err: f.down}
	}

	return found(&company.Company{TaxID: cui, Record: rawRecord(recordOf(cui))}, op.Miss, time.Minute)
}

// found returns a company that was retrieved some time ago, and stays fresh for an hour from then.
func found(c *company.Company, cache string, ago time.Duration) company.Found {
	at := time.Now().Add(-ago)
	return company.Found{Answer: op.Answer[*company.Company]{Value: c,
		Freshness: op.Freshness{Cache: cache, RetrievedAt: at, FreshUntil: at.Add(time.Hour)}}}
}

func (f *fakeTaxes) Companies(ctx context.Context, companies []ro.CompanyDay, _ time.Duration,
	each func([]company.Found) bool) {
	f.mu.Lock()
	f.asked = append(f.asked, companies...)
	f.mu.Unlock()
	if f.late != nil {
		select {
		case <-f.late:
		case <-ctx.Done():
			return
		}
	}

	for i, c := range slices.Backward(companies) { // in no particular order
		fate := f.fate(c.CUI)
		fate.Index = i
		if !each([]company.Found{fate}) {
			return
		}
	}
}

func (f *fakeTaxes) EInvoiceRecord(_ context.Context, asked ro.CompanyDay) (answer op.Answer[company.Record],
	err error) {
	fate := f.fate(asked.CUI)
	answer.Freshness = fate.Answer.Freshness
	answer.Value = rawRecord(eInvoiceRecord(asked.CUI))
	return answer, fate.Err
}

func eInvoiceRecord(cui ro.CUI) string {
	return `{"cui":` + cui.String() + `,"denumire":"EXEMPLU ŞI FIII S.R.L.","adresa":"","registru":"RO e-Factura","categorie":"1","dataInscriere":"2022-03-01","dataRenuntare":"","dataRadiere":"","dataOptiuneB2G":"","data":"","stare":"inregistrat"}`
}

func (f *fakeTaxes) StatementRecord(_ context.Context, cui ro.CUI,
	year int) (answer op.Answer[company.Record], err error) {
	fate := f.fate(cui)
	answer.Freshness = fate.Answer.Freshness
	switch {
	case year == 2025:
		answer.Value = rawRecord(statementRecord(cui))
	case year == 2024:
		answer.Value = rawRecord(`{"an":2024,"cui":` + cui.String() + `,"i":[]}`)
	case fate.Err == nil:
		fate.Err = op.ErrUnknown
	}

	return answer, fate.Err
}

func statementRecord(cui ro.CUI) string {
	return `{"an":2025,"cui":` + cui.String() +
		`,"deni":"EXEMPLU","caen":610,"den_caen":"","i":[{"indicator":"I20","val_indicator":1,"val_den_indicator":"Numar mediu de salariati"}]}`
}

// noRepeats has no earlier calls.
type noRepeats struct{ op.Repeats }

// fakeBank has the fixings of four days, unless it is down.
type fakeBank struct {
	down     error
	fixings  []rate.Fixing
	modified time.Time
}

// published is the retrieval time of the fake bank's last fixing.
var published = time.Date(2026, 11, 20, 11, 2, 31, 0, time.UTC)

func (b *fakeBank) all() []rate.Fixing {
	if b.fixings == nil {
		b.modified = published
		for _, f := range []struct {
			day      ro.Date
			eur, huf string
		}{
			{ro.NewDate(2025, 12, 30), "5.0900", "0.013247"},
			{ro.NewDate(2025, 12, 31), "5.0905", "0.01325"},
			{ro.NewDate(2026, 11, 19), "5.3447", "0.0144"},
			{ro.NewDate(2026, 11, 20), "5.345", "0.014401"},
		} {
			b.fixings = append(b.fixings,
				rate.Fixing{Date: f.day, Rates: []rate.Rate{{Currency: "EUR", Rate: decimal(f.eur)},
					{Currency: "HUF", Rate: decimal(f.huf)}}})
		}
	}

	return b.fixings
}

func decimal(text string) ro.Decimal { return testkit.Must(ro.ParseDecimal(text)) }

func (b *fakeBank) Newest(_ context.Context, n int) (rate.Publication, op.Freshness, error) {
	all := b.all()
	return rate.Publication{Fixings: all[max(0, len(all)-n):], Modified: b.modified}, b.fresh(), b.down
}

func (b *fakeBank) OfYear(_ context.Context, year int) (p rate.Publication, _ op.Freshness, _ error) {
	for _, f := range b.all() {
		if f.Date.Year() == year {
			p.Fixings = append(p.Fixings, f)
		}
	}

	if p.Fixings == nil {
		return p, op.Freshness{}, op.ErrUnknown
	}

	p.Modified = b.modified
	return p, b.fresh(), b.down
}

func (b *fakeBank) fresh() op.Freshness {
	now := time.Now()
	return op.Freshness{Cache: op.Hit, RetrievedAt: now.Add(-time.Minute), FreshUntil: now.Add(time.Hour),
		MaxAge: time.Minute}
}
