package api

import (
	"context"
	"encoding/csv"
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
	secondCUI  ro.CUI = 9900000100
	thirdCUI   ro.CUI = 9900000118
	brokenCUI  ro.CUI = 9900000029
	unknownCUI ro.CUI = 9900000126
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

func TestEachItemOfABatchHasAStatus(t *testing.T) {
	x := newCounter(t, 100)
	reply := x.post(t, `{"items":[
		{"taxId":"RO 9900000010","reference":"SUP-001"},
		{"taxId":"123"},
		{"taxId":9900000029},
		{"taxId":"J12/345/2010","reference":"7"},
		{"taxId":9900000126},
		{"taxId":"j12/346/2010"},
		{"taxId":9900000100}]}`)
	got := decoded(t, reply)
	if got.Count != 7 || got.Found != 3 || got.NotFound != 2 || got.Invalid != 1 || got.Failed != 1 {
		t.Errorf("summary %+v", got.BatchSummary)
	}

	for i, want := range []struct {
		reference, input string
		cui              ro.CUI
		status           int
		problem          string
		retry            int
	}{
		{"SUP-001", "", exampleCUI, 200, "", 0},
		{"", "123", 0, 400, "control digit", 0},
		{"", "", brokenCUI, 504, "(ANAF) has not answered yet", 5},
		{"7", "J12/345/2010", exampleCUI, 200, "", 0},
		{"", "", unknownCUI, 404, "no register knows", 0},
		{"", "j12/346/2010", 0, 404, "trade register", 0},
		{"", "", secondCUI, 200, "", 0},
	} {
		item := got.Items[i]
		if item.Index != i || item.Reference != want.reference || item.Input != want.input || item.TaxID != want.cui ||
			item.Status != want.status {
			t.Errorf("item %d: %+v", i, item)
		}
		if want.status == 200 && item.Company["name"] != "EXEMPLU CLUJ SRL" ||
			!strings.Contains(item.Problem.Detail, want.problem) || item.Problem.RetryAfterSeconds != want.retry {
			t.Errorf("item %d: %v, %+v", i, item.Company, item.Problem)
		}
		if want.status != 200 && !strings.HasPrefix(item.Problem.Type, "https://rodata.example/problems/") {
			t.Errorf("item %d: the type of its problem is %q", i, item.Problem.Type)
		}
	}

	// Two items refer to one company: two distinct companies were found.
	if x.used(t) != 2 || reply.Cost != 2 || reply.Credits != 98 || reply.Cache != op.Miss {
		t.Errorf("%d credits used; %d charged, %d left, %s", x.used(t), reply.Cost, reply.Credits, reply.Cache)
	}
}

func TestItemsAsPeopleWriteThem(t *testing.T) {
	got := decoded(t, newCounter(t, 100).post(t, `{"taxIds":[9900000010.0, 9.90000001E9, "9.900.000.010", "=\"9900000010\"",
		"'9900000010", "ro9900000010.0", null, "RO9900000011", "x",
		"J12/345/14.03.2010", "ROONRC.J12/345/2010", "J2010000345122", "j99/1/2020", "J2010000345128"]}`))
	for i, want := range []string{"", "", "", "", "", "", "with or without RO", "ends in 0", "with or without RO",
		"", "", "", "or a trade register number", "or a trade register number"} {
		switch item := got.Items[i]; {
		case want == "" && (item.Status != 200 || item.TaxID != exampleCUI):
			t.Errorf("item %d: %+v", i, item)
		case want != "" && (item.Status != 400 || !strings.Contains(item.Problem.Detail, want)):
			t.Errorf("item %d: %+v, want a 400 with %q", i, item, want)
		}
	}

	got = decoded(t, newCounter(t, 100).post(t, `{"items":[{"taxId":9900000010,"date":"31.03.2026"},
		{"taxId":9900000010,"date":"31/03/2026 00:00:00"},{"taxId":9900000010,"date":"2026-03-31T00:00:00"},
		{"taxId":null,"date":"2026-03-31"},{"taxId":9900000010,"date":"03.31.2026"}]}`))
	for i, want := range []int{200, 200, 200, 400, 400} {
		if item := got.Items[i]; item.Status != want {
			t.Errorf("item %d: %+v, want %d", i, item, want)
		}
	}
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

func TestContentOfBatchAnswers(t *testing.T) {
	for _, c := range []struct{ name, body, channel, want, without string }{
		{"the profile", `{"taxIds":[9900000010]}`, "rest", `"sources":[]`, ""},
		{"its summary", `{"taxIds":["9900000010"],"view":"summary"}`, "rest",
			`"company":{"taxId":9900000010,"name":"EXEMPLU CLUJ SRL"`, "sources"},
		{"the profile, for a tool", `{"taxIds":["9900000010"]}`, "mcp", `"sources":[]`, ""},
		{"fields", `{"taxIds":["9900000010"],"fields":["name","seat.city","taxId"]}`, "rest",
			`"company":{"name":"EXEMPLU CLUJ SRL","seat":null,"taxId":9900000010}`, "vatPayer"},
		{"balance sheets", `{"taxIds":["9900000010"],"include":["balanceSheets"]}`, "rest",
			`"balanceSheets":[{"year":2025`, ""},
		{"insolvency", `{"taxIds":["9900000010"],"include":["insolvency"]}`, "rest",
			`"insolvency":{"state":"insolvent","proceedings":"insolvency"`, "registers"},
		{"registers", `{"taxIds":["9900000010"],"include":["registers"]}`, "rest",
			`"registers":{"farmers":{"registered":true,"from":"2019-01-01","to":null},"nonProfits":{"registered":null`,
			"insolvency"},
		{"a field of the registers", `{"taxIds":["9900000010"],"fields":["registers.farmers.registered","insolvency.state"]}`, "rest", `"company":{"registers":{"farmers":{"registered":true}},"insolvency":{"state":"insolvent"}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := string(newCounter(t, 10).post(t, c.body, func(call *op.Call) {
				call.Channel = c.channel
			}).Document.JSON)
			if !strings.Contains(text, c.want) || c.without != "" && strings.Contains(text, c.without) {
				t.Errorf("got %s", text)
			}
		})
	}
}

func TestBatchesThatAreRefused(t *testing.T) {
	list := func(n int) string {
		return `{"taxIds":[` + strings.TrimSuffix(strings.Repeat(`9900000010,`, n), ",") + `]}`
	}
	for _, c := range []struct{ name, body, want string }{
		{"no list", `{}`, "items is missing"},
		{"both lists", `{"taxIds":[1],"items":[{"taxId":1}]}`, "send one of them"},
		{"an empty list", `{"items":[]}`, "items is empty"},
		{"no array", `{"items":{"taxId":1}}`, "items is not a list"},
		{"a text", `{"taxIds":"9900000010"}`, "taxIds is not a list"},
		{"numbers among items", `{"items":[9900000010]}`, "element 0 (from 0) is not an object"},
		{"a truth", `{"taxIds":[true]}`, "element 0 (from 0) has the wrong type"},
		{"an unknown member", `{"items":[{"taxId":1,"cui":2}]}`, `has the unknown member "cui"`},
		{"a member twice", `{"items":[{"taxId":1,"taxId":2}]}`, "taxId was sent more than once"},
		{"a list twice", `{"taxIds":[1],"taxIds":[2]}`, "taxIds was sent more than once"},
		{"no number", `{"items":[{"reference":"a"}]}`, "taxId is missing"},
		{"a long reference", `{"items":[{"taxId":1,"reference":"` + strings.Repeat("x", 101) + `"}]}`,
			"to 100 characters are accepted, 101 were sent"},
		{"a reference of two lines", `{"items":[{"taxId":1,"reference":"a\nb"}]}`, "U+000A"},
		{"nesting", `{"taxIds":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`, "has the wrong type"},
		{"a day that is no text", `{"items":[{"taxId":1,"date":true}]}`, "element 0 (from 0) has the wrong type"},
		{"too many", list(1001), "or all as a file to POST /v1/jobs"},
		{"fields in a text", `{"taxIds":["9900000010"],"fields":"name,city"}`, `send a list, such as ["taxId", "vatPayer"]`},
		{"a list in a text", `{"taxIds":"[9900000010]"}`, `send a list, such as ["14399840"]`},
		{"a number for a reference", `{"items":[{"taxId":9900000010,"reference":7}]}`,
			"element 0 (from 0): its reference is not a string; send it in quotes"},
		{"an unknown field", `{"taxIds":[1],"fields":["vatPayr"]}`, "did you mean vatPayer?"},
		{"no field", `{"taxIds":[1],"fields":[1]}`, "send a list of strings"},
		{"a long wait", `{"taxIds":[1],"waitSeconds":26}`, "from 1 to 25"},
		{"an unknown parameter", `{"taxIds":[1],"wait":2}`, "unknown parameter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newCounter(t, 10)
			x.Plans[2].Rate = metering.PerSecond(1e6, 1e6)
			reply := x.post(t, c.body)
			if reply.Status != 400 || !strings.Contains(reply.Problem.Detail, c.want) {
				t.Errorf("got %d: %v", reply.Status, reply.Problem)
			}
			if x.used(t) != 0 {
				t.Error("it was charged")
			}
		})
	}
}

func TestSizeOfABatch(t *testing.T) {
	list := func(n int) string {
		return `"taxIds":[` + strings.TrimSuffix(strings.Repeat(`9900000010,`, n), ",") + `]`
	}
	for _, c := range []struct {
		name      string
		change    func(*op.Call)
		more      string
		most, say int
	}{
		{"with a key", func(*op.Call) {}, "", 1000, 1000},
		{"without", func(c *op.Call) { c.Authorization = "" }, "", 100, 1000},
		{"with balance sheets", func(*op.Call) {}, `,"include":["balanceSheets"]`, 100, 100},
		{"as summaries through the tool", func(c *op.Call) { c.Channel = "mcp" }, `,"view":"summary"`, 100, 100},
		{"as profiles through the tool", func(c *op.Call) { c.Channel = "mcp" }, "", 25, 25},
		{"as chosen fields through the tool", func(c *op.Call) { c.Channel = "mcp" },
			`,"view":"full","fields":["name"]`, 100, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newCounter(t, 10_000)
			if reply := x.post(t, "{"+list(c.most)+c.more+"}", c.change); reply.Status != 200 {
				t.Errorf("%d: got %d %v", c.most, reply.Status, reply.Problem)
			}

			reply := x.post(t, "{"+list(c.most+1)+c.more+"}", c.change)
			if reply.Status != 400 || !strings.Contains(reply.Problem.Detail, fmt.Sprint(c.say)) {
				t.Errorf("%d: got %d %v", c.most+1, reply.Status, reply.Problem)
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

func TestBatchIsRefusedWholeWithoutCredits(t *testing.T) {
	x := newCounter(t, 2)
	if r := newCounter(t, 0).post(t, `{"taxIds":[9900000010]}`); r.Status != 402 ||
		!strings.Contains(string(r.Problem.JSON("")), `"needed":1,"remaining":0`) {
		t.Errorf("without any credits: got %d %v", r.Status, r.Problem)
	}

	reply := x.post(t, `{"taxIds":[9900000010,9900000100,9900000118]}`)
	if reply.Status != 402 || !strings.Contains(string(reply.Problem.JSON("")), `"needed":3,"remaining":2`) {
		t.Errorf("got %d %v", reply.Status, reply.Problem)
	}
	if reply := x.post(t, `{"taxIds":[9900000010,9900000010,9900000100]}`); reply.Status != 200 || x.used(t) != 2 {
		t.Errorf("two distinct ones: got %d %v, %d used", reply.Status, reply.Problem, x.used(t))
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

func TestFieldsAskForTheirPart(t *testing.T) {
	text := string(newCounter(t, 10).post(t,
		`{"taxIds":[9900000010],"fields":["balanceSheets.year","vatPeriods.from"]}`).Document.JSON)
	if !strings.Contains(text, `"company":{"balanceSheets":[{"year":2025}],"vatPeriods":null}`) {
		t.Errorf("got %s", text)
	}
	if r := newCounter(t, 10).post(t, `{"taxIds":[9900000010],"include":["balanceSheets"],"view":"summary"}`); r.Status != 400 {
		t.Errorf("parts of a summary: got %d", r.Status)
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

func TestTableOfABatch(t *testing.T) {
	reply := newCounter(t, 100).post(t, `{"items":[{"taxId":"RO9900000010","reference":"=1+1"},{"taxId":"x"}],"fields":["taxId","name","vatPayer"]}`,
		func(c *op.Call) { c.Form = lists.CSV{Delimiter: ';'} })
	text, ok := strings.CutPrefix(string(reply.Document.JSON), "\ufeff")
	if !ok || reply.Document.File.Type[0] != "text/csv; charset=utf-8" {
		t.Errorf("no byte order mark, or %v", reply.Document.File)
	}

	r := csv.NewReader(strings.NewReader(text))
	r.Comma = ';'
	rows, err := r.ReadAll()
	want := [][]string{
		{"input", "reference", "status", "problem", "taxId", "name", "vatPayer", "asOf"},
		{"RO9900000010", "'=1+1", "200", "", "9900000010", "EXEMPLU CLUJ SRL", "", ro.Today().String()},
	}
	if err != nil || len(rows) != 3 || !slices.EqualFunc(rows[:2], want, slices.Equal) || rows[2][0] != "x" ||
		rows[2][2] != "400" || rows[2][3] == "" {
		t.Errorf("%v, %q", err, rows)
	}
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
