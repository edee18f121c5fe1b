package blackbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// The paths of the tax authority's registers.
const (
	farmersPath    = "/RegAgric/api/v2/ws/agric"
	nonProfitsPath = "/RegCult/api/v2/ws/cult"
	eInvoicesPath  = "/api/registruroefactura/v1/interogare"
)

// part is a part of an embedded part of a company.
func part(t *testing.T, company object, names ...string) any {
	t.Helper()
	var value any = company
	for _, name := range names {
		of, ok := value.(object)
		if !ok {
			t.Fatalf("no %v in %v", names, company)
		}

		value = of[name]
	}

	return value
}

// sourcesOf returns the names of a company's sources with their origins; a register that could not be queried has a
// dash.
func sourcesOf(company object) string {
	var all []string
	for _, s := range company["sources"].([]any) {
		s := s.(object)
		text := fmt.Sprintf("%s %s", s["name"], s["cache"])
		if s["retrievedAt"] == nil {
			text = fmt.Sprintf("%s -", s["name"])
		}

		all = append(all, text)
	}

	return strings.Join(all, ", ")
}

// A failing register is null in an otherwise complete profile, and is not queried again for a while.
func TestRegistersFailByThemselves(t *testing.T) {
	g := start(t, func(g *gateway) { g.upstream("anaf")["pace"] = "10ms" })
	companies, err := standin.Companies()
	testkit.NoError(t, err)

	g.registries.ANAF.AlwaysAt(nonProfitsPath, standin.WAF)
	for i := range 8 {
		c := g.get(t, "/v1/companies/"+companies[i].CUI.String()+"?include=registers").object(t)
		if got := part(t, c, "registers",
			"nonProfits"); fmt.Sprint(got) != "map[from:<nil> registered:<nil> to:<nil>]" {
			t.Errorf("non-profits: %v", got)
		}
		if part(t, c, "registers", "farmers", "registered") == nil || c["vatPayer"] == nil ||
			sourcesOf(c) != "anaf MISS, anaf-farmers MISS, anaf-nonprofits -, anaf-efactura MISS" {
			t.Errorf("%s: %v", sourcesOf(c), c["registers"])
		}
	}

	if n := g.registries.ANAF.RequestsTo(nonProfitsPath); n != 5 {
		t.Errorf("%d requests until it was left alone, want 5", n)
	}

	states := map[any]any{}
	for _, s := range g.get(t, "/v1/status").object(t)["sources"].([]any) {
		states[s.(object)["name"]] = s.(object)["state"]
	}
	if states["anaf"] != "ok" || states["anaf-farmers"] != "ok" || states["anaf-efactura"] != "ok" ||
		states["anaf-nonprofits"] != "down" {
		t.Errorf("states: %v", states)
	}
}
