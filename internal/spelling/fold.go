package spelling

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain maps the accented letters of Romanian names and of neighbouring keyboards to their base letters. It has s and t
// with the cedilla, used by older systems, and with the comma below, which is correct.
var plain = letters(
	"a", "ăâàáãäåāą", "c", "çćčĉ", "d", "ďđð", "e", "èéêëēėęě", "g", "ğģ", "i", "îìíïīįı",
	"k", "ķ", "l", "łĺľļ", "n", "ñńňņ", "o", "òóôõöøőō", "r", "ŕřŗ", "s", "șşśšŝ",
	"t", "țţťŧ", "u", "ùúûüűūůų", "y", "ýÿ", "z", "źżž", "ss", "ß", "ae", "æ", "oe", "œ",
)

func letters(pairs ...string) map[rune]string {
	m := map[rune]string{}
	for i := 0; i < len(pairs); i += 2 {
		for _, accented := range pairs[i+1] {
			m[accented] = pairs[i]
		}
	}

	return m
}

// Fold normalises a text for comparison: letters in lower case and without diacritics, digits, and single spaces
// between words, and between letters and digits. "Târgu-Mureș" and "TÂRGU MUREŞ" both fold to "targu mures", "Sector3"
// to "sector 3".
func Fold(text string) string { return fold(text, ' ') }

// Slug folds a text for use in a URL, with hyphens between words: "Cluj-Napoca" has the slug "cluj-napoca".
func Slug(text string) string { return fold(text, '-') }

func fold(text string, separator byte) string {
	folded := make([]byte, 0, len(text))
	gap, digits := false, false
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		case unicode.Is(unicode.Mn, r): // an accent that follows its letter
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			r = unicode.ToLower(r)
		default:
			gap = true
			continue
		}

		wereDigits := digits
		digits = unicode.IsDigit(r)
		if (gap || digits != wereDigits) && len(folded) > 0 {
			folded = append(folded, separator)
		}

		gap = false
		if r < 0x80 {
			folded = append(folded, byte(r))
		} else if base, ok := plain[r]; ok {
			folded = append(folded, base...)
		} else {
			folded = utf8.AppendRune(folded, r)
		}
	}

	return string(folded)
}

// Spellings returns the folded forms of a name. Before 1993 the vowel â was written î inside words, and many people
// still type Tirgu Mures and Rimnicu Vilcea.
func Spellings(name string) []string {
	folded := []string{Fold(name)}
	if !strings.ContainsAny(name, "âÂ") {
		return folded
	}

	older := olderSpelling.Replace(name)
	folded = append(folded, Fold(older))
	if always := strings.NewReplacer("omîn", "omân", "OMÎN", "OMÂN").Replace(older); always != older {
		folded = append(folded, Fold(always)) // român and its forms were written with â at all times
	}

	return folded
}

var olderSpelling = strings.NewReplacer("â", "î", "Â", "Î")

// Clean normalises a text of a register for display: Romanian diacritics, single spaces, no escapes of HTML, no control
// or invisible characters.
func Clean(text string) string {
	text = htmlEscape.ReplaceAllStringFunc(text, func(escape string) string {
		return html.UnescapeString(strings.ToLower(escape))
	})
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Co), r == unicode.ReplacementChar:
			return -1 // such as marks that change the writing direction
		}

		return r
	}, text)
	return CommaBelow(strings.Join(strings.Fields(text), " "))
}

// htmlEscape matches complete escapes only: html.UnescapeString would also read TUR&REG as an escape.
var htmlEscape = regexp.MustCompile(`(?i)&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,6}|#x[0-9a-f]{1,5});`)

// CommaBelow replaces s and t with the cedilla, which older systems write, with the correct Romanian letters.
func CommaBelow(text string) string { return commaBelow.Replace(text) }

var commaBelow = strings.NewReplacer("ş", "ș", "Ş", "Ș", "ţ", "ț", "Ţ", "Ț")
