package blackbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	registered "github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/verdict"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// shownBadge is a badge of a company in a list.
type shownBadge struct{ Fact, Kind, Text string }

// rulesOfFact are the rules behind the badges. If the first one does not fail, the last one decides.
var rulesOfFact = map[string][]verdict.RuleID{
	"state": {"existed_on_date", "in_operation"}, "insolvency": {"not_insolvent"}, "inactive": {"not_inactive"},
	"vat": {"vat_registered"}, "vatOnCollection": {"vat_deductible_at_once"}, "seat": {"seat_valid"},
}

// The badges of watch-lists and search results follow the verdict of today, for all companies of the sandbox. A
// watch-list knows as much as the verdict; a search does not ask the tax authority.
func TestBadgesFollowTheVerdict(t *testing.T) {
	g := start(t, func(g *gateway) { g.sell(1000) }, looking(t), withTradeRegister(t))
	g.loaded(t)
	cookie := g.signUp(t, "ana@exemplu.example", "exemplu de parola lunga")
	invented, err := standin.Companies()
	testkit.NoError(t, err)

	verdicts, items := make(map[string]verdict.Verdict), make([]object, len(invented))
	for i := range invented {
		cui := invented[i].CUI.String()
		var v verdict.Verdict
		testkit.NoError(t, json.Unmarshal(g.get(t, "/v1/companies/"+cui+"/verdict").body, &v))
		verdicts[cui], items[i] = v, object{"taxId": cui}
	}

	g.checkShortVerdicts(t, verdicts)
	watched := g.watchedBadges(t, cookie, items)
	if got := g.get(t, "/dashboard/watchlists/default/companies"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("a watch-list without a session: %d %s", got.StatusCode, got.body)
	}

	found := g.foundBadges(t)
	counts := make(map[string]int)
	for cui, v := range verdicts {
		for _, b := range watched[cui] {
			if rule := decisive(t, v, b.Fact); rule != nil && b.Kind != kindOf(rule) {
				t.Errorf("%s in a watch-list: %s, and the verdict: %s %s", cui, b, rule.ID, rule.Result)
			}
			counts["watched "+b.Kind]++
		}

		for _, b := range found[cui] {
			if rule := decisive(t, v, b.Fact); b.Kind != kindOf(rule) && b.Kind != "unknown" {
				t.Errorf("%s in a search: %s, and the verdict: %s %s", cui, b, rule.ID, rule.Result)
			}
			counts["found "+b.Kind]++
		}

		for i := range v.Rules {
			rule := &v.Rules[i]
			if !rule.IsBad() || rule.ID == "exists" {
				continue
			}
			if !hasBad(watched[cui], rule.ID) {
				t.Errorf("%s has no bad badge in a watch-list, but %s fails: %v", cui, rule.ID, watched[cui])
			}
			if *rule.Source == "onrc" && !hasBad(found[cui], rule.ID) && rule.ID != "seat_valid" {
				t.Errorf("%s has no bad badge in a search, but %s fails: %v", cui, rule.ID, found[cui])
			}
		}
	}

	t.Log(len(found), counts)
	for _, kind := range []string{"watched bad", "watched unknown", "watched neutral", "found bad"} {
		if counts[kind] == 0 {
			t.Errorf("no badge is %s: %v", kind, counts)
		}
	}
	if n := counts["watched good"] + counts["found good"]; n > 0 {
		t.Errorf("%d badges in lists are good", n)
	}
}

// checkShortVerdicts verifies that the view of verdicts of a batch agrees with the verdicts on its companies.
func (g *gateway) checkShortVerdicts(t *testing.T, verdicts map[string]verdict.Verdict) {
	t.Helper()
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(verdicts)), 100) {
		body, err := json.Marshal(object{"taxIds": ids, "view": "verdict"})
		testkit.NoError(t, err)

		got := g.do(t, "POST", "/v1/companies/batch",
			request{body: string(body), header: map[string]string{"Content-Type": "application/json"}})
		var batch struct {
			Items []struct {
				Company struct {
					TaxID   json.Number
					Name    string
					Verdict registered.Verdict
				}
			}
		}
		if err := json.Unmarshal(got.body, &batch); err != nil || len(batch.Items) != len(ids) {
			t.Fatalf("%d %s", got.StatusCode, got.body)
		}

		for i, item := range batch.Items {
			want := registered.Verdict{Outcome: verdicts[ids[i]].Outcome, Failed: []string{}, Unknown: []string{},
				Reasons: item.Company.Verdict.Reasons}
			for _, rule := range verdicts[ids[i]].Rules {
				switch {
				case rule.Result == verdict.Fail && rule.Level != verdict.Info:
					want.Failed = append(want.Failed, string(rule.ID))
				case rule.Result == verdict.Unknown && rule.Level == verdict.Stop:
					want.Unknown = append(want.Unknown, string(rule.ID))
				}
			}
			if c := item.Company; c.TaxID.String() != ids[i] || c.Name == "" || !reflect.DeepEqual(c.Verdict, want) {
				t.Errorf("%s in a batch: %+v, want %+v", ids[i], c, want)
			}
		}
	}
}

// decisive returns the rule behind a badge of a fact; nil for a fact of the list itself.
func decisive(t *testing.T, v verdict.Verdict, fact string) *verdict.Finding {
	t.Helper()
	ids, ok := rulesOfFact[fact]
	if !ok {
		t.Errorf("%s: the badge %q has no rule", v.TaxID, fact)
		return nil
	}

	var found *verdict.Finding
	for i := range v.Rules {
		if slices.Contains(ids, v.Rules[i].ID) && (found == nil || found.Result != verdict.Fail) {
			found = &v.Rules[i]
		}
	}

	return found
}

// kindOf returns the kind of a rule's badge in a list, in which a favourable fact is neutral.
func kindOf(rule *verdict.Finding) string {
	switch {
	case rule.Result == verdict.Fail && rule.Level != verdict.Info:
		return "bad"
	case rule.Result == verdict.Unknown:
		return "unknown"
	}

	return "neutral"
}

func hasBad(badges []shownBadge, rule verdict.RuleID) bool {
	return slices.ContainsFunc(badges, func(b shownBadge) bool {
		return b.Kind == "bad" && slices.Contains(rulesOfFact[b.Fact], rule)
	})
}

// watchedBadges watches companies, and returns their badges once all are checked.
func (g *gateway) watchedBadges(t *testing.T, cookie string, items []object) map[string][]shownBadge {
	t.Helper()
	body, err := json.Marshal(object{"items": items})
	testkit.NoError(t, err)

	header := map[string]string{"Cookie": cookie, "Origin": g.url, "Content-Type": "application/json"}
	added := g.do(t, "POST", "/v1/watchlists/default/companies", request{body: string(body), header: header})
	if added.StatusCode != http.StatusOK {
		t.Fatalf("watching: %d %s", added.StatusCode, added.body)
	}

	all := make(map[string][]shownBadge)
	testkit.Until(t, "all companies are checked", func() bool {
		clear(all)
		for offset := 0; offset < len(items); offset += 100 {
			path := fmt.Sprintf("/dashboard/watchlists/default/companies?limit=100&offset=%d", offset)
			got := g.do(t, "GET", path, request{header: header})
			var page struct {
				Items []struct {
					TaxID  json.Number
					State  string
					Badges []shownBadge
				}
			}
			if err := json.Unmarshal(got.body, &page); err != nil || got.StatusCode != http.StatusOK {
				t.Fatalf("%d %s", got.StatusCode, got.body)
			}

			for _, item := range page.Items {
				if item.State == "found" {
					all[item.TaxID.String()] = item.Badges
				}
			}
		}

		return len(all) == len(items)
	})
	return all
}

var (
	listedCompany = regexp.MustCompile(`<div class="row"><a href="/companies/(\d+)">.*?</div>`)
	listedBadge   = regexp.MustCompile(`<span class="badge (\w+)" data-fact="(\w+)">(.*?)</span>`)
)

// foundBadges returns the badges of all companies in the results of a search.
func (g *gateway) foundBadges(t *testing.T) map[string][]shownBadge {
	t.Helper()
	all := make(map[string][]shownBadge)
	states := strings.Join(registered.StateRegistration("").Schema().Enum, ",")
	for page := 1; ; page++ {
		body := string(g.get(t, fmt.Sprintf("/companies?state=%s&sort=taxId&page=%d", states, page)).body)
		rows := listedCompany.FindAllStringSubmatch(body, -1)
		for _, row := range rows {
			for _, b := range listedBadge.FindAllStringSubmatch(row[0], -1) {
				all[row[1]] = append(all[row[1]], shownBadge{Kind: b[1], Fact: b[2], Text: b[3]})
			}
		}

		if !strings.Contains(body, fmt.Sprintf("page=%d&amp;", page+1)) {
			return all
		}
	}
}
