package siruta

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
)

func TestTheGazetteerIsWhole(t *testing.T) {
	r := Load()
	if len(r.counties) != 42 {
		t.Errorf("%d counties, want 42", len(r.counties))
	}
	count := map[api.PlaceType]int{}
	for _, p := range r.places {
		count[p.Type]++
		switch unit, ok := r.bySIRUTA[p.unit]; {
		case !ok:
			t.Errorf("%s (%d) belongs to nothing", p.Name, p.ID)
		case r.places[unit].CountyID != p.CountyID:
			t.Errorf("%s (%d) belongs to a unit of another county", p.Name, p.ID)
		case r.places[unit].unit != p.unit:
			t.Errorf("%s (%d) belongs to what is no unit", p.Name, p.ID)
		}
		if p.Name == "" || p.Slug == "" || strings.Trim(p.Slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("place %d has the name %q and the slug %q", p.ID, p.Name, p.Slug)
		}
	}
	if len(r.places) != 13859 || len(r.bySIRUTA) != 13859 {
		t.Errorf("%d places with %d codes, want 13859", len(r.places), len(r.bySIRUTA))
	}
	for kind, want := range map[api.PlaceType]int{api.Municipality: 103, api.Town: 216, api.Commune: 2862, api.Sector: 6, api.Village: 10672} {
		if count[kind] != want {
			t.Errorf("%d places are a %s, want %d", count[kind], kind, want)
		}
	}
	if strings.ContainsAny(embedded, "şţŞŢ") {
		t.Error("a name holds a cedilla")
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

// TestTaxAuthorityCodes: within a county a code is one place's, but for 97 seats
// that are named or spelled otherwise than what they are the seat of (all but
// Roșiori de Vede are communes), and share their code with it.
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

func TestTextsThatCannotBeReadAreRefused(t *testing.T) {
	const county = "J\t1\tXX\t10\tExemplu\n"
	for name, text := range map[string]string{
		"four fields":         "J\t1\tXX\t10\n",
		"county number":       "J\tone\tXX\t10\tExemplu\n",
		"county's SIRUTA":     "J\t1\tXX\tten\tExemplu\n",
		"place before county": "M\t100\tExemplu\t1\t\n",
		"unknown kind":        county + "X\t100\tExemplu\t1\t\n",
		"SIRUTA":              county + "M\thundred\tExemplu\t1\t\n",
		"code":                county + "M\t100\tExemplu\tone\t\n",
		"second code":         county + "M\t100\tExemplu\t1\ttwo\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := read(text); err == nil {
				t.Error("no error")
			}
		})
	}
}
