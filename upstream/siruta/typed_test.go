package siruta

import (
	"slices"
	"testing"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op"
)

func TestTypedCounties(t *testing.T) {
	for text, want := range map[string]int{
		"Cluj": 12, "cj": 12, "RO-CJ": 12, "ro cj": 12, "Jud. Cluj": 12, "Județul Cluj": 12, "Cluj County": 12,
		"12":     12,
		"Vîlcea": 38, "Vilcea": 38, "DÎMBOVIȚA": 15, "Dambovita": 15, "Bucharest": 40, "B": 40, "RO-B": 40,
		"Mun. București": 40, "Municipiul Bucuresti": 40, "Caraș-Severin": 11, "Klug": 0, "RO": 0, "": 0,
	} {
		id, nearest := Load().County(reference.CountyRef(text))
		if id != want || text == "Klug" && nearest != "CLUJ" {
			t.Errorf("%q is county %d (%s), want %d", text, id, nearest, want)
		}

		found, _ := Load().Counties(reference.CountyQuery{Q: op.Text(text), Limit: 42})
		if want != 0 && !slices.ContainsFunc(found, func(c reference.County) bool { return c.ID == want }) {
			t.Errorf("%q finds %v, want %d among them", text, found, want)
		}
	}
}

func TestTypedPlaces(t *testing.T) {
	for _, c := range []struct {
		county        int
		text          string
		name, nearest string
	}{
		{12, "Mun. Cluj-Napoca", "Cluj-Napoca", ""},
		{0, "municipiul cluj napoca", "Cluj-Napoca", ""},
		{0, "Com. Florești", "Florești", ""},
		{0, "Sectorul 2", "Sector 2", ""},
		{40, "București Sectorul 2", "Sector 2", ""},
		{40, "S3", "Sector 3", ""},
		{40, "Sect. 1", "Sector 1", ""},
		{40, "Sectorul nr. 3", "Sector 3", ""},
		{0, "Bucharest", "București", ""},
		{40, "Mun. Bucureşti", "București", ""},
		{0, "Tg. Mures", "Târgu Mureș", ""},
		{26, "Tg.Mureș", "Târgu Mureș", ""},
		{0, "Tîrgu Mureş", "Târgu Mureș", ""},
		{0, "Rm. Vâlcea", "Râmnicu Vâlcea", ""},
		{0, "Rîmnicu Vîlcea", "Râmnicu Vâlcea", ""},
		{38, "Rm. Vîlcea", "Râmnicu Vâlcea", ""},
		{0, "Sf. Gheorghe", "Sfântu Gheorghe", ""},
		{0, "Drobeta Tr. Severin", "Drobeta-Turnu Severin", ""},
		{25, "Dr.-Tr. Severin", "Drobeta-Turnu Severin", ""},
		{0, "Tr. Măgurele", "Turnu Măgurele", ""},
		{35, "Sînmihaiu Român", "Sânmihaiu Român", ""},
		{35, "Sinmihaiu Roman", "Sânmihaiu Român", ""},
		{0, "Nicaieriville", "", ""},
		{0, "Cluj-Napocca", "", "Cluj-Napoca"},
		{35, "Cluj-Napoca", "", ""},
		{12, "Timișoara", "", ""},
	} {
		if name, nearest := Load().Town(c.county, c.text); name != c.name || nearest != c.nearest {
			t.Errorf("%d, %q is %q (%q), want %q (%q)", c.county, c.text, name, nearest, c.name, c.nearest)
		}
	}
}

func TestPlaceInAText(t *testing.T) {
	for text, want := range map[string]struct {
		county int
		town   string
	}{
		"cluj": {12, ""}, "jud cluj": {12, ""}, "cj": {12, ""}, "cluj napoca": {0, "Cluj-Napoca"}, "iasi": {22, "Iași"},
		"mun iasi": {22, "Iași"}, "tg mures": {0, "Târgu Mureș"}, "sector 3": {0, "Sector 3"}, "s 3": {0, "Sector 3"},
		"bucharest": {40, "București"}, "12": {}, "b": {}, "transilvan": {}, "": {},
	} {
		if county, town := Load().Place(text); county != want.county || town != want.town {
			t.Errorf("%q is county %d and town %q, want %d and %q", text, county, town, want.county, want.town)
		}
	}
}
