package site

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

func TestWords(t *testing.T) {
	en, ro := words{english}, words{romanian}
	at := time.Date(2026, 6, 10, 11, 5, 0, 0, time.UTC)
	for _, c := range []struct{ name, got, want string }{
		{"a day in English", must(en.day("2026-06-10")), "10 June 2026"},
		{"a day in Romanian", must(ro.day("2026-06-10")), "10 iunie 2026"},
		{"an instant of summer", en.moment(at), "10 June 2026, 14:05 EEST"},
		{"an instant of winter", ro.moment(at.AddDate(0, 5, 0)), "10 noiembrie 2026, 13:05 EET"},
		{"a number in English", en.number(1234567), "1,234,567"},
		{"a number in Romanian", ro.number(1234567), "1.234.567"},
		{"a fraction in Romanian", ro.number(5.2344), "5,234"},
		{"one", must(ro.plural("suggest.count", 1)), "1 sugestie"},
		{"few", must(ro.plural("suggest.count", 12)), "12 sugestii"},
		{"many", must(ro.plural("suggest.count", 120)), "120 de sugestii"},
		{"blanks", en.say("caen.ofSection", "code", "K"), "Section K on its own page"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, not %q", c.name, c.got, c.want)
		}
	}

	// A number from 20 on needs "de" before its noun, so that a sentence with a count has a form for each.
	counted := regexp.MustCompile(`\{n\} \p{Ll}`)
	for key, sentence := range readTexts() {
		if key != "past.more" && counted.MatchString(sentence[romanian]) && !pluralForm.MatchString(key) {
			t.Errorf("%s needs plural forms: %q", key, sentence[romanian])
		}
	}

	if _, err := en.t("no.such.sentence"); err == nil {
		t.Error("an unknown key does not cause an error")
	}
	if _, err := en.day("tomorrow"); err == nil {
		t.Error("an invalid date does not cause an error")
	}
}

// awkward matches phrases from earlier texts that a native writer would not use: literal translations, cryptic
// wording, and a second form of address.
var awkward = [languages]*regexp.Regexp{
	english: regexp.MustCompile(`(?i)\b(look into your mail|go on with|go on where|is not understood|are gone at once|for good\b|is on its way|` +
		`whoever runs|give the e-mail|if it goes on like this|looked at again and again)`),
	romanian: regexp.MustCompile(`(?i)(găleți|găleata|jetoane|cererea din spate|\bodată\b\.?$|zece odată|\bdvs\b|pe drum (spre|prin)|iar și iar|` +
		`\b(tău|tăi|tale|contul tău|cheia ta)\b|merge prost|dați adresa|au dat greș)`),
}

// singular matches labels of buttons in the second or third person singular.
var singular = regexp.MustCompile(`^(Caută|Trimite|Creează|Afișează|Exportă|Convertește|Copiază|Încearcă|Completează|Salvează|Renunță|` +
	`Revocă|Alege|Administrează|Schimbă|Încheie|Deconectează|Șterge|Anulează|Descarcă|Adaugă|Scoate|Reîncarcă|Testează|Oprește|` +
	`Pornește|Retrimite|Setează|Continuă|Sari|Permite|Intră)(\s|$)`)

// withoutDe matches numbers from 20 up without the preposition "de" before the noun.
var withoutDe = regexp.MustCompile(`\b(?:[2-9]\d|1[2-9]\d|[1-9]00|\d+\.000) (zile|ore|secunde|caractere|cereri|credite|firme|rânduri|luni)\b`)

func TestTextsAreWrittenForPeople(t *testing.T) {
	for name, text := range allTexts(t) {
		for l := range languages {
			if phrase := awkward[l].FindString(text[l]); phrase != "" {
				t.Errorf("%s in %s says %q", name, l, phrase)
			}
		}

		ro := text[romanian]
		if strings.ContainsAny(ro, "şţŞŢ") {
			t.Errorf("%s has a cedilla where a comma belongs", name)
		}
		if button := singular.FindString(ro); button != "" {
			t.Errorf("%s addresses the reader by %q; write the plural", name, button)
		}
		if number := withoutDe.FindString(ro); number != "" {
			t.Errorf("%s lacks a preposition in %q", name, number)
		}
	}
}

// allTexts are the sentences of pages, and the guides and pages about the service, by name.
func allTexts(t *testing.T) map[string]Text {
	t.Helper()
	all := make(map[string]Text)
	for key, sentence := range readTexts() {
		all[key] = Text(sentence)
	}

	for _, folder := range []string{"guides", "about"} {
		found, err := filepath.Glob(folder + "/*.ro.md")
		if err != nil || len(found) == 0 {
			t.Fatal(folder, err)
		}

		for _, ro := range found {
			en := strings.TrimSuffix(ro, ".ro.md") + ".md"
			all[en] = Text{read(t, en), read(t, ro)}
		}
	}

	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	content := testkit.Must(os.ReadFile(name))
	return string(content)
}

func TestAmountsAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string][languages]string{
		"":             {"", ""},
		"250":          {"250", "250"},
		"6000,50":      {"6000.50", "6000.50"},
		"6000.5":       {"6000.5", "6000.5"},
		"7.000":        {"7.0000", "7000"},
		"7,000":        {"7000", "7.0000"},
		"1.500,50":     {"1500.50", "1500.50"},
		"1,500.50":     {"1500.50", "1500.50"},
		"1 500,50":     {"1500.50", "1500.50"},
		"1\u00a0500":   {"1500", "1500"},
		"1.234.567,1":  {"1234567.1", "1234567.1"},
		"1.500,505":    {"1500.5050", "1500.5050"},
		"100":          {"100", "100"},
		"1.2.3":        {"1.2.3", "1.2.3"},
		"1e99":         {"1e99", "1e99"},
		"many":         {"many", "many"},
		"-7.000":       {"-7.000", "-7.000"},
		"12.34.567,00": {"12.34.567,00", "12.34.567,00"},
	} {
		for lang := range languages {
			got := lang.amount(text)
			testkit.Equal(t, got, want[lang], lang.String()+": "+text)
			testkit.Equal(t, lang.amount(got), got, "read again: "+got)
		}
	}
}
