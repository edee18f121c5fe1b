package blackbox

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/rodata/rodata/client"
)

// TestHistoryOfAllYearsInOneFile promises the same rates as the JSON of each year.
func TestHistoryOfAllYearsInOneFile(t *testing.T) {
	g := start(t)
	want := [][]string{{"date", "currency", "rate"}}
	for year := 2005; year <= 2026; year++ {
		first := max(fmt.Sprint(year, "-01-01"), "2005-01-03")
		answer := g.get(t, fmt.Sprintf("/v1/fx-rates/history?currency=HUF&from=%s&to=%d-12-31", first, year))
		var history client.RateHistory
		if err := json.Unmarshal(answer.body, &history); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%d: %d, %v, %s", year, answer.StatusCode, err, answer.body)
		}

		for _, rate := range history.Items {
			want = append(want, []string{rate.Date.String(), "HUF", rate.Rate.String()})
		}
	}

	file := g.do(t, "GET", "/v1/fx-rates/history?currency=HUF&from=2005-01-03&to=2026-12-31",
		request{header: map[string]string{"Accept": "text/csv"}})
	rows, err := csv.NewReader(bytes.NewReader(file.body)).ReadAll()
	if err != nil || file.StatusCode != http.StatusOK || fmt.Sprint(rows) != fmt.Sprint(want) || len(rows) < 1000 {
		t.Errorf("%d, %v: %d rows, want %d", file.StatusCode, err, len(rows), len(want))
	}
	if cost := file.Header.Get("x-credits-cost"); cost != "0" {
		t.Errorf("the file cost %s", cost)
	}
}
