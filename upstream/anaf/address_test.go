package anaf

import (
	"testing"

	"github.com/rodata/rodata/internal/county"
	"github.com/rodata/rodata/upstream/siruta"
)

func TestPlaceName(t *testing.T) {
	cluj, capital := county.County{Plate: "CJ"}, county.County{Plate: county.Bucharest}
	for _, c := range []struct {
		name, place string
		county      county.County
		want        string
	}{
		{"municipality", "Mun. Cluj-Napoca", cluj, "Cluj-Napoca"},
		{"municipality in full", "Municipiul Turda", cluj, "Turda"},
		{"village", "Sat Lereşti Com. Lereşti", cluj, "Lerești"},
		{"village after a comma", "Sat Închipuit, Com. Inventata, Jud. Cluj", cluj, "Închipuit"},
		{"village of a town", "Sat Închipuit Oraş Huedin", cluj, "Închipuit"},
		{"part of a town", "Loc. Someşeni Mun. Cluj-Napoca", cluj, "Someșeni"},
		{"named component", "Loc. comp. Someşeni Mun. Cluj-Napoca", cluj, "Someșeni"},
		{"commune", "Com. Floreşti", cluj, "Florești"},
		{"town", "Oraş Huedin", cluj, "Huedin"},
		{"town, short", "Orş. Huedin", cluj, "Huedin"},
		{"name that begins like a kind", "Satu Mare", cluj, "Satu Mare"},
		{"name after a kind that begins like one", "Sat Oraşu Nou Com. Oraşu Nou", cluj, "Orașu Nou"},
		{"capitals", "MUN. CLUJ-NAPOCA", cluj, "Cluj-Napoca"},
		{"capitals with small words", "MUN. CURTEA DE ARGEŞ", cluj, "Curtea de Argeș"},
		{"bare", "Turda", cluj, "Turda"},
		{"sector", "Sector 3 Mun. Bucureşti", capital, "Sector 3"},
		{"sector with article", "SECTORUL 6", capital, "Sector 6"},
		{"sector after the city", "Bucureşti Sectorul 1", capital, "Sector 1"},
		{"sector, short", "Sect.4", capital, "Sector 4"},
		{"capital without sector", "Mun. Bucureşti", capital, "București"},
		{"nothing", " ", cluj, ""},
		{"only a dash", "-", cluj, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := placeName(clean(text(c.place)), c.county); got != c.want {
				t.Errorf("%q is called %q, want %q", c.place, got, c.want)
			}
		})
	}
}

func TestFindCounty(t *testing.T) {
	for _, c := range []struct {
		name               string
		given, plate, code text
		county, wantPlate  string
	}{
		{"by name", "TIMIŞ", "TM", "35", "Timiș", "TM"},
		{"without diacritics", "CARAS-SEVERIN", "", "", "Caraș-Severin", "CS"},
		{"with its kind", "JUDEŢUL BACĂU", "", "", "Bacău", "BC"},
		{"the capital", "MUNICIPIUL BUCUREŞTI", "B", "40", "București", "B"},
		{"by plate", "", "cj", "", "Cluj", "CJ"},
		{"by number", " ", "", "51", "Călărași", "CL"},
		{"old spelling with codes that agree", "DÎMBOVIŢA", "DB", "15", "Dâmbovița", "DB"},
		{"codes that disagree", "", "CJ", "35", "", ""},
		{"abroad", "Bavaria", "", "", "Bavaria", ""},
		{"abroad, like a plate", "CT", "", "", "CT", ""},
		{"nothing", "", "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := findCounty(c.given, c.plate, c.code); got.Name != c.county || got.Plate != c.wantPlate {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestStructuredAddress(t *testing.T) {
	resolveTo := func(place string, siruta int) Resolver {
		return func(county, code int, name string) (string, int, bool) {
			if county != 12 && county != 40 {
				t.Errorf("the resolver was asked for county %d", county)
			}
			return place, siruta, true
		}
	}
	village := seat{Place: "Sat Iclod Com. Iclod", PlaceCode: "9", County: "CLUJ", CountyCode: "12", Plate: "CJ"}
	for _, c := range []struct {
		name    string
		seat    seat
		resolve Resolver
		city    string
		siruta  int
		einv    string
	}{
		{"resolved", village, resolveTo("Iclod", 1000), "Iclod", 1000, "Iclod"},
		{"resolved with its diacritics", seat{Place: "Sat Bont", County: "CLUJ"}, resolveTo("Bonț", 1000), "Bonț",
			1000, "Bonț"},
		{"the code means another place", seat{Place: "Sat Iclod Com. Iclod", PlaceCode: "355", County: "CLUJ"},
			siruta.Load().Resolve, "Iclod", 58142, "Iclod"},
		{"old spelling", seat{Place: "Mun. Tîrgu Mureş", County: "MUREŞ"}, siruta.Load().Resolve, "Târgu Mureș", 114319,
			"Târgu Mureș"},
		{"abbreviated, in a county in its old spelling", seat{Place: "RM. VÎLCEA", County: "VÎLCEA"},
			siruta.Load().Resolve, "Râmnicu Vâlcea", 167473, "Râmnicu Vâlcea"},
		{"without a nomenclature", village, nil, "Iclod", 0, "Iclod"},
		{"sector", seat{Place: "Sector 3 Mun. Bucureşti", CountyCode: "40"}, resolveTo("Sectorul 3", 179169),
			"Sector 3", 179169, "SECTOR3"},
		{"capital without a sector", seat{Place: "Mun. Bucureşti", CountyCode: "40"}, nil, "București", 0, ""},
		{"abroad", seat{Place: "München", Country: "Germania"}, nil, "München", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := c.seat.toAPI(c.resolve)
			if got := deref(a.City); got != c.city {
				t.Errorf("city %q, want %q", got, c.city)
			}
			if got := deref(a.SIRUTA); got != c.siruta {
				t.Errorf("SIRUTA %d, want %d", got, c.siruta)
			}
			if got := deref(a.EInvoice); got != c.einv {
				t.Errorf("e-invoice city %q, want %q", got, c.einv)
			}
		})
	}

	t.Run("Romania is not named", func(t *testing.T) {
		if a := (seat{Country: "ROMÂNIA", Place: "Turda"}).toAPI(nil); a.Country != nil {
			t.Errorf("country %q", *a.Country)
		}
	})
	t.Run("nothing of it", func(t *testing.T) {
		if a := (seat{Street: " ", Number: "-"}).toAPI(nil); a != nil {
			t.Errorf("got %+v", a)
		}
	})
}
