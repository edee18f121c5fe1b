package api

import (
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

// askRates requests a history as CSV, without a key.
func askRates(t *testing.T, query string) op.Reply {
	t.Helper()
	return gateway.Ask(t, gateway.New(t), newOperations(), &op.Call{Media: "text/csv"}, "/v1/fx-rates/history"+query)
}

func TestRateHistoryAsCSV(t *testing.T) {
	for query, want := range map[string]string{
		"?currency=eur&from=2005-01-03&to=2998-06-30": "date,currency,rate\r\n2022-12-30,EUR,4.9474\r\n" +
			"2026-06-10,EUR,5.2344\r\n2026-06-12,EUR,5.24\r\n",
		"?currency=EUR&to=2026-06-12": "date,currency,rate\r\n2026-06-10,EUR,5.2344\r\n" +
			"2026-06-12,EUR,5.24\r\n",
		"?currency=HUF&from=2022-12-30&to=2022-12-31": "date,currency,rate\r\n2022-12-30,HUF,0.012354\r\n",
		"?currency=HRK&from=2023-01-01&to=2026-06-12": "date,currency,rate\r\n",
		"?currency=USD&from=2026-06-10&to=2026-06-10&delimiter=%3B": "\ufeffdate;currency;rate\r\n" +
			"2026-06-10;USD;4,5286\r\n",
		"?currency=USD&from=2026-06-10&to=2026-06-10&delimiter=tab": "date\tcurrency\trate\r\n" +
			"2026-06-10\tUSD\t4.5286\r\n",
	} {
		reply := askRates(t, query)
		if reply.Status != 200 {
			t.Errorf("%s: %v", query, reply.Problem)
			continue
		}
		if got := string(reply.Document.JSON); got != want || reply.Document.File.Type[0] != op.CSVType {
			t.Errorf("%s: got %q as %s, want %q", query, got, reply.Document.File.Type, want)
		}
		if reply.Cost != 0 || reply.ETag() == "" {
			t.Errorf("%s: cost %d, tag %q", query, reply.Cost, reply.ETag())
		}
	}

	named := askRates(t, "?currency=EUR&from=2005-01-03&to=2026-06-12").Document.File.Disposition[0]
	if want := `attachment; filename="EUR-2005-01-03-2026-06-12.csv"`; named != want {
		t.Errorf("the file is %s, want %s", named, want)
	}
}

func TestRateHistoryAsCSVRefuses(t *testing.T) {
	for query, says := range map[string]string{
		"":                              "currency",
		"?currency=RON":                 "convert_currency",
		"?currency=XXX":                 "never published XXX",
		"?currency=EUR&from=2005-01-02": "before the first fixing",
		"?currency=EUR&from=2026-06-12&to=2026-06-10": "2026-06-10",
		"?currency=EUR&delimiter=x":                   "delimiter",
	} {
		if reply := askRates(t, query); reply.Status != 400 || !strings.Contains(reply.Problem.Detail, says) {
			t.Errorf("%s: %d %v, want a 400 that says %q", query, reply.Status, reply.Problem, says)
		}
	}

	if reply := get(t, "/v1/fx-rates/history?currency=EUR&delimiter=%3B"); reply.Status != 400 ||
		reply.Problem.Errors[0].Code != problem.Conflict {
		t.Errorf("a delimiter of JSON: %d %v", reply.Status, reply.Problem)
	}
}

// everyDay has a fixing of EUR on each of the days since the first one.
func everyDay() (all fakeFixings) {
	for day := ro.NewDate(2005, 1, 3); day <= ro.NewDate(2026, time.November, 20); day++ {
		all = append(all, rate.Fixing{Date: day, Rates: []rate.Rate{{Currency: "EUR",
			Rate: dec("4.0000").Times(dec("1.2345"))}}})
	}
	return all
}

func TestRateHistoryAsCSVHasAnyNumberOfDays(t *testing.T) {
	days := everyDay()
	ops := Operations(Registries{Fixings: days}, nil, system.About{})
	reply := gateway.Ask(t, gateway.New(t), ops, &op.Call{Media: "text/csv"},
		"/v1/fx-rates/history?currency=EUR&from=2005-01-03&to=2026-11-20")
	if reply.Status != 200 {
		t.Fatal(reply.Problem)
	}

	lines := strings.Split(strings.TrimSuffix(string(reply.Document.JSON), "\r\n"), "\r\n")
	if len(lines) != 1+len(days) || lines[1] != "2005-01-03,EUR,4.938" ||
		lines[len(lines)-1] != "2026-11-20,EUR,4.938" {
		t.Errorf("%d lines for %d days, from %s to %s", len(lines), len(days), lines[1], lines[len(lines)-1])
	}
}

func BenchmarkRateHistoryAsCSV(b *testing.B) {
	g := gateway.New(b)
	g.Anonymous.N, g.Anonymous.Burst = 1_000_000_000, 1_000_000_000
	o, _ := gateway.Find(Operations(Registries{Fixings: everyDay()[:5500]}, nil, system.About{}), "GET",
		"/v1/fx-rates/history")
	call := &op.Call{Media: "text/csv", Args: op.Args{{Name: "currency", Text: "EUR"},
		{Name: "from", Text: "2005-01-03"},
		{Name: "to", Text: "2026-11-20"}}}
	b.ReportAllocs()
	for b.Loop() {
		if reply := g.Do(b.Context(), o.ForMedia("text/csv"), call); reply.Status != 200 {
			b.Fatal(reply.Problem)
		}
	}
}
