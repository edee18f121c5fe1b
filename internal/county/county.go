// Package county lists the counties of Romania, and finds the one that people and registers name.
package county

import (
	"regexp"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// Bucharest is the plate code of the capital. Its places are sectors.
const Bucharest = "B"

// County is one of the 41 counties, or Bucharest.
type County struct {
	Number int    // at the tax authority and the trade register
	Plate  string // code on number plates; "RO-" before it gives ISO 3166-2
	SIRUTA int
	Post   string // first two digits of its postal codes; empty for Bucharest, which has 01 to 06
	Name   string
}

// All are the counties by name, without regard to diacritics.
var All = []County{
	{1, "AB", 10, "51", "Alba"}, {2, "AR", 29, "31", "Arad"}, {3, "AG", 38, "11", "Argeș"},
	{4, "BC", 47, "60", "Bacău"}, {5, "BH", 56, "41", "Bihor"}, {6, "BN", 65, "42", "Bistrița-Năsăud"},
	{7, "BT", 74, "71", "Botoșani"}, {9, "BR", 92, "81", "Brăila"}, {8, "BV", 83, "50", "Brașov"},
	{40, Bucharest, 403, "", "București"}, {10, "BZ", 109, "12", "Buzău"}, {51, "CL", 519, "91", "Călărași"},
	{11, "CS", 118, "32", "Caraș-Severin"}, {12, "CJ", 127, "40", "Cluj"}, {13, "CT", 136, "90", "Constanța"},
	{14, "CV", 145, "52", "Covasna"}, {15, "DB", 154, "13", "Dâmbovița"}, {16, "DJ", 163, "20", "Dolj"},
	{17, "GL", 172, "80", "Galați"}, {52, "GR", 528, "08", "Giurgiu"}, {18, "GJ", 181, "21", "Gorj"},
	{19, "HR", 190, "53", "Harghita"}, {20, "HD", 207, "33", "Hunedoara"}, {21, "IL", 216, "92", "Ialomița"},
	{22, "IS", 225, "70", "Iași"}, {23, "IF", 234, "07", "Ilfov"}, {24, "MM", 243, "43", "Maramureș"},
	{25, "MH", 252, "22", "Mehedinți"}, {26, "MS", 261, "54", "Mureș"}, {27, "NT", 270, "61", "Neamț"},
	{28, "OT", 289, "23", "Olt"}, {29, "PH", 298, "10", "Prahova"}, {31, "SJ", 314, "45", "Sălaj"},
	{30, "SM", 305, "44", "Satu Mare"}, {32, "SB", 323, "55", "Sibiu"}, {33, "SV", 332, "72", "Suceava"},
	{34, "TR", 341, "14", "Teleorman"}, {35, "TM", 350, "30", "Timiș"}, {36, "TL", 369, "82", "Tulcea"},
	{38, "VL", 387, "24", "Vâlcea"}, {37, "VS", 378, "73", "Vaslui"}, {39, "VN", 396, "62", "Vrancea"},
}

// named holds the counties by their folded names and plate codes.
var named = func() map[string]County {
	m := map[string]County{}
	for _, c := range All {
		m[strings.ToLower(c.Plate)] = c
		for _, name := range spelling.Spellings(c.Name) {
			m[name] = c
		}
	}

	m["bucharest"] = m["bucuresti"]
	return m
}()

// sector matches a sector of Bucharest in a folded text. In an address, S 3 may also be a block of flats.
var sector = regexp.MustCompile(
	`\b(?:sect|sector|sectorul)(?: nr)? ([1-6])\b|^(?:.*\b(?:bucuresti|bucharest) )?s ([1-6])$`)

// Sector returns the number of the sector of Bucharest that a text names, such as "Sectorul 3", "București, Sect. 3" or
// "S3". It is empty if there is none.
func Sector(text string) string {
	if found := sector.FindStringSubmatch(spelling.Fold(text)); found != nil {
		return found[1] + found[2]
	}
	return ""
}

// Parse returns the county that a text names, by its name or plate code, in the spelling of people and registers:
// "jud. Cluj", "CLUJ", "RO-CJ", "Cluj County". A sector of Bucharest names Bucharest. It reports false if the text
// names no county.
func Parse(text string) (County, bool) {
	name := bare(text)
	if name == "" && Sector(text) != "" {
		return named["bucuresti"], true
	}

	c, ok := named[name]
	return c, ok && (c.Plate == Bucharest || Sector(text) == "")
}

// Nearest returns the county with the name that differs least from a text. It reports false if every name differs in
// more than about one letter in three.
func Nearest(text string) (nearest County, isSimilar bool) {
	name := bare(text)
	best := spelling.Tolerance(name)
	for _, c := range All {
		for _, other := range spelling.Spellings(c.Name) {
			if d := spelling.Distance(name, other); d < best {
				nearest, best, isSimilar = c, d, true
			}
		}
	}

	return nearest, isSimilar
}

// bare folds a text, without a sector and the words around the name of a county.
func bare(text string) string {
	name := strings.TrimSpace(sector.ReplaceAllString(spelling.Fold(text), ""))
	for _, word := range [...]string{"ro", "judetul", "judet", "jud", "municipiul", "mun"} {
		name = strings.TrimSpace(strings.TrimPrefix(name+" ", word+" "))
	}

	return strings.TrimSuffix(name, " county")
}
