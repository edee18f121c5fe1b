package monitoring

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/fake"
	"github.com/rodata/rodata/testkit/gateway"
)

// fakeWatchlists has one watch-list of one account, of at most 100 companies, and charges for each new one.
type fakeWatchlists struct {
	companies map[ro.CUI]string
	paid      map[ro.CUI]bool
	changed   WatchlistChange
	err       error
}

const exampleList = WatchlistID("wl_abcdefghijklmnopqrstuvwxyz")

func (f *fakeWatchlists) list() *Watchlist {
	return &Watchlist{ID: string(exampleList), Name: "Suppliers", Events: DefaultEvents.Kinds(),
		Digest:   NoDigest,
		Language: BothLanguages, Every: EveryDay, Companies: len(f.companies),
		Feeds:     FeedsOf("wlf_a"),
		CreatedAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
}

func (f *fakeWatchlists) known(id WatchlistID) error {
	if id != DefaultWatchlist && id != exampleList {
		return op.ErrUnknown
	}
	return f.err
}

func (f *fakeWatchlists) CreateWatchlist(_ context.Context, _ string,
	c WatchlistChange) (*Watchlist, error) {
	f.changed = c
	if c.Name == "one too many" {
		return nil, TooManyWatchlists(20)
	}
	return f.list(), f.err
}

func (f *fakeWatchlists) Watchlists(context.Context, string) ([]Watchlist, error) {
	return []Watchlist{*f.list()}, f.err
}

func (f *fakeWatchlists) Watchlist(_ context.Context, _ string, id WatchlistID) (*Watchlist,
	error) {
	return f.list(), f.known(id)
}

func (f *fakeWatchlists) ChangeWatchlist(_ context.Context, _ string, id WatchlistID,
	c WatchlistChange) (*Watchlist, error) {
	f.changed = c
	return f.list(), f.known(id)
}

func (f *fakeWatchlists) DeleteWatchlist(_ context.Context, _ string, id WatchlistID) error {
	return f.known(id)
}

func (f *fakeWatchlists) Watch(ctx context.Context, _ string, id WatchlistID, order WatchOrder,
	payment op.Payment) (WatchOutcome, error) {
	outcome := WatchOutcome{}
	if err := f.known(id); err != nil {
		return outcome, err
	}
	if len(order.Companies) > 100 {
		return outcome, TooManyWatched(len(order.Companies), 100)
	}

	due := 0
	for _, c := range order.Companies {
		change := WatchUnchanged
		if reference, watched := f.companies[c.Company]; !watched {
			change = WatchAdded
		} else if c.Reference != "" && c.Reference != reference {
			change = WatchUpdated
		}

		if !f.paid[c.Company] {
			due++
		}
		outcome.Changes = append(outcome.Changes, change)
	}

	if due > 0 {
		if err := payment.Reserve(ctx, due); err != nil {
			return outcome, err
		}
		if err := payment.Charge(ctx); err != nil {
			return outcome, err
		}
	}

	if f.companies == nil {
		f.companies, f.paid = make(map[ro.CUI]string), make(map[ro.CUI]bool)
	}

	if order.Replace {
		for c := range f.companies {
			if !slices.ContainsFunc(order.Companies,
				func(w WatchedReference) bool { return w.Company == c }) {
				delete(f.companies, c)
				outcome.Removed++
			}
		}
	}

	for _, c := range order.Companies {
		f.companies[c.Company], f.paid[c.Company] = c.Reference, true
	}

	return outcome, nil
}

func (f *fakeWatchlists) Unwatch(_ context.Context, _ string, id WatchlistID, company ro.CUI) error {
	delete(f.companies, company)
	return f.known(id)
}

func (f *fakeWatchlists) Watched(_ context.Context, _ string, id WatchlistID, limit, offset int,
	problemsFirst bool) (WatchedPage, error) {
	items := []WatchedCompany{}
	for c := range f.companies {
		items = append(items, WatchedCompany{TaxID: c, State: WatchedNew, Paid: true})
	}

	if problemsFirst && len(items) > 1 {
		return WatchedPage{}, TooManySorted(len(items))
	}

	start := min(offset, len(items))
	return WatchedPage{Items: items[start:min(start+limit, len(items))], TotalCount: len(items)}, f.known(id)
}

// watching is a gateway with a watch-list and a number of credits.
type watching struct {
	t     *testing.T
	g     *op.Gateway
	lists *fakeWatchlists
	trade *fakeRegister
	ops   map[string]*op.Operation
}

func newWatching(t *testing.T, credits int64) *watching {
	w := &watching{t: t, g: gateway.New(t), lists: new(fakeWatchlists), trade: new(fakeRegister),
		ops: make(map[string]*op.Operation)}
	w.g.Plans = slices.Clone(w.g.Plans)
	for i := range w.g.Plans {
		w.g.Plans[i].MonthlyCredits = credits
	}

	w.g.Ledger = gateway.NewLedger(t, new(fake.Journal))
	for _, o := range []*op.Operation{
		WatchCompany(w.lists), UnwatchCompany(w.lists), CreateWatchlist(w.lists),
		GetWatchlist(w.lists),
		UpdateWatchlist(w.lists),
		WatchCompanies(w.lists, w.trade, WatchLimits{}), ListWatchedCompanies(w.lists),
		DeleteWatchlist(w.lists),
	} {
		w.ops[o.Name] = o
	}

	return w
}

// do calls an operation with arguments as alternating names and values.
func (w *watching) do(o string, args ...string) *op.Reply {
	w.t.Helper()
	call := op.Call{Channel: "rest", Authorization: "Bearer " + gateway.GoodKey, BaseURL: "https://api.example.ro"}
	for i := 0; i < len(args); i += 2 {
		arg := op.Arg{Name: args[i], Text: args[i+1]}
		if arg.Name == "csv" {
			arg.Text, arg.File = "", io.NewSectionReader(strings.NewReader(arg.Text), 0, int64(len(arg.Text)))
		}
		if strings.HasPrefix(arg.Text, "[") {
			arg.Text, arg.JSON, arg.Literal = "[…]", arg.Text, true
		}

		call.Args = append(call.Args, arg)
	}

	return w.g.Do(w.t.Context(), w.ops[o], &call)
}

func (w *watching) result(reply *op.Reply) (r WatchResult) {
	w.t.Helper()
	if reply.Problem != nil {
		w.t.Fatalf("%d %v", reply.Status, reply.Problem)
	}
	if err := json.Unmarshal(reply.Document.JSON, &r); err != nil {
		w.t.Fatal(err)
	}

	return r
}

func TestWatchedCompanyIsPaidOnce(t *testing.T) {
	w := newWatching(t, 2)
	for i, want := range []int{1, 0} {
		reply := w.do("watch_company", "id", "default", "cui", "9900000010")
		if reply.Status != http.StatusNoContent || reply.Cost != want || reply.Credits != 1 {
			t.Errorf("call %d: %d, cost %d, %d credits left: %v", i, reply.Status, reply.Cost, reply.Credits,
				reply.Problem)
		}
	}

	if reply := w.do("unwatch_company", "id", "default", "cui", "9900000010"); reply.Status != http.StatusNoContent ||
		reply.Cost != 0 {
		t.Errorf("unwatched: %d, cost %d", reply.Status, reply.Cost)
	}
}

func TestWatchingTakesAllCreditsOrNone(t *testing.T) {
	w := newWatching(t, 2)
	reply := w.do("watch_companies", "id", "default", "taxIds", "[9900000010, 9900000029, 9900000037]")
	if reply.Status != http.StatusPaymentRequired || reply.Cost != 0 || len(w.lists.companies) != 0 {
		t.Fatalf("%d, cost %d, %d watched", reply.Status, reply.Cost, len(w.lists.companies))
	}

	for _, part := range []string{"this costs 3 credits", "has 2 left", "nothing was changed or charged"} {
		if !strings.Contains(reply.Problem.Detail, part) {
			t.Errorf("the detail does not say %q: %s", part, reply.Problem.Detail)
		}
	}

	if reply := w.do("watch_companies", "id", "default", "taxIds", "[9900000010, 9900000029]"); reply.Status != 200 ||
		reply.Cost != 2 || reply.Credits != 0 {
		t.Errorf("as many as there are credits: %d, cost %d", reply.Status, reply.Cost)
	}
}

func TestWatchingNeedsAnAccount(t *testing.T) {
	w := newWatching(t, 2)
	for name, o := range w.ops {
		if reply := w.g.Do(t.Context(), o, &op.Call{}); reply.Status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, reply.Status)
		}
	}
}

func TestEachItemHasAResult(t *testing.T) {
	w := newWatching(t, 100)
	w.do("watch_company", "id", "default", "cui", "9900000029", "reference", "old")
	reply := w.do("watch_companies", "id", "default", "items",
		`[{"taxId": "RO9900000010", "reference": "S-1"}, {"taxId": 9900000011},
		{"taxId": "J12/345/2010"}, {"taxId": "J12/1/2010"}, {"taxId": 9900000029, "reference": "new"}, {"taxId": 9900000037, "date": "2026-01-01"}]`)
	r := w.result(reply)
	if r.Count != 6 || r.Added != 1 || r.Updated != 1 || r.Unchanged != 1 || r.Failed != 3 || reply.Cost != 1 {
		t.Errorf("%+v, cost %d", r, reply.Cost)
	}

	var statuses []int
	for _, item := range r.Items {
		statuses = append(statuses, item.Status)
	}
	if !slices.Equal(statuses, []int{200, 400, 200, 404, 200, 400}) {
		t.Errorf("statuses %d", statuses)
	}

	for _, part := range []string{`"type":"https://api.example.ro/problems/invalid-request"`, `"code":"check_digit"`,
		`"change":"added"`, `"input":"J12/345/2010","taxId":9900000010`} {
		if !strings.Contains(string(reply.Document.JSON), part) {
			t.Errorf("the answer has no %s: %s", part, reply.Document.JSON)
		}
	}
}

func TestTablesOfCompanies(t *testing.T) {
	for name, c := range map[string]struct {
		table, mode string
		want        WatchResult
	}{
		"commas": {"cui,reference\n9900000010,S-1\n9900000029,S-2\n", "add",
			WatchResult{Count: 2, Added: 2}},
		"register numbers": {"cui\nJ12/345/2010\n", "add", WatchResult{Count: 1, Added: 1}},
		"repeated and broken": {"cui\n9900000010\n9900000010\n9900000011\nx\n", "add",
			WatchResult{Count: 4, Added: 1, Unchanged: 1, Failed: 2}},
		"in place of another": {"CIF\n9900000010\n", "replace", WatchResult{Count: 1, Added: 1, Removed: 1}},
		"added to another":    {"CUI/CIF\n9900000010\n", "add", WatchResult{Count: 1, Added: 1}},
		"lines of other lengths": {"name,cui\nA,9900000010\nB\n", "add", WatchResult{Count: 2, Added: 1,
			Failed: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatching(t, 100)
			w.do("watch_company", "id", "default", "cui", "9900000037")
			r := w.result(w.do("watch_companies", "id", "default", "csv", c.table, "mode", c.mode))
			if failed := len(r.Items); failed != c.want.Failed {
				t.Errorf("%d failed lines are reported, want %d", failed, c.want.Failed)
			}
			if r.Items = nil; fmt.Sprintf("%+v", r) != fmt.Sprintf("%+v", c.want) {
				t.Errorf("got %+v, want %+v", r, c.want)
			}
		})
	}
}

func TestLinesOfATableAreNamed(t *testing.T) {
	w := newWatching(t, 100)
	r := w.result(w.do("watch_companies", "id", "default", "csv",
		"name,cui\nA,9900000010\n\n\"two, words\",9900000011\n"))
	if len(r.Items) != 1 || r.Items[0].Line != 4 || r.Items[0].Index != 1 || r.Items[0].Input != "9900000011" {
		t.Errorf("%+v", r.Items)
	}
}

func TestTablesThatAreRefused(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		b.WriteString("cui\n")
		for range n {
			b.WriteString("9900000010\n")
		}

		return b.String()
	}
	for name, c := range map[string]struct {
		table string
		want  []string
	}{
		"wrong column": {"Denumire,Oraș\nEXEMPLU,Cluj\n",
			[]string{`"Denumire", "Oraș"`, "Name the column cui"}},
		"no tax id": {"cui\nabc\ndef\n", []string{"no line of the table has a valid tax id", "line 2"}},
		"too many":  {many(200_000), []string{"more than 100000 rows", "several files"}},
		"a long reference": {"cui,reference\n9900000010," + strings.Repeat("x", 101),
			[]string{"row 2", "to 100 characters are accepted, 101 were sent"}},
		"a reference that turns around": {"cui,reference\n9900000010,S\u202e1\n", []string{"row 2", "U+202E"}},
		"a larger list yet": {"cui\n" + distinct(101),
			[]string{"101 companies", "maximum of 100", "nothing was changed or charged"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatching(t, 100)
			reply := w.do("watch_companies", "id", "default", "csv", c.table)
			if reply.Status != 400 || len(w.lists.companies) != 0 || reply.Cost != 0 {
				t.Fatalf("%d, %d watched", reply.Status, len(w.lists.companies))
			}

			for _, part := range c.want {
				if !strings.Contains(reply.Problem.Detail, part) {
					t.Errorf("the detail does not say %q: %s", part, reply.Problem.Detail)
				}
			}
		})
	}
}

// An error in a table has its row and its column for programs, too.
func TestRefusedReferenceHasItsPlace(t *testing.T) {
	reply := newWatching(t, 100).do("watch_companies", "id", "default", "csv",
		"Cod client;CUI\nC-1;9900000010\n"+strings.Repeat("C", 101)+";9900000029\n")
	if reply.Status != 400 || len(reply.Problem.Errors) != 1 {
		t.Fatalf("status %d, %+v", reply.Status, reply.Problem)
	}
	if e := reply.Problem.Errors[0]; e.Row != 3 || e.Column != "Cod client" ||
		!strings.Contains(reply.Problem.Detail, "row 3 ") {
		t.Errorf("row %d, column %q: %s", e.Row, e.Column, reply.Problem.Detail)
	}
}

// distinct returns a number of lines with invented tax ids.
func distinct(n int) string {
	var b strings.Builder
	for body := ro.CUI(99_000_000); n > 0; body++ {
		if cui := body*10 + ro.CUI((body * 10).ControlDigit()); cui.Valid() {
			fmt.Fprintln(&b, cui)
			n--
		}
	}

	return b.String()
}

func TestListsOfCompaniesThatAreRefused(t *testing.T) {
	for want, args := range map[string][]string{
		"send items or taxIds":           nil,
		"more than one form":             {"taxIds", "[9900000010]", "csv", "9900000010"},
		"a JSON body takes at most 1000": {"taxIds", "[" + strings.Repeat("9900000010,", 1000) + "9900000010]"},
		"the account has no watch-list":  {"id", "wl_zbcdefghijklmnopqrstuvwxyz", "taxIds", "[9900000010]"},
		"one of add, replace":            {"mode", "swap", "taxIds", "[9900000010]"},
		"wl_ and 26 letters":             {"id", "suppliers", "taxIds", "[9900000010]"},
		"to 100 characters are accepted, 101 were sent": {"items",
			`[{"taxId": 9900000010, "reference": "` + strings.Repeat("x", 101) + `"}]`},
		"a line break or a control character (U+202E)": {"items",
			`[{"taxId": 9900000010, "reference": "S\u202e1"}]`},
	} {
		if !slices.Contains(args, "id") {
			args = append(args, "id", "default")
		}

		reply := newWatching(t, 100).do("watch_companies", args...)
		if reply.Status != 400 && reply.Status != 404 {
			t.Errorf("%s: %d", want, reply.Status)
		} else if !strings.Contains(reply.Problem.Detail,
			want) && !strings.Contains(fmt.Sprintf("%+v", *reply.Problem.Errors[0]), want) {
			t.Errorf("the detail does not say %q: %s", want, reply.Problem.Detail)
		}
	}
}

func TestIncompleteListReplacesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		args     []string
		unloaded bool
		status   int
		want     []string
	}{
		"a typo in a table": {[]string{"csv", "cui\n9900000029\n9900000011\nx\n"}, false, 400,
			[]string{"csv: 2 of 3 companies", "line 3: ", "line 4: ", "nothing was changed or charged", "mode=add"}},
		"a typo in items": {[]string{"items", `[{"taxId": 9900000029}, {"taxId": 9900000011}]`}, false,
			400, []string{"items: 1 of 2 companies", "item 1: "}},
		"an unknown number": {[]string{"taxIds", `["9900000029", "J12/1/2010"]`}, false, 400,
			[]string{"taxIds: 1 of 2 companies", "item 1: ", "J12/1/2010"}},
		"a register that is not loaded": {[]string{"csv", "cui\n9900000029\nJ12/345/2010\n"}, true, 503,
			[]string{"41 % done"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatching(t, 100)
			w.do("watch_company", "id", "default", "cui", "9900000010")
			w.trade.unloaded = c.unloaded
			reply := w.do("watch_companies", append(c.args, "id", "default", "mode", "replace")...)
			if _, kept := w.lists.companies[9900000010]; reply.Status != c.status || !kept ||
				len(w.lists.companies) != 1 || reply.Cost != 0 {
				t.Fatalf("%d, cost %d, watched: %v", reply.Status, reply.Cost, w.lists.companies)
			}

			for _, part := range c.want {
				if !strings.Contains(reply.Problem.Detail, part) {
					t.Errorf("the detail does not say %q: %s", part, reply.Problem.Detail)
				}
			}
		})
	}
}

func TestDeletingNeedsTheID(t *testing.T) {
	w := newWatching(t, 100)
	if reply := w.do("delete_watchlist", "id", "default"); reply.Status != 400 ||
		!strings.Contains(reply.Problem.Detail, "send the id itself, which is "+string(exampleList)) {
		t.Errorf("the default: %d %v", reply.Status, reply.Problem)
	}
	if reply := w.do("delete_watchlist", "id", string(exampleList)); reply.Status != http.StatusNoContent {
		t.Errorf("by its id: %d %v", reply.Status, reply.Problem)
	}
}

func TestSettingsOfWatchlists(t *testing.T) {
	w := newWatching(t, 100)
	reply := w.do("create_watchlist", "name", " Suppliers ", "events", `["company.vat.cancelled","company.state.changed"]`,
		"digest", "weekly", "language", "ro", "every", "week")
	want := WatchlistChange{Name: "Suppliers", Events: []EventKind{VATCancelled,
		StateChanged}, Digest: WeeklyDigest,
		Language: RomanianDigest, Every: EveryWeek, Key: "key1"}
	if reply.Status != http.StatusCreated || fmt.Sprint(w.lists.changed) != fmt.Sprint(want) {
		t.Errorf("%d, %+v", reply.Status, w.lists.changed)
	}

	w.do("update_watchlist", "id", "default", "rotateFeeds", "true")
	if fmt.Sprint(w.lists.changed) != fmt.Sprint(WatchlistChange{RotateFeeds: true, Key: "key1"}) {
		t.Errorf("changed: %+v", w.lists.changed)
	}
	if reply := w.do("create_watchlist", "name", "one too many"); reply.Status != 400 ||
		!strings.Contains(reply.Problem.Detail, "20 watch-lists, the maximum") {
		t.Errorf("too many: %v", reply.Problem)
	}
	if reply := w.do("create_watchlist", "name", "x", "events", `["company.sold"]`); reply.Status != 400 {
		t.Errorf("an unknown kind: %d", reply.Status)
	}
}

func TestLongWatchlistIsNotSorted(t *testing.T) {
	w := newWatching(t, 100)
	w.do("watch_company", "id", "default", "cui", "9900000010")
	w.do("watch_company", "id", "default", "cui", "9900000029")
	reply := w.do("list_watched_companies", "id", "default", "problemsFirst", "true")
	if reply.Status != 400 || !strings.Contains(reply.Problem.Detail, "so omit problemsFirst") {
		t.Errorf("%d %v", reply.Status, reply.Problem)
	}
	if reply := w.do("list_watched_companies", "id", "default"); reply.Status != 200 {
		t.Errorf("by tax id: %d", reply.Status)
	}
}

func TestWatchlistsThatCannotBeRead(t *testing.T) {
	w := newWatching(t, 100)
	w.lists.err = fmt.Errorf("the disk is full")
	for _, o := range []string{"get_watchlist", "list_watched_companies"} {
		if reply := w.do(o, "id", "default"); reply.Status != http.StatusServiceUnavailable ||
			strings.Contains(reply.Problem.Detail, "disk") {
			t.Errorf("%s: %d %v", o, reply.Status, reply.Problem)
		}
	}
}
