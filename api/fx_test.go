package api

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

func TestExchangeRates(t *testing.T) {
	const bnr = `"target":"RON","source":"BNR"`
	const bnrGram = `"target":"RON","unit":"gram","source":"BNR"`
	for _, c := range []struct {
		name, target string
		status       int
		body         string
	}{
		{"a day", "/v1/fx-rates?date=2026-06-10", 200,
			`{"date":"2026-06-10","requestedDate":"2026-06-10",` + bnr +
				`,"items":[{"currency":"EUR","rate":5.2344},{"currency":"HUF","rate":0.01442},{"currency":"USD","rate":4.5286},{"currency":"XAU","rate":605.1234,"unit":"gram"}]}`},
		{"a day without a fixing", "/v1/fx-rates?date=2026-06-11&currency=usd", 200,
			`{"date":"2026-06-10","requestedDate":"2026-06-11",` + bnr +
				`,"items":[{"currency":"USD","rate":4.5286}]}`},
		{"for an invoice", "/v1/fx-rates?date=2026-06-12&currency=USD&basis=invoice", 200,
			`{"date":"2026-06-10","requestedDate":"2026-06-12",` + bnr +
				`,"items":[{"currency":"USD","rate":4.5286}]}`},
		{"some not quoted", "/v1/fx-rates?date=2026-06-10&currency=HRK,USD,EUR", 200,
			`{"date":"2026-06-10","requestedDate":"2026-06-10",` + bnr +
				`,"items":[{"currency":"EUR","rate":5.2344},{"currency":"USD","rate":4.5286}],"notQuoted":["HRK"]}`},
		{"none quoted", "/v1/fx-rates?date=2026-06-10&currency=HRK", 404, "HRK was last published on 2022-12-30"},
		{"before the archive", "/v1/fx-rates?date=2010-01-04", 400, "no fixing was published before 2010-01-04"},
		{"the day that stands for none", "/v1/fx-rates?date=0001-01-01", 400, "no such day"},
		{"a history", "/v1/fx-rates/history?currency=eur&from=2026-06-09&to=2026-06-30", 200,
			`{"currency":"EUR",` + bnr +
				`,"from":"2026-06-09","to":"2026-06-30","items":[{"date":"2026-06-10","rate":5.2344},{"date":"2026-06-12","rate":5.24}]}`},
		{"a history in the future", "/v1/fx-rates/history?currency=EUR&from=2998-06-09&to=2998-06-30", 200,
			`{"currency":"EUR",` + bnr + `,"from":"2998-06-09","to":"2998-06-30","items":[]}`},
		{"a leap year", "/v1/fx-rates/history?currency=EUR&from=2024-01-01&to=2025-01-01", 200,
			`{"currency":"EUR",` + bnr + `,"from":"2024-01-01","to":"2025-01-01","items":[]}`},
		{"a day too many", "/v1/fx-rates/history?currency=EUR&from=2024-01-01&to=2025-01-02", 400,
			"the earliest from is 2024-01-02"},
		{"default range", "/v1/fx-rates/history?currency=EUR&to=2026-06-12", 200,
			`{"currency":"EUR",` + bnr +
				`,"from":"2026-05-13","to":"2026-06-12","items":[{"date":"2026-06-10","rate":5.2344},{"date":"2026-06-12","rate":5.24}]}`},
		{"cross rate", "/v1/fx-rates/convert?amount=2500&from=EUR&to=USD&date=2026-06-10", 200,
			`{"amount":2500,"from":"EUR","to":"USD","date":"2026-06-10","rate":1.155854,"result":2889.6348,"source":"BNR"}`},
		{"into lei", "/v1/fx-rates/convert?amount=-0.10&from=EUR&to=RON&date=2026-06-10", 200,
			`{"amount":-0.1,"from":"EUR","to":"RON","date":"2026-06-10","rate":5.2344,"result":-0.5234,"source":"BNR"}`},
		{"out of lei", "/v1/fx-rates/convert?amount=100&from=RON&to=HUF&date=2026-06-10", 200,
			`{"amount":100,"from":"RON","to":"HUF","date":"2026-06-10","rate":69.348128,"result":6934.8128,"source":"BNR"}`},
		{"a tiny rate", "/v1/fx-rates/convert?amount=1&from=HUF&to=XAU&date=2026-06-10", 200,
			`{"amount":1,"from":"HUF","to":"XAU","date":"2026-06-10","rate":0.0000238299,"result":0.00002383,"unit":"gram","source":"BNR"}`},
		{"gold is a gram", "/v1/fx-rates/convert?amount=2&from=XAU&to=RON&date=2026-06-10", 200,
			`{"amount":2,"from":"XAU","to":"RON","date":"2026-06-10","rate":605.1234,"result":1210.2468,"unit":"gram","source":"BNR"}`},
		{"rate of a gram", "/v1/fx-rates?currency=XAU,EUR&date=2026-06-10", 200,
			`{"date":"2026-06-10","requestedDate":"2026-06-10",` + bnr +
				`,"items":[{"currency":"EUR","rate":5.2344},{"currency":"XAU","rate":605.1234,"unit":"gram"}]}`},
		{"history of a gram", "/v1/fx-rates/history?currency=XAU&from=2026-06-09&to=2026-06-30", 200,
			`{"currency":"XAU",` + bnrGram + `,"from":"2026-06-09","to":"2026-06-30","items":[{"date":"2026-06-10","rate":605.1234}]}`},
		{"the same", "/v1/fx-rates/convert?amount=7.77&from=EUR&to=EUR&date=2026-06-10", 200,
			`{"amount":7.77,"from":"EUR","to":"EUR","date":"2026-06-10","rate":1,"result":7.77,"source":"BNR"}`},
		{"lei into lei", "/v1/fx-rates/convert?amount=7.77&from=RON&to=RON&date=2026-06-10", 200,
			`{"amount":7.77,"from":"RON","to":"RON","date":"2026-06-10","rate":1,"result":7.77,"source":"BNR"}`},
		{"not quoted", "/v1/fx-rates/convert?amount=1&from=HRK&to=EUR&date=2026-06-10", 404,
			"HRK was last published on 2022-12-30"},
		{"not quoted, and the bank is down", "/v1/fx-rates/convert?amount=1&from=SKK&to=EUR&date=2026-06-10", 404,
			"cannot be determined right now"},
		{"conversion for an invoice", "/v1/fx-rates/convert?amount=1&from=EUR&to=RON&date=2026-06-12&basis=invoice",
			200,
			`{"amount":1,"from":"EUR","to":"RON","date":"2026-06-10","rate":5.2344,"result":5.2344,"source":"BNR"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := get(t, c.target)
			if reply.Status != c.status {
				t.Fatalf("status %d, want %d: %v", reply.Status, c.status, reply.Problem)
			}

			if c.status == 200 {
				if got := string(reply.Document.JSON); got != c.body {
					t.Errorf("got  %s\nwant %s", got, c.body)
				}
			} else if !strings.Contains(reply.Problem.Detail, c.body) {
				t.Errorf("detail %q, want %q in it", reply.Problem.Detail, c.body)
			}
		})
	}
}

func TestCurrenciesWithoutARateSayWhenTheyHadOne(t *testing.T) {
	for target, want := range map[string]string{
		"/v1/fx-rates?date=2026-06-10&currency=HRK":                     `"lastQuoted":[{"currency":"HRK","date":"2022-12-30"}]`,
		"/v1/fx-rates/convert?amount=1&from=HRK&to=EUR&date=2026-06-10": `"lastQuoted":[{"currency":"HRK","date":"2022-12-30"}]`,
	} {
		if text := string(get(t, target).Problem.JSON("")); !strings.Contains(text, want) {
			t.Errorf("%s: %s", target, text)
		}
	}

	unknown := get(t, "/v1/fx-rates/convert?amount=1&from=SKK&to=EUR&date=2026-06-10").Problem // the bank is down
	if text := string(unknown.JSON("")); strings.Contains(text, "lastQuoted") {
		t.Errorf("an unknown day: %s", text)
	}
}

func TestLatestFixingIsAskedForToday(t *testing.T) {
	reply := get(t, "/v1/fx-rates?currency=EUR")
	want := `{"date":"2026-06-12","requestedDate":"` + ro.Today().String() + `",`
	if got := string(reply.Document.JSON); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s...", got, want)
	}
}

func BenchmarkConvertCurrency(b *testing.B) {
	ops := newOperations()
	g := gateway.New(b)
	g.Anonymous.N, g.Anonymous.Burst = 1_000_000_000, 1_000_000_000
	o, _ := gateway.Find(ops, "GET", "/v1/fx-rates/convert")
	call := &op.Call{Args: op.Args{{Name: "amount", Text: "2500"}, {Name: "from", Text: "EUR"},
		{Name: "to", Text: "USD"},
		{Name: "date", Text: "2026-06-10"}}}
	b.ReportAllocs()
	for b.Loop() {
		if reply := g.Do(b.Context(), o, call); reply.Status != 200 {
			b.Fatal(reply.Problem)
		}
	}
}
