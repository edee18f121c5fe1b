package blackbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// With the option, the sitemap lists exactly the companies that are in operation according to the trade register.
func TestSitemap(t *testing.T) {
	g := start(t, withTradeRegister(t), func(g *gateway) { handler(g.config, "rodata_site")["sitemap"] = "companies" })
	g.loaded(t)

	states, want := map[string]string{}, map[string]bool{}
	through := ""
	for offset := 0; ; offset += 100 {
		page := g.get(t, fmt.Sprintf("/v1/companies?sortBy=taxId&limit=100&offset=%d", offset)).object(t)
		items := page["items"].([]any)
		if len(items) == 0 {
			break
		}

		through = page["dataThrough"].(string)
		for _, item := range items {
			company := item.(object)
			if company["taxId"] == nil {
				continue
			}

			address := fmt.Sprintf("%s/companies/%.0f", g.url, company["taxId"])
			state := company["stateRegistration"].(string)
			states[address] = state
			if state == "in_operation" {
				want[address] = true
			}
		}
	}

	if kinds := slices.Compact(slices.Sorted(maps.Values(states))); len(want) < 100 ||
		!slices.Contains(kinds, "struck_off") {
		t.Fatalf("the register has %d companies in operation, and the states %v", len(want), kinds)
	}

	index := string(g.get(t, "/sitemap.xml").body)
	if !strings.Contains(index, "<loc>"+g.url+"/sitemaps/companies-1.xml</loc><lastmod>"+through+"</lastmod>") {
		t.Fatalf("the index does not list the companies: %s", index)
	}

	listed := string(g.get(t, "/sitemaps/companies-1.xml").body)
	for address, state := range states {
		if got := strings.Contains(listed, "<loc>"+address+"</loc>"); got != want[address] {
			t.Errorf("%s, %s, is listed: %t", address, state, got)
		}
	}

	if n := strings.Count(listed, "<url>"); n != len(want) || !strings.HasSuffix(listed, "</urlset>\n") {
		t.Errorf("%d companies are listed, not %d", n, len(want))
	}
}
