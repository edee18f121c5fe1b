package siruta

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
)

func TestGazetteerIsComplete(t *testing.T) {
	r := Load()
	if len(r.counties) != 42 {
		t.Errorf("%d counties, want 42", len(r.counties))
	}

	count := map[api.PlaceType]int{}
	for _, p := range r.places {
		count[p.Type]++
		switch unit, ok := r.bySIRUTA[p.unit]; {
		case !ok:
			t.Errorf("%s (%d) belongs to no unit", p.Name, p.ID)
		case r.places[unit].CountyID != p.CountyID:
			t.Errorf("%s (%d) belongs to a unit of another county", p.Name, p.ID)
		case r.places[unit].unit != p.unit:
			t.Errorf("%s (%d) belongs to a place that is not a unit", p.Name, p.ID)
		}

		if p.Name == "" || p.Slug == "" || strings.Trim(p.Slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("place %d has the name %q and the slug %q", p.ID, p.Name, p.Slug)
		}
	}

	if len(r.places) != 13859 || len(r.bySIRUTA) != 13859 {
		t.Errorf("%d places with %d codes, want 13859", len(r.places), len(r.bySIRUTA))
	}

	for kind, want := range map[api.PlaceType]int{api.Municipality: 103, api.Town: 216, api.Commune: 2862,
		api.Sector: 6, api.Village: 10672} {
		if count[kind] != want {
			t.Errorf("%d places are a %s, want %d", count[kind], kind, want)
		}
	}

	if strings.ContainsAny(countyTable+localityTable, "şţŞŢ\r\"") {
		t.Error("a table has a cedilla, a carriage return or a quotation mark")
	}
}

func TestCountyCodesAreUnique(t *testing.T) {
	r := Load()
	ids, plates, codes := map[int]bool{}, map[string]bool{}, map[int]bool{}
	for _, c := range r.counties {
		if ids[c.ID] || plates[c.Code] || codes[c.SIRUTACode] || c.ID != c.ANAFCode {
			t.Errorf("%+v shares a code", c)
		}
		if c.ID < 1 || c.ID > 40 && c.ID != 51 && c.ID != 52 {
			t.Errorf("%s has the number %d", c.Name, c.ID)
		}

		ids[c.ID], plates[c.Code], codes[c.SIRUTACode] = true, true, true
	}
}

// TestTaxAuthorityCodes promises that a code is unique within its county. The exceptions are 97 seats that share the
// code of their unit because their name or spelling differs from the unit's (all but Roșiori de Vede are communes).
func TestTaxAuthorityCodes(t *testing.T) {
	r := Load()
	type code struct{ county, anaf int }
	holders := map[code][]place{}
	without := 0
	for _, p := range r.places {
		if p.ANAFCode == nil {
			without++
			continue
		}

		c := code{p.CountyID, *p.ANAFCode}
		holders[c] = append(holders[c], p)
	}

	shared := 0
	for c, places := range holders {
		if len(places) == 1 {
			continue
		}

		shared++
		if unit, seat := places[0], places[1]; len(places) > 2 || unit.unit != unit.ID || seat.unit != unit.ID {
			t.Errorf("%v belongs to %d places, %s and %s among them", c, len(places), unit.Name, seat.Name)
		}
	}

	if shared != 97 || without != 59 {
		t.Errorf("%d codes are shared and %d places have none, want 97 and 59", shared, without)
	}
}

func TestInvalidTablesAreRejected(t *testing.T) {
	const (
		counties   = "id\tcode\tsiruta\tname\n"
		county     = counties + "1\tXX\t10\tExemplu\n"
		localities = "siruta\tparent\tkind\tname\tanaf_code\tanaf_alt\tdup\n"
	)
	if _, err := read(county, localities+
		"100\t10\ttown\tExemplu\t1\t\t\n101\t100\ttown_seat\tExempli\t\t2\t\n"); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct{ name, counties, localities, says string }{
		{"short row", counties + "1\tXX\t10\n", localities, "counties.tsv: line 2"},
		{"county number", counties + "one\tXX\t10\tExemplu\n", localities, `"one"`},
		{"county's SIRUTA", counties + "1\tXX\tten\tExemplu\n", localities, `"ten"`},
		{"other columns", county, "siruta\tparent\tkind\tname\tanaf_code\tanaf_alt\tno\n",
			"localities.tsv: the header"},
		{"orphan", county, localities + "100\t99\tvillage\tExemplu\t1\t\t\n", "100 does not follow 99"},
		{"unknown kind", county, localities + "100\t10\thamlet\tExemplu\t1\t\t\n", `"hamlet"`},
		{"SIRUTA", county, localities + "hundred\t10\ttown\tExemplu\t1\t\t\n", `"hundred"`},
		{"code", county, localities + "100\t10\ttown\tExemplu\tone\t\t\n", `"one"`},
		{"second code", county, localities + "100\t10\ttown\tExemplu\t1\ttwo\t\n", `"two"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := read(c.counties, c.localities); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %s", err, c.says)
			}
		})
	}
}
