package spelling

import "testing"

func TestFoldingForgetsHowANameIsWritten(t *testing.T) {
	for _, c := range []struct{ name, text, fold, slug string }{
		{"comma below", "Târgu Mureș, Țara", "targu mures tara", "targu-mures-tara"},
		{"cedilla", "TÂRGU MUREŞ, ŢARA", "targu mures tara", "targu-mures-tara"},
		{"accents after their letters", "Mures\u0326 a\u0302", "mures a", "mures-a"},
		{"hyphens and spaces", " Cluj - Napoca ", "cluj napoca", "cluj-napoca"},
		{"dots", "C.A.Rosetti", "c a rosetti", "c-a-rosetti"},
		{"digits", "23 August", "23 august", "23-august"},
		{"digits without a space", "Sector3", "sector 3", "sector-3"},
		{"neighbours' letters", "Gyergyószentmiklós Große", "gyergyoszentmiklos grosse", "gyergyoszentmiklos-grosse"},
		{"other scripts stay", "Plovdiv Пловдив", "plovdiv пловдив", "plovdiv-пловдив"},
		{"nothing to compare", "- . !", "", ""},
		{"broken text", "a\xffb", "a b", "a-b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Fold(c.text); got != c.fold {
				t.Errorf("Fold(%q) = %q, want %q", c.text, got, c.fold)
			}
			if got := Slug(c.text); got != c.slug {
				t.Errorf("Slug(%q) = %q, want %q", c.text, got, c.slug)
			}
		})
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"EXEMPLU &amp; FIII":                "EXEMPLU & FIII",
		"&quot;EXEMPLU&QUOT; &#537;&#x21B;": `"EXEMPLU" șț`,
		"A&#0;B&#8203;C&nbsp;D":             "ABC D",
		"TUR&REG SRL, A &COPY B, C&D; E":    "TUR&REG SRL, A &COPY B, C&D; E", // no escapes
		"&amp;amp;":                         "&amp;",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add("Târgu-Mureș")
	f.Add("a\u0302\xff İ K ß")
	f.Fuzz(func(t *testing.T, text string) {
		once := Fold(text)
		if twice := Fold(once); twice != once {
			t.Errorf("Fold(%q) = %q, which folds to %q", text, once, twice)
		}
	})
}
