package blackbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit/standin"
)

// The paths of the tax authority's registers.
const (
	farmersPath    = "/RegAgric/api/v2/ws/agric"
	nonProfitsPath = "/RegCult/api/v2/ws/cult"
	eInvoicesPath  = "/api/registruroefactura/v1/interogare"
)

// farmer is a company that is a farmer, and not a non-profit.
func farmer(t *testing.T) standin.Company {
	t.Helper()
	companies, err := standin.Companies()
	if err != nil {
		t.Fatal(err)
	}

	i := slices.IndexFunc(companies, func(c standin.Company) bool {
		return c.Farmer.From != 0 && c.Farmer.To == 0 && c.NonProfit.From == 0
	})
	return companies[i]
}

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

func TestRegistersOfACompany(t *testing.T) {
	g := start(t, func(g *gateway) { g.upstream("anaf")["pace"] = "10ms" })
	who := farmer(t)
	path := "/v1/companies/" + who.CUI.String() + "?include=registers"
	for _, want := range []string{"MISS", "HIT"} {
		res := g.get(t, path)
		c := res.object(t)
		if part(t, c, "registers", "farmers", "registered") != true ||
			part(t, c, "registers", "farmers", "from") != who.Farmer.From.String() ||
			part(t, c, "registers", "nonProfits", "registered") != false ||
			part(t, c, "registers", "eInvoice", "registered") != (who.EInvoice != 0) ||
			res.Header.Get("x-cache") != want {
			t.Errorf("%s: %v", res.Header.Get("x-cache"), c["registers"])
		}

		if sources := sourcesOf(c); sources != "anaf "+want+", anaf-farmers "+want+", anaf-nonprofits "+want+
			", anaf-efactura "+want {
			t.Errorf("sources: %s", sources)
		}
	}

	for _, path := range []string{farmersPath, nonProfitsPath, eInvoicesPath} {
		if n := g.registries.ANAF.RequestsTo(path); n != 1 {
			t.Errorf("%d requests to %s", n, path)
		}
	}

	before := (who.Farmer.From - 1).String()
	c := g.get(t, path+"&date="+before).object(t)
	if part(t, c, "registers", "farmers", "registered") != false || c["statusDate"] != before {
		t.Errorf("before its registration: %v", c)
	}

	tool := g.do(t, "POST", "/mcp", toolCallOf("", "get_company",
		`{"cui":"`+who.CUI.String()+`","include":"registers"}`)).outcome(t)
	if part(t, tool.StructuredContent, "registers", "farmers", "registered") != true {
		t.Errorf("the tool: %v", tool.StructuredContent)
	}
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
	if err != nil {
		t.Fatal(err)
	}

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
