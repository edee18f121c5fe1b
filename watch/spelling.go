package watch

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// sameText reports whether two texts are equal except for their spelling.
func sameText(a, b string, canonical func(folded string) string) bool {
	if a == b {
		return true
	}

	before, after := spelling.Spellings(spelling.Clean(a)), spelling.Spellings(spelling.Clean(b))
	return slices.ContainsFunc(before, func(x string) bool {
		return slices.ContainsFunc(after, func(y string) bool { return canonical(x) == canonical(y) })
	})
}

// withoutSpaces removes the spaces from a name or number: "S.R.L." and "SRL" are equal.
func withoutSpaces(folded string) string { return strings.ReplaceAll(folded, " ", "") }

// abbreviations maps words of addresses to their abbreviations, and words that registers sometimes omit to nothing.
var abbreviations = map[string]string{
	"strada": "str", "bulevardul": "bd", "bulevard": "bd", "bdul": "bd", "blvd": "bd", "soseaua": "sos", "sosea": "sos",
	"aleea": "al", "alee": "al", "calea": "cal", "cale": "cal", "piata": "pta", "splaiul": "spl", "splai": "spl",
	"intrarea": "intr", "intrare": "intr", "prelungirea": "prel", "prelungire": "prel",
	"numarul": "", "numar": "", "nr": "", "no": "", "bloc": "bl", "blocul": "bl", "scara": "sc", "etaj": "et",
	"etajul": "et", "apartament": "ap", "apartamentul": "ap", "camera": "cam", "birou": "bir", "biroul": "bir",
	"parter": "p", "judetul": "", "judet": "", "jud": "", "municipiul": "", "municipiu": "", "mun": "", "orasul": "",
	"oras": "", "ors": "", "or": "", "comuna": "", "com": "", "satul": "", "sat": "", "sectorul": "sector",
	"sect": "sector", "localitatea": "", "loc": "", "romania": "",
}

var postalCode = regexp.MustCompile(`^[0-9]{6}$`)

// addressWords returns the words of an address, abbreviated and sorted, without postal codes and words that registers
// sometimes omit.
func addressWords(folded string) string {
	words := strings.Fields(folded)
	kept := words[:0]
	for _, w := range words {
		if short, ok := abbreviations[w]; ok {
			w = short
		}
		if w != "" && !postalCode.MatchString(w) {
			kept = append(kept, w)
		}
	}

	slices.Sort(kept)
	return strings.Join(kept, " ")
}
