package anaf

import (
	"cmp"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// legalForms are the legal forms as the register spells them in full, without diacritics, and their official
// abbreviations. The first match counts.
var legalForms = []struct{ spelling, abbreviation string }{
	{"raspundere limitat", "SRL"}, // the register sometimes truncates the last letter
	{"comandita pe actiuni", "SCA"},
	{"comandita simpla", "SCS"},
	{"nume colectiv", "SNC"},
	{"pe actiuni", "SA"},
	{"persoana fizica autorizata", "PFA"},
	{"persoana fizica independenta", "PFI"},
	{"intreprindere individuala", "II"},
	{"intreprindere familiala", "IF"},
	{"asociatie familiala", "AF"},
	{"regie autonoma", "RA"},
	{"regia autonoma", "RA"},
	{"grup european de interes economic", "GEIE"},
	{"grup de interes economic", "GIE"},
	{"societate cooperativa europeana", "SCE"},
	{"societate europeana", "SE"},
}

// abbreviations are the legal forms that may stand at the end of a name. The value is true for the forms of sole
// traders, which may also stand at the beginning.
var abbreviations = map[string]bool{
	"SRL": false, "SA": false, "SNC": false, "SCS": false, "SCA": false, "RA": false, "GIE": false, "GEIE": false,
	"SE": false, "SCE": false, "PFA": true, "PFI": true, "II": true, "IF": true, "AF": true,
}

// companyType returns the abbreviation of the legal form: from its full text, or else from the company's name. It
// returns nil if neither has it.
func companyType(legalForm, name string) *string {
	abbreviation := cmp.Or(fromWords(legalForm), fromName(name))
	if abbreviation == "SRL" && isDebutant(name) {
		abbreviation = "SRL-D"
	}
	if abbreviation == "" {
		return nil
	}

	return &abbreviation
}

func fromWords(s string) string {
	s = spelling.Fold(s)
	for _, form := range legalForms {
		if strings.Contains(s, form.spelling) {
			return form.abbreviation
		}
	}

	return ""
}

func fromName(name string) string {
	parts := strings.Fields(compact(name))
	if len(parts) < 2 {
		return ""
	}

	last, first := parts[len(parts)-1], parts[0]
	if _, ok := abbreviations[last]; ok {
		return last
	}
	if abbreviations[first] {
		return first
	}
	if isDebutant(name) {
		return "SRL"
	}

	return fromWords(name)
}

// isDebutant reports whether the company is an S.R.L.-D., the form for first-time entrepreneurs.
func isDebutant(name string) bool {
	name = compact(name)
	return strings.HasSuffix(name, " SRL D") || strings.HasSuffix(name, " SRLD")
}

// compact returns a name in plain capitals. It writes "S.R.L." as "SRL".
func compact(name string) string {
	return strings.ToUpper(spelling.Fold(strings.ReplaceAll(name, ".", "")))
}
