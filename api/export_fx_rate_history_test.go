package api

import (
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

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
