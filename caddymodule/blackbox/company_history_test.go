package blackbox

import (
	"fmt"
	"strings"
	"testing"
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
func statusAsKnown(t *testing.T, g *gateway) {
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
