package blackbox

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit/standin"
)

// retroactive is a company whose VAT registration was cancelled on 2020-12-29 with effect from 2020-12-02, and which
// was inactive from then to 2020-12-18.
func retroactive(t *testing.T) standin.Company {
	t.Helper()
	companies, err := standin.Companies()
	if err != nil {
		t.Fatal(err)
	}

	return companies[13]
}

// pastStatuses are its statuses in the register now, by day.
var pastStatuses = map[string]struct{ vatPayer, inactive bool }{
	"2017-09-30": {false, false},
	"2017-10-01": {true, false},
	"2020-12-01": {true, false},
	"2020-12-02": {false, true}, // ends are exclusive
	"2020-12-05": {false, true},
	"2020-12-17": {false, true},
	"2020-12-18": {false, false},
	"2020-12-20": {false, false},
	"2021-01-13": {true, false},
}

// checkStatuses checks a profile on a day.
func checkStatuses(t *testing.T, channel, day string, profile object) {
	t.Helper()
	want := pastStatuses[day]
	inactive, _ := profile["inactive"].(object)
	basis, _ := profile["asOfBasis"].(object)
	if profile["statusDate"] != day || profile["vatPayer"] != want.vatPayer || inactive["status"] != want.inactive ||
		basis["vatPayer"] != "register" || basis["inactive"] != "register" || len(profile["vatPeriods"].([]any)) != 2 {
		t.Errorf("%s, %s: %v", channel, day, profile)
	}
	if (profile["vatSince"] != nil) != want.vatPayer {
		t.Errorf("%s, %s: since %v", channel, day, profile["vatSince"])
	}
}

// TestDaysInThePast verifies the statuses of a day through every channel, for a credit each, and one request per
// company and day.
func TestDaysInThePast(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 1000), func(g *gateway) { g.upstream("anaf")["pace"] = "10ms" })
	id, days := retroactive(t).CUI.String(), 0
	for day := range pastStatuses {
		days++
		cold := w.get(t, g, "/v1/companies/"+id+"?date="+day)
		checkStatuses(t, "REST", day, cold.object(t))
		stored := w.get(t, g, "/v1/companies/"+id+"?date="+day)
		if cold.Header.Get("x-cache") != "MISS" || stored.Header.Get("x-cache") != "HIT" ||
			stored.Header.Get("x-credits-cost") != "1" {
			t.Errorf("%s: %v, then %v", day, cold.Header, stored.Header)
		}

		checkStatuses(t, "REST, stored", day, stored.object(t))

		o := g.do(t, "POST", "/mcp", toolCallOf(w.key, "get_company", `{"cui":"`+id+`","date":"`+day+`"}`)).outcome(t)
		checkStatuses(t, "tool", day, o.StructuredContent)
	}

	if n := g.registries.ANAF.Requests().Requests; n != days {
		t.Errorf("%d requests for %d days", n, days)
	}
	if used := w.used(t, g); used != 3*days {
		t.Errorf("%d credits are used for %d days, three times each", used, days)
	}

	// In a list, a company on each day and as of today are separate items.
	var items []string
	for day := range pastStatuses {
		items = append(items, fmt.Sprintf(`{"taxId":%s,"date":%q}`, id, day))
	}

	body := `{"items":[` + strings.Join(items, ",") + `,{"taxId":` + id + `}],"view":"%s"}`
	full := g.do(t, "POST", batchPath, request{header: w.header(), body: fmt.Sprintf(body, "full")})
	b := full.batch(t)
	for _, item := range b.Items[:days] {
		checkStatuses(t, "batch", item.Date, item.Company)
	}
	if last := b.Items[days].Company; last["statusDate"] != nil || last["asOfBasis"] != nil ||
		full.Header.Get("x-credits-cost") != fmt.Sprint(days+1) {
		t.Errorf("as of today: %v, %v", last, full.Header)
	}

	for _, item := range g.do(t, "POST", batchPath,
		request{header: w.header(), body: fmt.Sprintf(body, "summary")}).batch(t).Items[:days] {
		if item.Company["statusDate"] != item.Date || item.Company["vatPayer"] != pastStatuses[item.Date].vatPayer {
			t.Errorf("summary: %+v", item)
		}
	}

	header := w.header()
	header["Accept"] = "text/csv"
	table := g.do(t, "POST", batchPath, request{header: header, body: fmt.Sprintf(body, "summary")})
	rows, err := csv.NewReader(bytes.NewReader(table.body)).ReadAll()
	if err != nil || len(rows) != days+2 {
		t.Fatalf("%v %q", err, rows)
	}
	date, vatPayer := slices.Index(rows[0], "date"), slices.Index(rows[0], "vatPayer")
	for _, row := range rows[1 : days+1] {
		if row[vatPayer] != fmt.Sprint(pastStatuses[row[date]].vatPayer) {
			t.Errorf("table: %q", row)
		}
	}
}
