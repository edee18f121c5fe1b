package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/internal/tradenumber"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/fake"
	"github.com/rodata/rodata/testkit/invented"
	"github.com/rodata/rodata/upstream/caen"
	"github.com/rodata/rodata/upstream/holidays"
	"github.com/rodata/rodata/upstream/siruta"
)

// The companies of these tests, each with a different outcome.
var (
	example  = invented.CUI(1)
	broken   = invented.CUI(2)
	slow     = invented.CUI(3)
	shut     = invented.CUI(4)
	mistaken = invented.CUI(5)
	panicky  = invented.CUI(6)
	hanging  = invented.CUI(7)
	unknown  = invented.CUI(8)
)

// fakeCompanies answers according to the number. It signals the start and end of calls for hanging companies, and
// counts the cancelled ones.
type fakeCompanies struct {
	began     chan struct{}
	ended     chan struct{}
	cancelled atomic.Int32
	asked     atomic.Int32
}

func (f *fakeCompanies) BalanceSheets(context.Context, ro.CUI, company.Years) ([]company.BalanceSheet, []int, bool,
	error) {
	return []company.BalanceSheet{}, nil, true, nil
}

func (*fakeCompanies) Filings(_ context.Context, _ ro.CUI, year int) (*company.Filings, error) {
	return &company.Filings{Year: year}, nil
}

func (*fakeCompanies) PeerFigures(context.Context, int, string) (*company.PeerFigures, error) {
	return new(company.PeerFigures), nil
}

func (f *fakeCompanies) LegalRepresentatives(context.Context, ro.CUI) (*company.LegalRepresentatives, error) {
	none := []company.LegalRepresentative{}
	return &company.LegalRepresentatives{Governance: none, Procedural: none}, nil
}

func (f *fakeCompanies) Insolvency(context.Context, *company.Company) *company.Insolvency {
	return company.NewInsolvency(company.NoProceedings)
}

// Registers reports that no register could be queried.
func (f *fakeCompanies) Registers(_ context.Context, companies []ro.CompanyDay,
	_ time.Duration) []op.Answer[*company.Registers] {
	return slices.Repeat([]op.Answer[*company.Registers]{{Value: new(company.Registers)}}, len(companies))
}

func (f *fakeCompanies) Companies(ctx context.Context, companies []ro.CompanyDay, _ time.Duration,
	each func([]company.Found) bool) {
	for i, c := range companies {
		answer, err := f.Company(ctx, c)
		if !each([]company.Found{{Index: i, Answer: answer, Err: err}}) {
			return
		}
	}
}

// fakeVATNumbers stands in for VIES, where every number is valid.
type fakeVATNumbers struct{}

func (fakeVATNumbers) Check(_ context.Context, q vat.Question) (op.Answer[*vat.VATCheck], error) {
	at := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	check := &vat.VATCheck{VATNumber: q.Number, CountryCode: string(q.Number[:2]), Status: vat.Valid, RequestDate: &at,
		RetrievedAt: at, Sources: []company.Source{{Name: "vies", RetrievedAt: &at, Cache: op.Hit}}}
	return op.Answer[*vat.VATCheck]{Value: check, Freshness: op.Freshness{Cache: op.Hit, RetrievedAt: at}}, nil
}

func (f fakeVATNumbers) CheckAll(ctx context.Context, questions []vat.Question, _ time.Duration,
	each func([]vat.Found) bool) {
	for i, q := range questions {
		answer, err := f.Check(ctx, q)
		if !each([]vat.Found{{Index: i, Answer: answer, Err: err}}) {
			return
		}
	}
}

func (f *fakeCompanies) Status(ctx context.Context, cui ro.CUI, day,
	_ ro.Date) (op.Answer[*company.Status], error) {
	answer, err := f.Company(ctx, ro.CompanyDay{CUI: cui, Day: day})
	if err != nil {
		return op.Answer[*company.Status]{Freshness: answer.Freshness}, err
	}

	status := &company.Status{TaxID: cui, Date: day, Record: emptyRecord{}, Sources: []company.Source{}}
	return op.Answer[*company.Status]{Value: status, Freshness: answer.Freshness}, nil
}

func (f *fakeCompanies) Supplier(ctx context.Context, c company.Found, cui ro.CUI,
	day, knownAt ro.Date) (company.Supplier, error) {
	status, _ := f.Status(ctx, cui, day, knownAt)
	return company.Supplier{Profile: c.Answer, TaxErr: c.Err, Status: status.Value, Release: day}, nil
}

// emptyRecord is a record without content.
type emptyRecord struct{}

func (emptyRecord) Raw() ([]byte, error) { return []byte("{}"), nil }

// fakeReceipts certifies everything.
type fakeReceipts struct{ proof.Receipts }

func (fakeReceipts) Certify(context.Context, proof.Statement) (proof.ReceiptID, op.Renderer, error) {
	return "rcp_abcdefghijklmnopqrstuvwxyz", nil, nil
}

func (fakeReceipts) Salt(context.Context, []byte) string { return "salt" }

func (f *fakeCompanies) Facts(ctx context.Context,
	cui ro.CUI) ([]company.Fact, []company.Source, op.Freshness, error) {
	answer, err := f.Company(ctx, ro.CompanyDay{CUI: cui})
	if err != nil {
		return nil, nil, answer.Freshness, err
	}

	answer.Cache = op.Hit
	facts := make([]company.Fact, 120)
	for i := range facts {
		facts[i] = company.Fact{Field: "name", Value: company.FactValue{Text: answer.Value.Name}, Source: "anaf"}
	}

	return facts, []company.Source{}, answer.Freshness, nil
}

func (f *fakeCompanies) Company(ctx context.Context, asked ro.CompanyDay) (op.Answer[*company.Company], error) {
	secret := errors.New("dial tcp 192.0.2.1:443: secret cause")
	switch asked.CUI {
	case example:
		cache := op.Hit
		if f.asked.Add(1) == 1 {
			cache = op.Miss
		}

		now := time.Now()
		return op.Answer[*company.Company]{
			Value: &company.Company{TaxID: asked.CUI, Name: "EXEMPLU <CLUJ> & FIII ȘTIINȚĂ SRL",
				StateRegistration: company.InOperation, Sources: []company.Source{}},
			Freshness: op.Freshness{Cache: cache, RetrievedAt: now.Add(-time.Minute), FreshUntil: now.Add(time.Hour),
				MaxAge: 5 * time.Minute},
		}, nil
	case broken:
		return op.Answer[*company.Company]{}, &op.Failure{Registry: "anaf", Kind: op.Broken, Err: secret}
	case slow:
		return op.Answer[*company.Company]{}, &op.Failure{Registry: "anaf", Kind: op.TimedOut, Err: secret}
	case shut:
		return op.Answer[*company.Company]{},
			&op.Failure{Registry: "anaf", Kind: op.Closed, RetryAfter: 1500 * time.Millisecond, Err: secret}
	case mistaken:
		return op.Answer[*company.Company]{}, secret
	case panicky:
		panic("secret cause in /home/invented/file.go")
	case hanging:
		f.began <- struct{}{}
		<-ctx.Done()
		f.cancelled.Add(1)
		f.ended <- struct{}{}
		return op.Answer[*company.Company]{}, ctx.Err()
	}

	return op.Answer[*company.Company]{}, op.ErrUnknown
}

type fakeFixings struct{}

var fixingDay = ro.NewDate(2026, 6, 10)

func (fakeFixings) On(_ context.Context, day ro.Date) (rate.Fixing, op.Freshness, error) {
	if day != 0 && day < fixingDay {
		return rate.Fixing{}, op.Freshness{}, op.ErrUnknown
	}
	return rate.Fixing{Date: fixingDay, Rates: []rate.Rate{{Currency: "EUR", Rate: decimal("5.2344")},
		{Currency: "USD", Rate: decimal("4.5286")}}}, op.Freshness{Cache: op.Hit}, nil
}

func (fakeFixings) Between(_ context.Context, c ro.Currency, from,
	to ro.Date) ([]rate.Quotation, op.Freshness, error) {
	var series []rate.Quotation
	for day := from; day <= to && c == "EUR"; day++ {
		series = append(series, rate.Quotation{Date: day, Rate: decimal("5.2344")})
	}
	return series, op.Freshness{Cache: op.Hit}, nil
}

func (fakeFixings) LastQuoted(context.Context, ro.Currency, ro.Date) (ro.Date, bool, error) {
	return fixingDay, true, nil
}

func (fakeFixings) Currencies() []ro.Currency { return []ro.Currency{"EUR", "HRK", "USD"} }

func decimal(text string) ro.Decimal { return testkit.Must(ro.ParseDecimal(text)) }

// fakeTrade finds the example by the beginning of its name, twice and without a number, and a given number of wordy
// companies.
type fakeTrade struct{}

func (fakeTrade) TaxID(context.Context, tradenumber.Number) (ro.CUI, error) {
	return 0, op.ErrUnknown
}

func (fakeTrade) Search(_ context.Context, q company.Query) (company.Matches, error) {
	found := company.Matches{Through: ro.NewDate(2026, 9, 2), Items: []company.Summary{}}
	if q.Text == "exem" {
		one := company.Summary{TaxID: new(example), Name: "EXEMPLU SRL"}
		found.Total, found.Items = 3, []company.Summary{one, {Name: "EXEMPLU VECHI SRL"}, one}
	}

	if q.Text == "wordy" {
		long := func(n int) *string { s := strings.Repeat("ă", n); return &s }
		wordy := company.Summary{TaxID: new(example), Name: *long(150), CompanyType: long(10), TradeNumber: long(20),
			County: long(20), City: long(40), StateRegistration: company.InOperation, Address: long(200),
			Phone: long(20), Website: long(60)}
		found.Total, found.Items = 4_200_000, slices.Repeat([]company.Summary{wordy}, int(q.Limit))
	}

	return found, nil
}

// fakeKeys has one key per plan. All keys can be revoked, and the store can be down.
type fakeKeys struct {
	down    error
	revoked *atomic.Bool // revoked: all of them; nil for never
}

// goodKey has a normal plan, manyKey a plan practically without limits, and spentKey a plan with credits for one call
// only.
const (
	goodKey  = "Bearer rodata_live_pro"
	manyKey  = "Bearer rodata_live_many"
	spentKey = "Bearer rodata_live_spent"
)

func (f fakeKeys) KeyFrom(_ context.Context, secret string, _ netip.Addr) (account.Key, error) {
	plan, known := strings.CutPrefix(secret, "rodata_live_")
	switch {
	case f.down != nil:
		return account.Key{}, f.down
	case f.revoked != nil && f.revoked.Load():
	case known && slices.Contains([]string{"free", "pro", "enterprise", "bare", "many", "spent"}, plan):
		return account.Key{ID: plan, Account: plan, Plan: plan}, nil
	}

	return account.Key{}, account.ErrUnknownKey
}

// tokens is a directory with one access token, which is only for reading.
type tokens struct{}

func (tokens) KeyFrom(_ context.Context, token string, _ netip.Addr) (account.Key, error) {
	if token != "for reading" {
		return account.Key{}, account.ErrUnknownKey
	}
	return account.Key{ID: "grant", Account: "pro", Plan: "pro", Scope: account.ReadScope}, nil
}

// plenty is a rate that refills between a test's calls.
var plenty = metering.PerSecond(1_000_000, 1_000_000)

// sixCalls limits anonymous callers to six calls.
func sixCalls(o *Options) { o.Gateway.Anonymous = metering.PerSecond(1, 6) }

// world is a handler with its dependencies.
type world struct {
	*Handler
	companies *fakeCompanies
	journal   *fake.Journal
	log       *strings.Builder
	schemas   map[string]*jsonschema.Resolved // output schemas by tool: see schema
}

// newWorld creates a handler with generous limits; change may modify its options first.
func newWorld(tb testing.TB, change ...func(*Options)) *world {
	w := &world{companies: &fakeCompanies{began: make(chan struct{}, 100), ended: make(chan struct{}, 100)},
		journal: new(fake.Journal), log: new(strings.Builder), schemas: make(map[string]*jsonschema.Resolved)}
	quiet := slog.New(slog.DiscardHandler)
	ledger := metering.NewLedger(w.journal, quiet)
	tb.Cleanup(func() { _ = ledger.Close() })
	plans := append(metering.DefaultPlans(),
		metering.Plan{Code: "bare", Name: "Bare", Rate: metering.PerSecond(10, 10),
			Without: []metering.Entitlement{metering.CompaniesRead}},
		metering.Plan{Code: "many", Name: "Many", Rate: plenty, MonthlyCredits: 1_000_000_000},
		metering.Plan{Code: "spent", Name: "Spent", Rate: plenty, MonthlyCredits: 1})
	o := Options{
		Gateway: &op.Gateway{
			Keys: fakeKeys{}, Plans: plans, Buckets: metering.NewBuckets(), Anonymous: plenty, Ledger: ledger,
			Logger: quiet,
		},
		Operations: api.Operations(api.Registries{
			TaxRegisters: w.companies, Companies: w.companies, CompanyHistory: w.companies, Trade: fakeTrade{},
			Watchlists: fakeWatchlists{}, Events: fakeEvents{}, Receipts: fakeReceipts{}, Fixings: fakeFixings{},
			Classification: caen.Load(), Gazetteer: siruta.Load(), Calendar: holidays.Calendar{}, Usage: w.journal,
			VATNumbers: fakeVATNumbers{}, Sources: func() []system.SourceStatus { return []system.SourceStatus{} },
		}, plans, system.About{}),
		BaseURL: hostURL, Address: remoteAddress, Logger: slog.New(slog.NewTextHandler(w.log, nil)),
	}
	for _, f := range change {
		f(&o)
	}

	w.Handler = New(o)
	tb.Cleanup(w.Close)
	return w
}

// hostURL returns the address that a request was sent to.
func hostURL(r *http.Request) string { return "http://" + r.Host }

func remoteAddress(r *http.Request) netip.Addr {
	end, _ := netip.ParseAddrPort(r.RemoteAddr)
	return end.Addr()
}

// send sends a request; header has alternating names and values.
func (w *world) send(method, body string, header ...string) *httptest.ResponseRecorder {
	return w.sendCtx(context.Background(), method, body, header...)
}

func (w *world) sendCtx(ctx context.Context, method, body string, header ...string) *httptest.ResponseRecorder {
	r := newMessage(body).WithContext(ctx)
	r.Method = method
	setAll(r.Header, header)
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	return recorder
}

// setAll sets header fields: alternating names and values.
func setAll(header http.Header, fields []string) {
	for pair := range slices.Chunk(fields, 2) {
		header.Set(pair[0], pair[1])
	}
}

// raw returns a header by the exact case of its name in the contract.
func raw(header http.Header, name string) string { return strings.Join(header[name], ",") }

// rpc returns a message of the older revisions.
func rpc(id any, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":%q,"params":%s}`, id, method, params)
}

func callOf(id any, tool, arguments string) string {
	return rpc(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

func companyCall(id any, cui ro.CUI) string {
	return callOf(id, "get_company", fmt.Sprintf(`{"cui":"%d"}`, cui))
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// sendModern sends a message of revision 2026-07-28. params holds the members of its params besides _meta, each
// followed by a comma.
func (w *world) sendModern(method, name, params string, header ...string) *httptest.ResponseRecorder {
	header = append([]string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}, header...)
	if name != "" {
		header = append(header, "Mcp-Name", name)
	}
	return w.send(http.MethodPost, rpc(1, method, "{"+params+modernMeta+"}"), header...)
}

// reply is a received message.
type reply struct {
	ID     json.RawMessage
	Result struct {
		Meta              map[string]json.RawMessage `json:"_meta"`
		IsError           bool
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		Tools             []struct {
			Name, Title, Description string
			InputSchema              map[string]any
			OutputSchema             map[string]any
			Annotations              map[string]any
		}
		ResultType, CacheScope string
		TTLMs                  int
		Contents               []struct{ URI, MIMEType, Text string }
		Prompts                []struct {
			Name, Title, Description string
			Arguments                []struct {
				Name, Description string
				Required          bool
			}
		}
		Messages []struct{ Content struct{ Text string } }
	}
	Error *struct {
		Code    int
		Message string
		Data    struct{ Problem json.RawMessage }
	}
}

func read(tb testing.TB, recorder *httptest.ResponseRecorder) reply {
	tb.Helper()
	var r reply
	if err := json.Unmarshal(recorder.Body.Bytes(), &r); err != nil {
		tb.Fatalf("status %d, %v: %s", recorder.Code, err, recorder.Body)
	}

	return r
}

// problemBody is a decoded problem.
type problemBody struct {
	Type, Title, Detail, ID string
	Status                  int
}

func readProblem(tb testing.TB, text []byte) problemBody {
	tb.Helper()
	var p problemBody
	if err := json.Unmarshal(text, &p); err != nil || p.Status == 0 {
		tb.Fatalf("not a problem (%v): %s", err, text)
	}

	return p
}
