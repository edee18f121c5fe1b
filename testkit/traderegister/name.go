package traderegister

import (
	"strings"
	"unicode/utf8"
)

// forms lists the legal forms, each as often as in a hundred firms.
var forms = shares("SRL", 64, "PFA", 16, "II", 10, "IF", 3, "PF", 2, "SA", 2, "SNC", 1, "CA", 1, "SCS", 1)

// sole are the forms of firms named after a person.
var sole = map[string]bool{"PFA": true, "II": true, "IF": true, "PF": true}

func shares(pairs ...any) (all []string) {
	for i := 0; i < len(pairs); i += 2 {
		for range pairs[i+1].(int) {
			all = append(all, pairs[i].(string))
		}
	}

	return all
}

func (m *maker) form() string {
	if m.oneIn(2000) {
		return pick(m, []string{"RA", "SCA", "GIE", "SE", "OC1", "N/A"})
	}
	return pick(m, forms)
}

// trades are activities of companies, the most common first. They are common words, not names.
var trades = []string{
	"CONSTRUCT", "TRANS", "COM", "IMPEX", "PROD", "AUTO", "AGRO", "CONSULTING", "SERV", "GROUP", "INVEST", "DESIGN",
	"SOLUTIONS", "MARKET", "EXPERT", "TOUR", "FARM", "MEDIA", "INSTAL", "LOGISTIC", "PROIECT", "ENERGY", "MOB",
	"CONFORT", "DIGITAL", "SOFT", "ELECTRIC", "TEHNIC", "STYLE", "CAFE", "DENT", "MED", "VET", "FLOR", "LEMN", "METAL",
	"BIROTICA", "CURIER", "PAN", "LAPTE", "CARNE", "PESCARIE", "ÎNCĂLZIRE", "ȚESĂTURI", "CURĂȚENIE", "ÎNGRĂȘĂMINTE",
	"PĂDURE", "CÂMP", "RÂU", "STUDIO", "LAB", "FIT", "SPORT", "EVENT", "PRINT", "FOTO", "GAMES", "HOME", "GARDEN",
	"BIO",
}

var (
	onsets = []string{"b", "br", "c", "d", "dr", "f", "g", "h", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v", "z",
		"ș", "ț"}
	vowels = []string{"a", "e", "i", "o", "u", "ă"}
	codas  = []string{"", "", "n", "r", "l", "x", "s"}
	plain  = strings.NewReplacer("ă", "a", "ș", "s", "ț", "t", "â", "a", "î", "i", "Ă", "A", "Ș", "S", "Ț", "T", "Â",
		"A", "Î", "I")
)

// brand returns an invented word for a number. The words are distinct, and shorter for smaller numbers. Brands and
// surnames have different endings.
func brand(i int) string { return syllables(i) + codas[i%len(codas)] }

func surname(i int) string { return syllables(i) + "zescu" }

func given(i int) string { return syllables(i) + "zel" }

func syllables(i int) string {
	var b strings.Builder
	for i += len(onsets) * len(vowels); i > 0; i /= len(onsets) * len(vowels) {
		b.WriteString(onsets[i%len(onsets)])
		b.WriteString(vowels[i/len(onsets)%len(vowels)])
	}
	return b.String()
}

func title(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return strings.ToUpper(string(first)) + word[size:]
}

// companyName returns a name in the style of companies: mostly without diacritics, with the form at the end or at the
// beginning, sometimes with quotes and digits.
func (m *maker) companyName(form string) string {
	words := []string{brand(int(m.brands.Uint64()))}
	for n := m.IntN(10); n > 3 && len(words) < 4; n -= 4 {
		words = append(words, trades[min(m.IntN(len(trades)), m.IntN(len(trades)))])
	}

	if m.oneIn(5) {
		words = append(words, brand(int(m.brands.Uint64())))
	}

	m.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	name := strings.ToUpper(strings.Join(words, pick(m, []string{" ", " ", " ", " ", " ", " ", " ", "-", " & ", ""})))
	if !m.oneIn(6) {
		name = plain.Replace(name)
	}

	switch m.IntN(40) {
	case 0:
		name = `"` + name + `"`
	case 1:
		name += " " + pick(m, []string{"2000", "3D", "24", "1", "2020", "69"})
	}

	switch m.IntN(20) {
	case 0:
		return "SC " + name + " " + form
	case 1:
		return "S.C. " + name + " " + strings.Join(strings.Split(form, ""), ".") + "."
	case 2:
		return name
	}

	return name + " " + form
}

// soleWords are the spellings of the forms of sole traders.
var soleWords = map[string][]string{
	"PFA": {"PERSOANA FIZICA AUTORIZATA", "PFA", "P.F.A."},
	"II":  {"INTREPRINDERE INDIVIDUALA", "ÎNTREPRINDERE INDIVIDUALĂ", "I.I."},
	"IF":  {"INTREPRINDERE FAMILIALA", "IF"},
	"PF":  {"PERSOANA FIZICA", "PF"},
}

func (m *maker) soleName(family, form string) string {
	name := family + " " + title(given(int(m.families.Uint64())/50))
	if m.oneIn(3) {
		name += pick(m, []string{"-", " "}) + title(given(int(m.families.Uint64())/50))
	}
	if !m.oneIn(4) {
		name = plain.Replace(name)
	}

	return strings.ToUpper(name) + " " + pick(m, soleWords[form])
}
