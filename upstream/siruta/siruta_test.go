package siruta

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/api/reference"
)

func TestGazetteerIsComplete(t *testing.T) {
	r := Load()
	count := map[reference.PlaceType]int{}
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

	for kind, want := range map[reference.PlaceType]int{reference.Municipality: 103, reference.Town: 216,
		reference.Commune: 2862,
		reference.Sector:  6, reference.Village: 10672} {
		if count[kind] != want {
			t.Errorf("%d places are a %s, want %d", count[kind], kind, want)
		}
	}

	if strings.ContainsAny(localityTable, "şţŞŢ\r\"") {
		t.Error("the table has a cedilla, a carriage return or a quotation mark")
	}
}

// TestTaxAuthorityCodes verifies that a code is unique within its county. The exceptions are 97 seats that share the
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

func TestInvalidTableIsRejected(t *testing.T) {
	const localities = "siruta\tparent\tkind\tname\tanaf_code\tanaf_alt\tdup\n"
	if _, err := read(localities + "100\t10\ttown\tExemplu\t1\t\t\n101\t100\ttown_seat\tExempli\t\t2\t\n"); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct{ name, table, says string }{
		{"short row", localities + "100\t10\ttown\n", "localities.tsv: line 2"},
		{"other columns", "siruta\tparent\tkind\tname\tanaf_code\tanaf_alt\tno\n",
			"localities.tsv: the header"},
		{"orphan", localities + "100\t99\tvillage\tExemplu\t1\t\t\n", "100 does not follow 99"},
		{"unknown kind", localities + "100\t10\thamlet\tExemplu\t1\t\t\n", `"hamlet"`},
		{"SIRUTA", localities + "hundred\t10\ttown\tExemplu\t1\t\t\n", `"hundred"`},
		{"code", localities + "100\t10\ttown\tExemplu\tone\t\t\n", `"one"`},
		{"second code", localities + "100\t10\ttown\tExemplu\t1\ttwo\t\n", `"two"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := read(c.table); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %s", err, c.says)
			}
		})
	}
}
