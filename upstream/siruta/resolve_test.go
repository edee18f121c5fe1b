package siruta

import (
	"testing"

	"github.com/rodata/rodata/api/reference"
)

func TestResolve(t *testing.T) {
	r := Load()
	for _, c := range []struct {
		name         string
		county, code int
		text         string
		place        string
		siruta       int
	}{
		{"municipality", 35, 355, "Mun. Timişoara", "Timișoara", 155243},
		{"name alone", 35, 355, "TIMISOARA", "Timișoara", 155243},
		{"no space behind the dot", 35, 0, "Mun.Timişoara", "Timișoara", 155243},
		{"village that gives its commune the name", 3, 338, "Sat Lereşti Com. Lereşti", "Lerești", 0},
		{"sector", 40, 3, "Sector 3 Mun. Bucureşti", "Sector 3", 179169},
		{"sector with a useless code", 40, 179132, "Sector 1", "Sector 1", 179141},
		{"one of several, by its commune", 18, 0, "Sat Stănești Com. Stănești", "Stănești", 82136},
		{"one of several, by its code", 18, 403, "Stănești", "Stănești", 82136},
		{"the code does not overrule the name", 35, 355, "Giulvăz", "Giulvăz", 0},
		{"older spelling", 26, 0, "Mun. Tîrgu Mureş", "Târgu Mureș", 114319},
		{"name that holds a designation", 24, 0, "Sat Sat-Şugatag Com. Ocna Şugatag", "Sat-Șugatag", 108446},
		{"name that ends in a designation", 1, 0, "Sat Bucium-Sat Com. Bucium", "Bucium-Sat", 3495},
		{"abbreviated", 26, 0, "Tg. Mureș", "Târgu Mureș", 114319},
		{"sector, abbreviated", 40, 0, "Sect. 1", "Sector 1", 179141},
		{"sector by its letter", 40, 0, "S1", "Sector 1", 179141},
		{"sector after the city", 40, 0, "București Sectorul 1", "Sector 1", 179141},
		{"another county", 35, 0, "Cluj-Napoca", "", 0},
		{"no such county", 99, 355, "Timișoara", "", 0},
		{"no such place", 12, 103, "Exemplești", "", 0},
		{"no name", 12, 103, "", "", 0},
		{"designation alone", 12, 103, "Mun.", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			place, siruta, ok := r.Resolve(c.county, c.code, c.text)
			if place != c.place || ok != (c.place != "") || c.siruta != 0 && siruta != c.siruta {
				t.Errorf("%q (%d), want %q (%d)", place, siruta, c.place, c.siruta)
			}
		})
	}
}

// TestResolveKnowsEveryPlace resolves every place in the tax authority's spelling.
func TestResolveKnowsEveryPlace(t *testing.T) {
	r := Load()
	lost := 0
	for _, p := range r.places {
		if p.ANAFCode == nil {
			continue
		}

		unit, text, want := r.places[r.bySIRUTA[p.unit]], p.Name, p.ID
		if p.Type == reference.Village || p.Type == reference.Commune {
			text = "Sat " + p.Name + " Com. " + unit.Name
		}
		if unit.key == p.key { // the seat itself
			want = unit.ID
		}

		if _, siruta, ok := r.Resolve(p.CountyID, *p.ANAFCode, text); !ok {
			lost++
			t.Log(p.CountyCode, text, "is lost")
		} else if siruta != want {
			t.Errorf("%s, %s resolves to %d, not %d", p.CountyCode, text, siruta, want)
		}
	}

	if lost > 0 {
		t.Errorf("%d places are lost", lost)
	}
}

// TestCodeIsOnlyATieBreaker resolves every place with a wrong code. The result must still have the right name.
func TestCodeIsOnlyATieBreaker(t *testing.T) {
	r := Load()
	for _, p := range r.places {
		if _, siruta, ok := r.Resolve(p.CountyID, 1, p.Name); ok && r.places[r.bySIRUTA[siruta]].key != p.key {
			t.Errorf("%s resolves to %s", p.Name, r.places[r.bySIRUTA[siruta]].Name)
		}
	}
}
