package site

import (
	"regexp"
	"testing"
	"time"
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
