package standin_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// The registers of farmers and of non-profits have a record for every number. It says whether the number is registered
// on the day.
func TestEnrolments(t *testing.T) {
	r := start(t, standin.Options{})
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	type record struct {
		CUI      ro.CUI `json:"cui"`
		Name     string `json:"denumire"`
		Farmer   *bool  `json:"statusRegAgric"`
		Nonprof  *bool  `json:"statusRegCult"`
		FarmerTo string `json:"dataAnulareRegAgric"`
	}
	for path, of := range map[string]struct {
		period func(standin.Company) standin.Period
		status func(record) *bool
	}{
		"/RegAgric/api/v2/ws/agric": {func(c standin.Company) standin.Period { return c.Farmer },
			func(r record) *bool {
				return r.Farmer
			}},
		"/RegCult/api/v2/ws/cult": {func(c standin.Company) standin.Period { return c.NonProfit },
			func(r record) *bool {
				return r.Nonprof
			}},
	} {
		var registered, left, never int
		day := ro.NewDate(2026, 11, 23)
		items := []string{fmt.Sprintf(`{"cui":%d,"data":"%s"}`, standin.NumberUnknown, day)}
		for _, c := range companies {
			items = append(items, fmt.Sprintf(`{"cui":"%d","data":"%s"}`, c.CUI, day))
		}

		body := postTo(t, r.ANAF.URL+path, "["+strings.Join(items, ",")+"]", http.StatusOK)
		var answer struct {
			Code     int    `json:"cod"`
			Message  string `json:"message"`
			Found    []record
			NotFound []ro.CUI `json:"notFound"`
		}
		if err := json.Unmarshal(body, &answer); err != nil || answer.Code != 200 || answer.Message != "SUCCESS" ||
			len(answer.Found) != len(companies)+1 || len(answer.NotFound) != 0 {
			t.Fatalf("%s: %.300s, %v", path, body, err)
		}
		if first := answer.Found[0]; first.Name != "" || of.status(first) == nil || *of.status(first) {
			t.Errorf("%s: an unknown number is %+v", path, first)
		}

		for i, c := range companies {
			found, period := answer.Found[i+1], of.period(c)
			holds := period.From != 0 && period.From <= day && (period.To == 0 || day < period.To)
			if *of.status(found) != holds || (found.Name != "") != (period.From != 0) {
				t.Errorf("%s: %+v of %+v", path, found, period)
			}

			switch {
			case holds:
				registered++
			case period.From != 0:
				left++
			default:
				never++
			}
		}

		if registered == 0 || left == 0 || never == 0 {
			t.Errorf("%s: %d registered, %d left, %d never were", path, registered, left, never)
		}
		if n := r.ANAF.RequestsTo(path); n != 1 {
			t.Errorf("%s: %d requests", path, n)
		}

		items = make([]string, 501)
		for i := range items {
			items[i] = fmt.Sprintf(`{"cui":%d,"data":"2026-11-23"}`, 9900000010+i)
		}

		postTo(t, r.ANAF.URL+path, "["+strings.Join(items, ",")+"]", http.StatusBadRequest)
		postTo(t, r.ANAF.URL+path, "["+strings.Join(items[1:], ",")+"]", http.StatusOK)
	}
}

// postTo sends a request to an address. It checks the status of the answer, and returns its body.
func postTo(t *testing.T, url, body string, status int) []byte {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	testkit.NoError(t, err)
	defer res.Body.Close()

	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		t.Fatalf("%s: %d %.200s, %v", url, res.StatusCode, answer, err)
	}

	return answer
}
