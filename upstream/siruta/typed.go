package siruta

import (
	"strings"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/internal/county"
	"github.com/rodata/rodata/internal/spelling"
)

// abbreviations are the words that people shorten at the beginning of a place's name, and the English name of the
// capital.
var abbreviations = map[string]string{
	"tg": "targu", "tgu": "targu", "rm": "ramnicu", "sf": "sfantu", "tr": "turnu", "dr": "drobeta",
	"bucharest": "bucuresti",
}

// expandAbbreviations returns a text with its abbreviations written out.
func expandAbbreviations(text string) string {
	if strings.ContainsAny(text, "0123456789") {
		if sector := county.Sector(text); sector != "" {
			return "Sector " + sector
		}
	}

	words := strings.Fields(strings.ReplaceAll(text, ".", ". "))
	for i, word := range words {
		if full, ok := abbreviations[spelling.Fold(word)]; ok {
			words[i] = full
		}
	}

	return strings.Join(words, " ")
}

// olderWords lists the spelling until 1993 of the words that people shorten, for names such as Rm. Vîlcea.
var olderWords = strings.NewReplacer("targu", "tirgu", "ramnicu", "rimnicu", "sfantu", "sfintu")

// placesTyped returns the places of a county for a name as people write it.
func (r *Registry) placesTyped(county int, text string) []int {
	written := expandAbbreviations(text)
	if found := r.candidates(county, written); len(found) > 0 {
		return found
	}
	return r.candidates(county, olderWords.Replace(written))
}

// Town returns the official name of a place as people write it: "Mun. Cluj-Napoca", "Tg. Mures", "Sectorul 2",
// "Bucharest". A county of 0 means any. For an unknown place, name is empty, and nearest is a similar name, or empty.
func (r *Registry) Town(county int, text string) (name, nearest string) {
	if name := r.town(county, text); name != "" {
		return name, ""
	}

	within := r.placeIndex.All()
	if county != 0 {
		within = r.placesOfCounty[county]
	}

	if found := r.placeIndex.Find(namesIn(expandAbbreviations(text))[0], within, true).Page(1, 0); len(found) > 0 {
		nearest = r.places[found[0]].Name
	}

	return "", nearest
}

func (r *Registry) town(county int, text string) string {
	if (county == 0 || county == bucharest) && spelling.Fold(namesIn(expandAbbreviations(text))[0]) == "bucuresti" {
		return "București"
	}
	if county == 0 {
		county = anyCounty
	}
	if candidates := r.placesTyped(county, text); len(candidates) > 0 {
		return r.places[candidates[0]].Name
	}

	return ""
}

// Place returns the town and the county that a text names, as people write them. Either is zero if there is none, and
// "Cluj" and "Iași" may mean both. Numbers and letters alone name no county.
func (r *Registry) Place(text string) (number int, town string) {
	if len(text) < 2 || strings.ContainsAny(text, "0123456789") && county.Sector(text) == "" {
		return 0, ""
	}

	number, _ = r.County(reference.CountyRef(text))
	return number, r.town(0, text)
}
