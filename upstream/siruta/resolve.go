package siruta

import (
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// Resolve finds the place with the tax authority's county number, code for the place, and spelling of the name: "Mun.
// Timişoara", "Sat Lereşti Com. Lereşti", "Sector 3 Mun. Bucureşti", or the name alone. The name decides. The commune
// or town after it, and then the code, only disambiguate, because the codes are unreliable. Resolve returns the place's
// official name and SIRUTA code. It reports false if the name is unknown in the county or ambiguous.
func (r *Registry) Resolve(county, anafCode int, name string) (place string, siruta int, ok bool) {
	candidates := r.candidates(county, name)
	if len(candidates) == 0 {
		candidates = r.placesTyped(county, name)
	}

	if len(candidates) > 1 && anafCode > 0 {
		candidates = narrow(candidates, func(i int) bool {
			p := &r.places[i]
			return p.ANAFCode != nil && *p.ANAFCode == anafCode || p.second == anafCode
		})
	}

	if len(candidates) != 1 {
		return "", 0, false
	}

	p := &r.places[candidates[0]]
	return p.Name, p.ID, true
}

// candidates returns the places of a county with a name, which designations may surround.
func (r *Registry) candidates(county int, name string) []int {
	candidates := r.placesNamed(county, name)
	if len(candidates) > 0 {
		return candidates
	}

	names := namesIn(name)
	candidates = r.placesNamed(county, names[0])
	if len(names) > 1 {
		units := r.placeIndex.WithName(names[1])
		candidates = narrow(candidates, func(i int) bool {
			return units.Test(uint(r.bySIRUTA[r.places[i].unit]))
		})
	}

	return candidates
}

// placesNamed returns the places of a county with a name. SIRUTA spells four seats differently from their town or
// commune (Rosiori de Vede, Roșiori de Vede). In these cases, only the town or commune counts.
func (r *Registry) placesNamed(county int, name string) (found []int) {
	places, ok := r.placesOfCounty[county]
	if !ok {
		return nil
	}

	named := r.placeIndex.WithName(name)
	named.InPlaceIntersection(places)
	for i := range named.EachSet() {
		p := &r.places[i]
		if p.unit == p.ID || r.places[r.bySIRUTA[p.unit]].key != p.key {
			found = append(found, int(i))
		}
	}

	return found
}

// narrow returns the candidates that fit, or all of them if none does.
func narrow(candidates []int, fits func(int) bool) []int {
	var narrow []int
	for _, i := range candidates {
		if fits(i) {
			narrow = append(narrow, i)
		}
	}

	if narrow == nil {
		return candidates
	}

	return narrow
}

// designations are the kinds of places that the tax authority writes before names.
var designations = map[string]bool{
	"mun": true, "municipiul": true, "oras": true, "orasul": true, "ors": true, "or": true,
	"com": true, "comuna": true, "sat": true, "satul": true, "loc": true, "localitatea": true, "localitate": true,
}

// namesIn splits a text into names at the designations: "Sat Alfa Com. Beta" has the names Alfa and Beta. A designation
// right after another belongs to a name, and so does one that is hyphenated with it.
func namesIn(text string) []string {
	names, designated := []string{""}, false
	for _, word := range strings.Fields(strings.ReplaceAll(text, ".", " ")) {
		last := &names[len(names)-1]
		switch {
		case !designations[spelling.Fold(word)] || designated && *last == "":
			*last += " " + word
		case *last == "":
			designated = true
		default:
			names, designated = append(names, ""), true
		}
	}

	return names
}
