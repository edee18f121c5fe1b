package county

import (
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/internal/spelling"
)

func TestCountiesAreSortedAndUnique(t *testing.T) {
	if len(All) != 42 {
		t.Errorf("%d counties, want 42", len(All))
	}
	if !slices.IsSortedFunc(All, func(a, b County) int {
		return strings.Compare(spelling.Slug(a.Name), spelling.Slug(b.Name))
	}) {
		t.Error("the counties are not in the order of their names")
	}

	seen := map[any]bool{}
	for _, c := range All {
		if c.Number < 1 || c.Number > 40 && c.Number != 51 && c.Number != 52 {
			t.Errorf("%s has the number %d", c.Name, c.Number)
		}

		for _, key := range []any{c.Number, c.Plate, c.SIRUTA * 1000, c.Post, c.Name} {
			if seen[key] {
				t.Errorf("%+v shares %v", c, key)
			}
			seen[key] = true
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"Cluj": "CJ", "CLUJ": "CJ", "cj": "CJ", "RO-CJ": "CJ", "ro cj": "CJ", "jud. Cluj": "CJ", "Județul Cluj": "CJ",
		"Judeţ Cluj": "CJ", "Cluj County": "CJ", "Caras Severin": "CS", "CARAŞ-SEVERIN": "CS", "Vîlcea": "VL",
		"Vilcea": "VL", "DÎMBOVIȚA": "DB", "Bucharest": "B", "b": "B", "RO-B": "B", "Mun. București": "B",
		"Municipiul Bucuresti": "B", "București, sector 3": "B", "Sectorul 3": "B", "S3": "B",
		"Sector 3 Mun. Bucureşti": "B",
		"Cluj, sector 3":          "", "Cluj-Napoca": "", "Klug": "", "RO": "", "jud": "", "12": "", "": "",
	} {
		if got, ok := Parse(text); ok != (want != "") || ok && got.Plate != want {
			t.Errorf("%q is %q, %t, want %q", text, got.Plate, ok, want)
		}
	}
}

func TestSector(t *testing.T) {
	for text, want := range map[string]string{
		"Sector 3": "3", "SECTORUL 6": "6", "Sectorul nr. 3": "3", "Sect.4": "4", "sector2": "2", "S3": "3", "s 3": "3",
		"București S2": "2", "Mun. București, S. 2": "2", "Str. A nr. 1, Sectorul 2": "2", "Bucharest, Sector 1": "1",
		"Sector 7": "", "Sector 31": "", "Str. A, bl. S3": "", "S3, sc. A": "", "3": "", "București": "",
	} {
		if got := Sector(text); got != want {
			t.Errorf("%q is in sector %q, want %q", text, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	for text, want := range map[string]string{"Klug": "Cluj", "Jud. Klug": "Cluj", "Bistrița-Nasad": "Bistrița-Năsăud",
		"Vilcia": "Vâlcea", "Transilvania": "", "Bucovina de Nord": ""} {
		if got, isSimilar := Nearest(text); got.Name != want || isSimilar != (want != "") {
			t.Errorf("%q is nearest to %q, want %q", text, got.Name, want)
		}
	}
}
