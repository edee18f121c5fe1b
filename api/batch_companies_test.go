package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

// counter is a gateway with batches, for callers with credits.
type counter struct {
	*till
	repeats *fakeRepeats
}

const (
	secondCUI ro.CUI = 9900000100
	thirdCUI  ro.CUI = 9900000118
	brokenCUI ro.CUI = 9900000029
)

func newCounter(t *testing.T, monthly int64) *counter {
	x := &counter{newTill(t, monthly), &fakeRepeats{calls: make(map[string]fakeRepeat)}}
	x.Repeats = x.repeats
	companies := fakeCompanies{exampleCUI: nil, secondCUI: nil, thirdCUI: nil,
		brokenCUI: &op.Failure{Registry: "anaf", Kind: op.TimedOut, Err: errors.New("secret cause")}}
	x.operations = Operations(Registries{Companies: companies, TaxRegisters: fakeRegisters{}, Trade: &fakeTrade{},
		Usage: x.journal}, x.Plans, system.About{})
	return x
}

// post sends a body with the key.
func (x *counter) post(t *testing.T, body string, change ...func(*op.Call)) *op.Reply {
	t.Helper()
	call := &op.Call{Channel: "rest", Authorization: "Bearer " + gateway.GoodKey,
		Address: netip.MustParseAddr("192.0.2.1"),
		BaseURL: "https://rodata.example"}
	call.Args, call.Malformed = op.ArgsFromJSON([]byte(body))
	for _, f := range change {
		f(call)
	}

	o := x.operations[slices.IndexFunc(x.operations, func(o *op.Operation) bool { return o.Name == "batch_companies" })]
	return x.Do(t.Context(), o, call)
}

type batchAnswer struct {
	company.BatchSummary
	Items []struct {
		Index            int
		Reference, Input string
		TaxID            ro.CUI
		Status           int
		Company          map[string]any
		Problem          struct {
			Type, Detail      string
			RetryAfterSeconds int
		}
	}
}

func decoded(t *testing.T, reply *op.Reply) (a batchAnswer) {
	t.Helper()
	if reply.Status != 200 {
		t.Fatalf("got %d: %v", reply.Status, reply.Problem)
	}
	if err := json.Unmarshal(reply.Document.JSON, &a); err != nil {
		t.Fatalf("%v in %s", err, reply.Document.JSON)
	}

	return a
}

// rememberedUnknown is a registry that knows no company and answers from its cache.
type rememberedUnknown struct{ fakeCompanies }

func (rememberedUnknown) Companies(_ context.Context, cuis []ro.CompanyDay, _ time.Duration,
	each func([]company.Found) bool) {
	for i := range cuis {
		each([]company.Found{{Index: i, Answer: op.Answer[*company.Company]{Freshness: op.Freshness{Cache: op.Hit}},
			Err: op.ErrUnknown}})
	}
}

func TestBatchOfStoredAnswersIsAHit(t *testing.T) {
	for _, c := range []struct {
		name, body string
		companies  company.Companies
		want       string
	}{
		{"stored unknown numbers", `{"taxIds":[9900000126]}`, rememberedUnknown{}, op.Hit},
		{"unknown numbers", `{"taxIds":[9900000126]}`, fakeCompanies{}, op.Miss},
		{"numbers that name nothing", `{"taxIds":["123","j99/1/2020"]}`, fakeCompanies{}, op.Hit},
		{"a wrong day", `{"items":[{"taxId":9900000126,"date":"1990-01-01"}]}`, fakeCompanies{}, op.Hit},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newCounter(t, 10)
			x.operations = Operations(Registries{Companies: c.companies, Trade: &fakeTrade{}, Usage: x.journal},
				x.Plans, system.About{})
			if got := x.post(t, c.body).Cache; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestUnsetBatchLimitHasDefault(t *testing.T) {
	g := gateway.New(t)
	ops := Operations(Registries{Companies: fakeCompanies{}, Trade: &fakeTrade{},
		Batch: company.BatchLimits{Anonymous: 2}},
		nil, system.About{})
	x := &counter{&till{Gateway: g, operations: ops}, nil}
	for n, want := range map[int]int{2: 200, 3: 400} {
		reply := x.post(t, `{"taxIds":[`+numbers(n)+`]}`, func(c *op.Call) { c.Authorization = "" })
		if reply.Status != want {
			t.Errorf("%d without a key: got %d %v, want %d", n, reply.Status, reply.Problem, want)
		}
	}

	o := ops[slices.IndexFunc(ops, func(o *op.Operation) bool { return o.Name == "batch_companies" })]
	if want := "up to 1000 with a key, 2 without a key"; !strings.Contains(o.Description, want) {
		t.Errorf("the description lacks %q: %s", want, o.Description)
	}
}

func TestTodayInTwoWordsIsChargedOnce(t *testing.T) {
	x := newCounter(t, 1)
	reply := x.post(t, fmt.Sprintf(`{"items":[{"taxId":9900000010},{"taxId":9900000010,"date":%q}]}`, ro.Today()))
	if reply.Status != 200 || x.used(t) != 1 || decoded(t, reply).Found != 2 {
		t.Errorf("got %d %v, %d used", reply.Status, reply.Problem, x.used(t))
	}
}

func TestTokensOfABatch(t *testing.T) {
	x := newCounter(t, 10_000)
	x.Plans[2].Rate = metering.Rate{N: 1, Per: time.Minute, Burst: 5}

	began := time.Now()
	reply := x.post(t, `{"taxIds":[`+numbers(301)+`]}`)
	if reply.Status != 200 || reply.Allowance.Remaining != 1 {
		t.Errorf("301 items: got %d, %d tokens left of 5, want 1", reply.Status, reply.Allowance.Remaining)
	}

	reply = x.post(t, `{"taxIds":[`+strings.Repeat("9900000010,", 200)+`"x"]}`) // regardless of their type
	if reply.Status != 429 {
		t.Fatalf("201 items with one token left: got %d", reply.Status)
	}
	// The bucket has refilled during the two calls.
	if wait := reply.Problem.RetryAfter; wait > 3*time.Minute || wait < 3*time.Minute-time.Since(began) {
		t.Errorf("201 items with one token left: got retry after %v, want 3m less %v", wait, time.Since(began))
	}
}

// numbers returns n distinct valid ids.
func numbers(n int) string {
	var all []string
	for body := ro.CUI(99_000_100); len(all) < n; body++ {
		cui := body * 10
		all = append(all, fmt.Sprint(cui+ro.CUI(cui.ControlDigit())))
	}
	return strings.Join(all, ",")
}

// stream collects the sent rows, and can fail.
type stream struct {
	began  []*op.Reply
	groups [][]op.Row
	breaks int // at this group, from 1
}

func (s *stream) Begin(r *op.Reply) { s.began = append(s.began, r) }

func (s *stream) Write(rows []op.Row) error {
	s.groups = append(s.groups, rows)
	if len(s.groups) == s.breaks {
		return errors.New("the client has gone")
	}
	return nil
}

func TestRowsAreChargedBeforeTheyAreSent(t *testing.T) {
	x, s := newCounter(t, 100), &stream{breaks: 2}
	reply := x.post(t, `{"taxIds":[9900000010,9900000100,9900000118]}`, func(c *op.Call) { c.Rows = s })
	if len(s.began) != 1 || len(s.groups) != 2 || reply.Problem == nil || x.used(t) != 2 {
		t.Errorf("began %d times, %d groups, problem %v, %d credits used; want the two groups charged that were "+
			"handed over", len(s.began), len(s.groups), reply.Problem, x.used(t))
	}

	x, s = newCounter(t, 100), new(stream)
	reply = x.post(t, `{"taxIds":[9900000010,"x",9900000100]}`, func(c *op.Call) { c.Rows = s })
	want := `{"count":3,"found":2,"notFound":0,"invalid":1,"failed":0,"tookMs":0,"creditsCost":2,"creditsRemaining":98}`
	if reply.Problem != nil || tookMs.ReplaceAllString(string(reply.Document.JSON), `"tookMs":0`) != want ||
		x.used(t) != 2 {
		t.Errorf("%v %s, %d used; want %s", reply.Problem, reply.Document.JSON, x.used(t), want)
	}
}

func TestStreamInTheOrderOfTheList(t *testing.T) {
	for inOrder, want := range map[bool][]int{true: {0, 1, 2, 3}, false: {1, 0, 3, 2}} {
		s := new(stream)
		newCounter(t, 100).post(t, `{"taxIds":[9900000010,"x",9900000100,9900000010]}`, func(c *op.Call) {
			c.Rows, c.InOrder = s, inOrder
		})
		var got []int
		for _, group := range s.groups {
			for _, row := range group {
				got = append(got, row.Position())
			}
		}

		if !slices.Equal(got, want) {
			t.Errorf("in order %v: got %v, want %v", inOrder, got, want)
		}
	}
}

func TestRefusedStreamDoesNotBegin(t *testing.T) {
	x, s := newCounter(t, 1), new(stream)
	reply := x.post(t, `{"taxIds":[9900000010,9900000100]}`, func(c *op.Call) { c.Rows = s })
	if reply.Status != 402 || len(s.began) > 0 {
		t.Errorf("got %d, began %d times", reply.Status, len(s.began))
	}
}

// Rows that were sent to an address without a key count against its daily allowance, even if the rest of the call
// fails.
func TestBrokenOffStreamUsesTheAllowance(t *testing.T) {
	x := newCounter(t, 0)
	x.Daily, x.Allowances = op.Daily{Companies: 3}, metering.NewDays()
	anonymous := func(breaks int) func(*op.Call) {
		return func(c *op.Call) { c.Authorization, c.Rows = "", &stream{breaks: breaks} }
	}
	if r := x.post(t, `{"taxIds":[9900000010,9900000100]}`, anonymous(2)); r.Problem == nil || r.Quota.Remaining != 1 {
		t.Errorf("%v, %d left of 3, want 1", r.Problem, r.Quota.Remaining)
	}

	r := x.post(t, `{"taxIds":[9900000010,9900000100]}`, anonymous(0))
	if r.Status != 429 || !strings.Contains(r.Problem.Detail, "request at most 1") {
		t.Errorf("2 where 1 is left: got %d %v", r.Status, r.Problem)
	}
}

// A table of many fields decodes a company only once, however often it occurs.
func TestWideTableIsCheap(t *testing.T) {
	var wide []string
	for _, p := range jsonschema.Of(reflect.TypeFor[company.Company]()).Properties {
		if new(company.Include).UnmarshalText([]byte(p.Name)) != nil {
			wide = append(wide, p.Name)
		}
	}

	fields, _ := json.Marshal(wide)
	body := `{"taxIds":[` + strings.TrimSuffix(strings.Repeat("9900000010,", 1000), ",") + `],"fields":` +
		string(fields) + `}`
	x := newCounter(t, 10)
	x.Plans[2].Rate = metering.PerSecond(1e6, 1e6)
	allocations := testing.AllocsPerRun(1, func() {
		if r := x.post(t, body, func(c *op.Call) { c.Form = lists.CSV{Delimiter: ','} }); r.Status != 200 {
			t.Errorf("got %d %v", r.Status, r.Problem)
		}
	})
	if allocations > 50_000 {
		t.Errorf("%v allocations", allocations)
	}
}

// A batch queries the registers about all companies in one request, even if their profiles arrive at different times.
// Companies that no register knows have no such part.
func TestRegistersOfABatchAreAskedTogether(t *testing.T) {
	x, asked := newCounter(t, 10), [][]ro.CompanyDay{}
	x.operations = Operations(Registries{
		Companies: fakeCompanies{exampleCUI: nil, secondCUI: nil}, TaxRegisters: fakeRegisters{&asked},
		Trade: &fakeTrade{}, Usage: x.journal,
	}, x.Plans, system.About{})
	reply := x.post(t, `{"items":[{"taxId":9900000010},{"taxId":9900000100},{"taxId":9900000010,"date":"2020-01-01"},{"taxId":9900000010},{"taxId":9900000126}],
		"include":["registers","balanceSheets"]}`)
	want := []ro.CompanyDay{{CUI: exampleCUI}, {CUI: secondCUI}, {CUI: exampleCUI, Day: ro.NewDate(2020, 1, 1)},
		{CUI: 9900000126}}
	if len(asked) != 1 || !slices.Equal(asked[0], want) {
		t.Errorf("the registers were asked for %v, want one request for %v", asked, want)
	}

	text := string(reply.Document.JSON)
	if n := strings.Count(text, `"registers":{"farmers":{"registered":true`); n != 4 || reply.Cache != op.Miss {
		t.Errorf("%d of 4 have their registers, %s: %s", n, reply.Cache, text)
	}
	if n := strings.Count(text, `"name":"anaf-nonprofits","retrievedAt":null,"asOf":null,"cache":"MISS"`); n != 4 ||
		strings.Count(text, `"balanceSheets":[{`) != 4 {
		t.Errorf("%d sources that could not be asked: %s", n, text)
	}
}

// slowSheets never returns balance sheets.
type slowSheets struct{ fakeCompanies }

func (slowSheets) BalanceSheets(ctx context.Context, _ ro.CUI, _ company.Years) ([]company.BalanceSheet, []int, bool,
	error) {
	<-ctx.Done()
	return nil, nil, false, ctx.Err()
}

func TestSlowBalanceSheetsDoNotDelayBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateway.New(t)
		ops := Operations(Registries{Companies: slowSheets{fakeCompanies{exampleCUI: nil, secondCUI: nil}},
			Trade: &fakeTrade{}}, nil, system.About{})
		x, s, start := &counter{&till{Gateway: g, operations: ops}, nil}, new(stream), time.Now()
		reply := x.post(t, `{"taxIds":[9900000010,9900000100],"include":["balanceSheets"],"waitSeconds":15}`,
			func(c *op.Call) { c.Authorization, c.Rows = "", s })
		if took := time.Since(start); took != 15*time.Second || reply.Problem != nil {
			t.Errorf("took %v, %v", took, reply.Problem)
		}

		var text []byte
		quiet := 0
		for _, group := range s.groups {
			if len(group) == 0 {
				quiet++
			}

			for _, row := range group {
				text = row.AppendJSON(text, "")
			}
		}

		if n := strings.Count(string(text), `"name":"anaf-bilant","retrievedAt":null`); n != 2 || quiet < 2 ||
			strings.Contains(string(text), "balanceSheets") {
			t.Errorf("%d without their sheets, %d signs of life: %s", n, quiet, text)
		}
	})
}

func TestSheetsAreNotReadForAClientThatHasGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateway.New(t)
		ops := Operations(Registries{Companies: slowSheets{fakeCompanies{exampleCUI: nil}}, Trade: &fakeTrade{}},
			nil, system.About{})
		x, start := &counter{&till{Gateway: g, operations: ops}, nil}, time.Now()
		x.post(t, `{"taxIds":[9900000010],"include":["balanceSheets"],"waitSeconds":25}`,
			func(c *op.Call) { c.Authorization, c.Rows = "", &stream{breaks: 2} }) // at the first empty group

		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("the call ended after %v, want 10s", took)
		}
	})
}

var tookMs = regexp.MustCompile(`"tookMs":[0-9]+`)

type fakeRepeat struct {
	fingerprint string
	charged     int64
	runs        bool
}

// fakeRepeats remembers calls; the test sets the charges.
type fakeRepeats struct{ calls map[string]fakeRepeat }

func (f *fakeRepeats) BeginCall(_ context.Context, owner, key, fingerprint string) (int64, error) {
	call, known := f.calls[owner+key]
	switch {
	case known && call.fingerprint != fingerprint:
		return 0, account.ErrOtherCall
	case call.runs:
		return 0, account.ErrCallRuns
	}

	f.calls[owner+key] = fakeRepeat{fingerprint, call.charged, true}
	return call.charged, nil
}

func (f *fakeRepeats) EndCall(_ context.Context, owner, key string) error {
	call := f.calls[owner+key]
	call.runs = false
	f.calls[owner+key] = call
	return nil
}

func (f *fakeRepeats) note(charged int64) {
	for id, call := range f.calls {
		call.charged = charged
		f.calls[id] = call
	}
}

func TestRepeatedCallIsNotChargedAgain(t *testing.T) {
	x := newCounter(t, 40)
	named := func(key string) func(*op.Call) { return func(c *op.Call) { c.IdempotencyKey = key } }
	const two, three = `{"taxIds":[9900000010,9900000100]}`, `{"taxIds":[9900000010,9900000100,9900000118]}`
	if r := x.post(t, two, named("a-1")); r.Status != 200 || r.Cost != 2 {
		t.Fatalf("got %d at %d", r.Status, r.Cost)
	}

	x.repeats.note(2)
	if r := x.post(t, two, named(`"a-1"`)); r.Status != 200 || r.Cost != 0 || x.used(t) != 2 {
		t.Errorf("again: got %d at %d, %d used", r.Status, r.Cost, x.used(t))
	}
	if r := x.post(t, three, named("a-1")); r.Status != 422 {
		t.Errorf("another list: got %d", r.Status)
	}

	x.repeats.note(1) // as if one had been charged before the first attempt was interrupted
	if r := x.post(t, two, named("a-1")); r.Status != 200 || r.Cost != 1 {
		t.Errorf("after half of it: got %d at %d", r.Status, r.Cost)
	}

	for id, call := range x.repeats.calls {
		call.runs = true
		x.repeats.calls[id] = call
	}
	if r := x.post(t, two, named("a-1")); r.Status != 409 || r.Problem.RetryAfter <= 0 {
		t.Errorf("while it runs: got %d", r.Status)
	}

	x.repeats.calls = make(map[string]fakeRepeat)
	const reordered = `{ "waitSeconds": 5, "taxIds": [ 9900000010,9900000100 ] }` // requests the same rows
	x.post(t, two, named("a-2"))
	if r := x.post(t, reordered, named("a-2")); r.Status != 200 {
		t.Errorf("the same list in other words: got %d", r.Status)
	}

	for _, bad := range []string{`"`, `""`, "ș", "a\"b", strings.Repeat("x", 256)} {
		if r := x.post(t, two, named(bad)); r.Status != 400 || !strings.Contains(r.Problem.Detail, "Idempotency-Key") {
			t.Errorf("%q: got %d", bad, r.Status)
		}
	}
}
