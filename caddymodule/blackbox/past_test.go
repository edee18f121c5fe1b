package blackbox

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/upstreamtest"
)

// retroactive is a company whose VAT registration was cancelled on 2020-12-29 with effect from 2020-12-02, and which
// was inactive from then to 2020-12-18.
func retroactive(t *testing.T) upstreamtest.Company {
	t.Helper()
	companies, err := upstreamtest.Companies()
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

// TestDaysInThePast promises the statuses of a day through every channel, for a credit each, and one request per
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
	if err != nil || len(rows) != days+2 || rows[0][2] != "date" ||
		pastStatuses[rows[1][2]].vatPayer != (rows[1][len(rows[1])-3] == "true") {
		t.Errorf("%v %q", err, rows)
	}
}

// TestDropInAnswersThePast compares answers about days in the past with the registry's own,
// byte for byte, in each form of the protocol.
func TestDropInAnswersThePast(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 100))
	id := retroactive(t).CUI
	ask := func(path string, days ...string) answer {
		items := make([]string, len(days))
		for i, day := range days {
			items[i] = fmt.Sprintf(`{"cui":%d,"data":%q}`, id, day)
		}

		header := w.header()
		header["Content-Type"] = "application/json"
		return g.do(t, "POST", path, request{header: header, body: "[" + strings.Join(items, ",") + "]"})
	}
	sent := func(day string) []byte {
		res, err := http.Post(g.registries.ANAF.URL+taxpayersPath, "application/json",
			strings.NewReader(fmt.Sprintf(`[{"cui":%d,"data":%q}]`, id, day)))
		if err != nil {
			t.Fatal(err)
		}

		var theirs struct{ Found []json.RawMessage }
		if body := bodyOf(t, res); json.Unmarshal(body, &theirs) != nil || len(theirs.Found) != 1 {
			t.Fatalf("%s", body)
		}

		return theirs.Found[0]
	}

	first, second := sent("2020-12-01"), sent("2020-12-02")
	for range 2 {
		a := ask(taxpayersPath, "2020-12-01", "2020-12-02", "2020-12-01")
		want := `{"found":[` + string(first) + "," + string(second) + "," + string(first) + `],"notFound":[]}`
		if a.StatusCode != 200 || string(a.body) != want || a.Header.Get("x-credits-cost") != "2" {
			t.Errorf("got %d, %v\n%s\nwant\n%s", a.StatusCode, a.Header, a.body, want)
		}
	}

	if a := ask("/PlatitorTvaRest/api/v8/ws/tva", "2020-12-02"); !bytes.Contains(a.body, second) ||
		!bytes.HasPrefix(a.body, []byte(`{"cod":200`)) {
		t.Errorf("version 8: %d %s", a.StatusCode, a.body)
	}
	if a := ask(taxpayersPath, "1993-06-30"); a.StatusCode != 400 || !strings.Contains(string(a.body), "1993-07-01") {
		t.Errorf("too early: %d %s", a.StatusCode, a.body)
	}

	// The company has been in the register of e-Factura since 2022 or not at all.
	other := id
	for _, c := range allCompanies(t) {
		if c.EInvoice != 0 && c.EInvoice < api.Today() {
			other = c.CUI
			break
		}
	}

	for day, status := range map[string]int{"2022-06-30": 404, api.Today().String(): 200} {
		header := w.header()
		header["Content-Type"] = "application/json"
		a := g.do(t, "POST", "/api/registruroefactura/v1/interogare",
			request{header: header, body: fmt.Sprintf(`[{"cui":%d,"data":%q}]`, other, day)})
		if a.StatusCode != status {
			t.Errorf("RO e-Factura on %s: %d %s", day, a.StatusCode, a.body)
		}
	}
}

func allCompanies(t *testing.T) []upstreamtest.Company {
	t.Helper()
	companies, err := upstreamtest.Companies()
	if err != nil {
		t.Fatal(err)
	}

	return companies
}

// TestDaysShareARequest promises that a hundred companies, each on another day, take one request to the tax authority.
func TestDaysShareARequest(t *testing.T) {
	var w wallet
	g := start(t, paying(t, &w, 1000), func(g *gateway) { g.upstream("anaf")["pace"] = "1s" })
	w.get(t, g, companies(t)[0]) // so that the next request waits for the pace
	before := g.registries.ANAF.Requests().Requests
	var items []string
	for i, id := range numbers(t, 101)[1:] {
		items = append(items, fmt.Sprintf(`{"taxId":%s,"date":%q}`, id, api.NewDate(2024, 1, 1+i)))
	}

	a := g.do(t, "POST", batchPath, request{header: w.header(), body: `{"items":[` + strings.Join(items, ",") + `]}`})
	if b := a.batch(t); b.Found != 100 || a.Header.Get("x-credits-cost") != "100" {
		t.Errorf("%d found, %v", b.Found, a.Header)
	}
	if n := g.registries.ANAF.Requests().Requests - before; n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestPeriodsWhileTheRegisterIsDown promises answers about past days from a stored record while the tax authority
// cannot be asked.
func TestPeriodsWhileTheRegisterIsDown(t *testing.T) {
	g := start(t)
	path := "/v1/companies/" + retroactive(t).CUI.String()
	g.get(t, path)
	g.registries.ANAF.SetDown(true)
	for day, want := range map[string]bool{"2020-12-01": true, "2020-12-02": false, "2021-01-13": true} {
		profile := g.get(t, path+"?date="+day).object(t)
		basis, _ := profile["asOfBasis"].(object)
		if profile["vatPayer"] != want || profile["statusDate"] != day || basis["vatPayer"] != "periods" ||
			profile["vatOnCollection"] != nil && basis["vatOnCollection"] != "periods" {
			t.Errorf("%s: %v", day, profile)
		}
	}
}
