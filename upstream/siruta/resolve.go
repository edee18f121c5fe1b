package siruta

import (
	"slices"
	"strings"

	"github.com/rodata/rodata/upstream/internal/words"
)

// Resolve finds the place that the tax authority means by the number of a
// county, its own code for the place, and the place's name as it writes it:
// "Mun. Timişoara", "Sat Lereşti Com. Lereşti", "Sector 3 Mun. Bucureşti", or the
// name alone. The name decides; the commune or town written behind it, and then
// the code, only choose between places of the same name, because the codes are
// not reliable. It gives the place's official name and SIRUTA code, or false
// where the name is unknown in the county or does not say which place it is.
func (r *Registry) Resolve(county, anafCode int, name string) (place string, siruta int, ok bool) {
	candidates := r.named(county, name)
	if len(candidates) == 0 {
		names := parts(name)
		candidates = r.named(county, names[0])
		if len(names) > 1 {
			units := r.placeIndex.Named(names[1])
			candidates = narrowed(candidates, func(i int) bool { return units.Has(r.bySIRUTA[r.places[i].unit]) })
		}
	}

	if len(candidates) > 1 && anafCode > 0 {
		candidates = narrowed(candidates, func(i int) bool {
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

// named are the places of a county that have a name. SIRUTA spells four seats
// otherwise than the town or commune that they are (Rosiori de Vede, Roșiori de
// Vede): of such a pair only the town or commune counts.
func (r *Registry) named(county int, name string) []int {
	of, ok := r.placesOfCounty[county]
	if !ok {
		return nil
	}

	named := r.placeIndex.Named(name)
	named.And(of)
	return slices.DeleteFunc(words.Ranked(named).Page(len(r.places), 0), func(i int) bool {
		p := &r.places[i]
		return p.unit != p.ID && r.places[r.bySIRUTA[p.unit]].key == p.key
	})
}

// narrowed are the candidates that fit, or all of them when none does.
func narrowed(candidates []int, fits func(int) bool) []int {
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

// designations are the words that the tax authority puts before names.
var designations = map[string]bool{
	"mun": true, "municipiul": true, "oras": true, "orasul": true, "ors": true, "or": true,
	"com": true, "comuna": true, "sat": true, "satul": true, "loc": true, "localitatea": true, "localitate": true,
}

// parts are the names that designations part a text into: "Sat Alfa Com. Beta"
// is Alfa and Beta. A designation right after another is part of a name, and so
// is one that a hyphen ties to a name.
func parts(text string) []string {
	names, designated := []string{""}, false
	for _, word := range strings.Fields(strings.ReplaceAll(text, ".", " ")) {
		last := &names[len(names)-1]
		switch {
		case !designations[words.Fold(word)] || designated && *last == "":
			*last += " " + word
		case *last == "":
			designated = true
		default:
			names, designated = append(names, ""), true
		}
	}

	return names
}
