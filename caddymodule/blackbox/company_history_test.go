package blackbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/upstream/upstreamtest"
)

// member follows names into an object; nil if one is absent.
func member(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		o, ok := v.(object)
		if !ok {
			return nil
		}

		v = o[name]
	}

	return v
}

// The table of docs/history.md: what was known of a company whose VAT registration was cancelled retroactively, and the
// register's current data. Both channels give the same answers.
func TestStatusAsKnownOnPastDays(t *testing.T) {
	g := start(t)
	all := companies(t)
	for _, path := range all[12:14] { // one lists its periods oldest first, one newest first
		for _, test := range []struct {
			day, known                  string
			vat, inactive, now, changed any
		}{
			{"2020-12-05", "", false, true, nil, nil},
			{"2020-12-20", "", false, false, nil, nil},
			{"2020-12-01", "", true, false, nil, nil},
			{"2020-12-05", "2020-12-05", true, false, false, true},
			{"2020-12-20", "2020-12-20", true, false, false, true},
			{"2020-12-20", "2020-12-29", false, false, false, false},
			{"2020-12-05", "2020-11-01", true, false, false, true}, // the expected values
		} {
			query := "?date=" + test.day
			arguments := fmt.Sprintf(`{"cui":%q,"date":%q}`, strings.TrimPrefix(path, "/v1/companies/"), test.day)
			if test.known != "" {
				query += "&knownAt=" + test.known
				arguments = strings.TrimSuffix(arguments, "}") + fmt.Sprintf(`,"knownAt":%q}`, test.known)
			}

			got := g.get(t, path+"/status"+query).object(t)
			if member(got, "vatPayer.value") != test.vat || member(got, "inactive.value") != test.inactive ||
				member(got, "now.vatPayer.value") != test.now || got["changedRetroactively"] != test.changed ||
				got["date"] != test.day {
				t.Errorf("%s%s: %v", path, query, got)
			}

			tool := g.do(t, "POST", "/mcp", toolCallOf("", "get_company_status", arguments)).object(t)
			if said := member(tool, "result.structuredContent"); member(said, "vatPayer.value") != test.vat ||
				member(said, "changedRetroactively") != test.changed {
				t.Errorf("the tool answers %v", tool)
			}
		}
	}
}

func TestHistoryOfCompany(t *testing.T) {
	g := start(t)
	path := companies(t)[12]
	page := g.get(t, path+"/history").object(t)
	facts := page["facts"].([]any)
	var vat []string
	for _, fact := range facts {
		if member(fact, "learnedAt") == nil || member(fact, "lostAt") != nil {
			t.Errorf("got %v", fact)
		}
		if member(fact, "field") == "vatPayer" {
			vat = append(vat, fmt.Sprint(member(fact, "validFrom"), " ", member(fact, "validTo"), " ",
				member(fact, "recordedOn")))
		}
	}

	if got := strings.Join(vat, ", "); got != "2021-01-13 <nil> <nil>, 2017-10-01 2020-12-02 2020-12-29" {
		t.Errorf("the registrations are %s", got)
	}

	first := g.get(t, path+"/history?limit=1").object(t)
	second := g.get(t, path+"/history?limit=1&cursor="+first["next"].(string)).object(t)
	if member(second["facts"].([]any)[0], "field") != member(facts[1], "field") {
		t.Errorf("the second page is %v", second)
	}
	if asked := g.registries.ANAF.Requests().Requests; asked != 1 {
		t.Errorf("the tax authority was asked %d times", asked)
	}
}

// While the tax authority is down, stored data is answered; other data is reported as missing.
func TestHistoryWhileDown(t *testing.T) {
	g := start(t)
	all := companies(t)
	today := g.get(t, all[12]+"/status").object(t)["date"].(string)
	g.registries.ANAF.Always(upstreamtest.Maintenance)
	if got := g.get(t, all[12]+"/history").object(t); len(got["facts"].([]any)) == 0 {
		t.Errorf("got %v", got)
	}

	for _, query := range []string{"?date=" + today + "&knownAt=" + today, "?date=2020-12-05&knownAt=2020-12-05",
		"?date=2020-12-05"} {
		got := g.get(t, all[12]+"/status"+query).object(t)
		if member(got, "vatPayer.value") != (query != "?date=2020-12-05") ||
			member(got, "vatPayer.basis") == "register" && !strings.Contains(query, today) {
			t.Errorf("%s: %v", query, got)
		}
	}

	for _, path := range []string{"/status", "/status?date=2020-12-05", "/history"} {
		if got := g.get(t, all[13]+path); got.StatusCode < http.StatusInternalServerError ||
			!strings.Contains(string(got.body), "the tax authority (ANAF)") {
			t.Errorf("%s of a company that is not stored: %d", path, got.StatusCode)
		}
	}
}
