package words

import (
	"strings"

	"github.com/rodata/rodata/internal/spelling"
)

// endings lists the endings of Romanian nouns and adjectives, in all cases and with the article, without diacritics,
// the longest first. A word loses the first ending that leaves at least the given number of letters.
var endings = []struct {
	text  string
	least int
}{
	{"urilor", 3}, {"urile", 3}, {"iilor", 4}, {"easa", 5}, {"ului", 3}, {"elor", 4}, {"ilor", 4}, {"iile", 4},
	{"uri", 3}, {"iei", 4}, {"ele", 4}, {"ile", 4}, {"lor", 4}, {"ese", 5},
	{"ea", 4}, {"ul", 3}, {"ii", 4}, {"ie", 4}, {"ei", 4}, {"ia", 4}, {"le", 4},
	{"i", 4}, {"e", 4}, {"a", 4}, {"u", 4},
}

// Stem reduces most inflected forms of a folded word to one form: frizerie, frizeriile and frizeri become frizer, and
// bakeries and bakery become bakery. It knows English plurals and the endings of Romanian nouns, but not of verbs. It
// treats both languages alike, because the language of a text is unknown.
func Stem(word string) string {
	switch n := len(word); {
	case n > 4 && strings.HasSuffix(word, "ies"):
		word = word[:n-3] + "y"
	case n > 3 && word[n-1] == 's' && !strings.ContainsRune("siu", rune(word[n-2])):
		word = word[:n-1]
	}

	for _, e := range endings {
		if stem, ok := strings.CutSuffix(word, e.text); ok && len(stem) >= e.least {
			word = stem
			break
		}
	}

	return strings.ReplaceAll(word, "oa", "o") // floare, flori
}

// fillers are words without information about an activity.
var fillers = map[string]bool{
	"de": true, "si": true, "la": true, "cu": true, "din": true, "in": true, "pe": true, "pentru": true, "al": true,
	"ale": true, "un": true, "o": true, "a": true, "ai": true,
	"sau": true, "the": true, "of": true, "and": true, "for": true, "an": true, "to": true, "or": true, "with": true,
	"at": true, "on": true, "s": true,
}

// StemKey returns the common key of all forms of a phrase: its stems, without fillers and diacritics.
func StemKey(phrase string) string { return key(stemsOf(contentOf(phrase))) }

// contentOf returns the folded words of a text, without fillers.
func contentOf(text string) []string { return withoutFillers(strings.Fields(spelling.Fold(text))) }

func withoutFillers(typed []string) []string {
	content := make([]string, 0, len(typed))
	for _, word := range typed {
		if !fillers[word] {
			content = append(content, word)
		}
	}

	return content
}

func stemsOf(content []string) []string {
	stems := make([]string, len(content))
	for i, word := range content {
		stems[i] = Stem(word)
	}
	return stems
}

func key(words []string) string { return strings.Join(words, " ") }
