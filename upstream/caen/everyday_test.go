package caen

import (
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/internal/tsv"
	"github.com/rodata/rodata/search/words"
	"github.com/rodata/rodata/testkit"
)

// wanted is a word that people search for, with its classes. At least one of them should be among the first results.
type wanted struct {
	word    string
	classes []reference.CAENCode
}

// wantedOf reads a list of words.
func wantedOf(t testing.TB, file string) (list []wanted) {
	t.Helper()
	text, err := os.ReadFile(file)
	testkit.NoError(t, err)

	rows, err := tsv.Rows(string(text), "word", "language", "classes")
	testkit.NoError(t, err)

	for _, row := range rows {
		w := wanted{word: row[0]}
		for class := range strings.SplitSeq(row[2], ",") {
			w.classes = append(w.classes, reference.CAENCode(class))
		}

		list = append(list, w)
	}

	return list
}

// firstResults is the number of search results that count, because people look only at the first ones.
const firstResults = 5

// find returns the first codes that a search for a word returns. If level is not empty, it returns only codes of that
// level.
func (w wanted) find(t testing.TB, level string) (found []reference.CAENCode) {
	t.Helper()
	q := reference.ActivityQuery{Limit: firstResults}
	if err := q.Q.UnmarshalText([]byte(w.word)); err != nil {
		t.Fatalf("%s: %v", w.word, err)
	}

	q.Type = reference.CAENLevel(level)
	page, _ := Load().Search(q)
	for _, a := range page {
		found = append(found, a.Code)
	}

	return found
}

func (w wanted) isIn(found []reference.CAENCode) bool {
	return slices.ContainsFunc(w.classes, func(c reference.CAENCode) bool { return slices.Contains(found, c) })
}

// TestEverydayWords verifies that everyday words find their class among the first five results. The synonyms were
// written for the first list. The second list was written after the table of synonyms was closed, to measure words that
// the synonyms were not made for. If a word of the second list should get a synonym, it must move to the first list.
func TestEverydayWords(t *testing.T) {
	for _, c := range []struct {
		file  string
		words int // at least
		share float64
	}{
		{"testdata/everyday.tsv", 300, 0.95},
		{"testdata/unseen.tsv", 100, 0.90},
	} {
		list := wantedOf(t, c.file)
		if len(list) < c.words {
			t.Errorf("%s has %d words, want %d", c.file, len(list), c.words)
		}

		for _, level := range []string{"", "class"} {
			var missed []string
			for _, w := range list {
				if found := w.find(t, level); !w.isIn(found) {
					missed = append(missed, w.word)
					t.Logf("%s type=%s: %q finds %v, not %v", c.file, level, w.word, found, w.classes)
				}
			}

			share := 1 - float64(len(missed))/float64(len(list))
			t.Logf("%s type=%s: %.1f %% of %d", c.file, level, 100*share, len(list))
			if share < c.share {
				t.Errorf("%s type=%s: %.1f %%, want %.0f %%; missed %s", c.file, level, 100*share, 100*c.share,
					strings.Join(missed, ", "))
			}
		}
	}
}

// homonyms are stems shared by different words that only look like forms of one word, such as "port" and "porți"
// (gates).
var homonyms = strings.Fields("armat berar cafe cosmetic covrig fabric fierar foundation fundat magazin medicin " +
	"pescar port salt sticlar telefon")

// TestHomonyms verifies that a word in the table is not confused with another word that has the same stem.
func TestHomonyms(t *testing.T) {
	for word, want := range map[string]reference.CAENCode{
		"saltele": "3100", "saltea": "3100", "Saltea": "3100", "salt": "0893", "port": "5222", "porturi": "5222",
		"porți": "2511", "poarta": "2511",
		"pescărie": "4723", "pescar": "0312", "covrigei": "1072", "covrigi": "1071", "autogări": "5221",
		"autogară": "5221",
		"berărie":  "5630", "berar": "1105", "fabrici": "C", "fabrics": "1320", "telefonie": "6110",
		"magazines": "5813",
	} {
		if found := (wanted{word: word}).find(t, ""); len(found) == 0 || found[0] != want {
			t.Errorf("%q finds %v, want %s first", word, found, want)
		}
	}
}

// TestSynonymsAreClear verifies that a word occurs on only one line, in any of its forms, so that this line determines
// the order of its codes. For homonyms, this holds for each form. (Reading the table checks that every code exists in
// Rev.3.)
func TestSynonymsAreClear(t *testing.T) {
	rows, err := tsv.Rows(synonymTable, "codes", "language", "words")
	testkit.NoError(t, err)

	forms, stems := map[string]string{}, map[string]string{}
	shared := map[string]bool{}
	languages := map[string]int{}
	for _, row := range rows {
		for text := range strings.SplitSeq(row[2], ", ") {
			languages[row[1]]++
			form, stem := spelling.Fold(text), words.StemKey(text)
			if other, known := forms[form]; known && other != row[0] {
				t.Errorf("%q means %s and %s", text, other, row[0])
			}
			if other, known := stems[stem]; known && other != row[0] {
				shared[stem] = true
			}

			forms[form], stems[stem] = row[0], row[0]
			if strings.ContainsAny(text, "şţŞŢ") {
				t.Errorf("%q has a cedilla", text)
			}
		}
	}

	if got := slices.Sorted(maps.Keys(shared)); !slices.Equal(got, homonyms) {
		t.Errorf("forms of %q are on several lines, want only forms of the homonyms %q", got, homonyms)
	}

	t.Logf("%d words and phrases: %v", len(forms), languages)
	if languages["ro"] < 1000 || languages["en"] < 500 {
		t.Errorf("%v words and phrases by language", languages)
	}
}

// TestOfficialNamesComeFirst verifies that an everyday word for an activity never ranks before its official name.
func TestOfficialNamesComeFirst(t *testing.T) {
	for _, e := range Load().entries {
		for _, name := range []string{string(e.Code), e.Name, e.NameEn} {
			if found := (wanted{word: name}).find(t, string(e.Type)); len(found) == 0 ||
				!slices.Contains(found, e.Code) {
				t.Errorf("%q finds %v, not %s", name, found, e.Code)
			}
		}
	}
}

// BenchmarkEverydayWords searches for all words of both lists, through the gateway.
func BenchmarkEverydayWords(b *testing.B) {
	var targets []string
	for _, w := range slices.Concat(wantedOf(b, "testdata/everyday.tsv"), wantedOf(b, "testdata/unseen.tsv")) {
		targets = append(targets, "/v1/caen-codes?q="+url.QueryEscape(w.word))
	}

	calls.BenchmarkAnswers(b, targets, nil)
}
