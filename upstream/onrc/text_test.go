package onrc

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/search"
	"github.com/rodata/rodata/upstream/siruta"
)

// converts verifies what a function makes of texts. Each case has a text and the result.
func converts(t *testing.T, convert func(string) string, cases map[string][2]string) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := convert(c[0]); got != c[1] {
				t.Errorf("%q becomes %q, want %q", c[0], got, c[1])
			}
		})
	}
}

func TestClean(t *testing.T) {
	converts(t, clean, map[string][2]string{
		"already clean":         {`"HOPE EXEMPLU" SRL`, `"HOPE EXEMPLU" SRL`},
		"cedillas":              {"Şoseaua Ţării, Argeş", "Șoseaua Țării, Argeș"},
		"spaces":                {"  A \t B\u00a0C ", "A B C"},
		"control characters":    {"A\x00B\u202eC", "A BC"},
		"not UTF-8":             {"A\xffB", "AB"},
		"empty":                 {"", ""},
		"too long":              {strings.Repeat("ș", maxText), strings.Repeat("ș", maxText/2)},
		"a space at the end":    {"A ", "A"},
		"a space at the begin":  {" A", "A"},
		"two spaces in between": {"A  B", "A B"},
	})
}

func TestDayOfRegistration(t *testing.T) {
	converts(t, func(text string) string {
		if day := (&firmReader{dropped: reasons{}}).day(text); day != 0 {
			return day.String()
		}
		return ""
	}, map[string][2]string{
		"as usual":        {"25/01/2018", "2018-01-25"},
		"with a time":     {"09/01/2023 00:00:00", "2023-01-09"},
		"with dots":       {"09.09.1991", "1991-09-09"},
		"as ISO 8601":     {"1991-09-09", "1991-09-09"},
		"without zeros":   {"9/9/1991", "1991-09-09"},
		"no such day":     {"31/02/2018", ""},
		"no such year":    {"01/01/0001", ""},
		"before all":      {"31/12/1799", ""},
		"no day at all":   {"necunoscut", ""},
		"month day order": {"01/25/2018", ""},
	})
}

func TestWebsite(t *testing.T) {
	converts(t, website, map[string][2]string{
		"a host":                 {"www.exemplu.example", "www.exemplu.example"},
		"in capitals":            {"HTTP://WWW.Exemplu.EXAMPLE/", "www.exemplu.example"},
		"with a path":            {"https://exemplu.example/Despre/", "exemplu.example/Despre"},
		"the first of several":   {"www.a.example; www.b.example", "www.a.example"},
		"an e-mail before it":    {"contact@exemplu.example, exemplu.example", "exemplu.example"},
		"an e-mail alone":        {"contact@exemplu.example", ""},
		"diacritics":             {"mărgele.example", "mărgele.example"},
		"no domain":              {"exemplu", ""},
		"a number":               {"0722.000.000", ""},
		"punctuation":            {"-", ""},
		"a comma for a dot":      {"www.exemplu,example", ""},
		"a dot too many":         {"www..example", ""},
		"a dot at the end":       {"www.exemplu.example.", "www.exemplu.example"},
		"a script":               {"javascript:alert(1).example", ""},
		"a scheme without slash": {"http:www.exemplu.example", ""},
	})
}

func TestRanks(t *testing.T) {
	known := ranks(map[string]string{
		"1055": "dizolvare fără lichidare", "1036": "sechestru", "2069": "radiată, ce spune altă sursă",
		"1084": "funcțiune",
	})
	tests := map[string]struct {
		codes []string
		want  company.StateRegistration
	}{
		"in operation":                {[]string{"1048"}, company.InOperation},
		"the worst of two":            {[]string{"1048", "1074"}, company.Suspended},
		"in whatever order":           {[]string{"1084", "1070", "1048"}, company.StruckOff},
		"bankrupt is worse":           {[]string{"1107", "1070"}, company.Bankrupt},
		"liquidation over dissolving": {[]string{"1049", "1052"}, company.InLiquidation},
		"administrative codes":        {[]string{"1048", "2069", "2120"}, company.InOperation},
		"only administrative codes":   {[]string{"2069"}, company.UnknownState},
		"a code by its name":          {[]string{"1048", "1055"}, company.Dissolved},
		"a code of another name":      {[]string{"1036"}, company.UnknownState},
		"none":                        {nil, company.UnknownState},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var rank uint8
			for _, code := range test.codes {
				rank = max(rank, known[code])
			}
			if search.States[rank] != test.want {
				t.Errorf("%v is %s, want %s", test.codes, search.States[rank], test.want)
			}
		})
	}
}

func TestReadActivity(t *testing.T) {
	converts(t, activities{}.read, map[string][2]string{
		"of 2008":            {"6201^2", "2:6201"},
		"of 2025":            {"6210^3", "3:6210"},
		"of an old release":  {"6201^Versiunea 2008", "2:6201"},
		"a zero lost":        {"119^2", "2:0119"},
		"a version unknown":  {"6201^9", ""},
		"no code":            {"^2", ""},
		"not a code":         {"62AB^2", ""},
		"a code of no class": {"62^2", ""},
	})
}

func TestCurrentClass(t *testing.T) {
	tests := map[string]struct {
		code       uint16
		authorised []string
		want       string
	}{
		"of Rev.3":                           {6210, []string{"2:6201"}, "6210"},
		"replaced by one":                    {6201, nil, "6210"},
		"replaced by several, one is theirs": {4120, []string{"2:4120", "3:4100"}, "4100"},
		"replaced by several":                {4120, []string{"2:4120"}, "4120"},
		"of no revision":                     {9998, nil, "9998"},
		"not known":                          {0, nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := currentClass(test.code, test.authorised); got != test.want {
				t.Errorf("%d is now %s, want %s", test.code, got, test.want)
			}
		})
	}
}

func FuzzFirm(f *testing.F) {
	f.Add(row(map[int]string{firmName: "EXEMPLU SRL", firmTaxID: "9900000029", firmCounty: "Argeş",
		firmPlace: "Lereşti", firmWeb: "www.a.example"}))
	f.Add(row(map[int]string{firmName: "\xff\u202e", firmCounty: "Bucureşti", firmPlace: "Sector", firmDay: "1/1/1"}))
	places := newGazetteer(siruta.Load())
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := (&firmReader{places: places, dropped: reasons{}}).read(text)
		for _, s := range []string{got.Name, got.City, got.Address, got.Website, got.Form, got.EUID} {
			if !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r\x00") {
				t.Errorf("%q is not fit to be shown", s)
			}
		}

		if ok && got.Name == "" {
			t.Error("a company has no name")
		}
	})
}

func FuzzPersonal(f *testing.F) {
	f.Add("CNP 1990299000001, J2017015812405")
	f.Fuzz(func(t *testing.T, text string) {
		clean, _ := withoutPersonal([]byte(text))
		if again, found := withoutPersonal(clean); found {
			t.Errorf("%q becomes %q, and that %q", text, clean, again)
		}
	})
}

func TestWithoutPersonal(t *testing.T) {
	converts(t, func(text string) string {
		given := []byte(text)
		got, found := withoutPersonal(given)
		if found != (string(got) != text) || string(given) != text {
			t.Errorf("%q became %q, found %t, and is %q now", text, got, found, given)
		}

		return string(got)
	}, map[string][2]string{
		"alone":                    {"1990299000001", ""},
		"inside":                   {"CNP 1990299000001, et. 2", "CNP , et. 2"},
		"twice":                    {"1990299000001/2990299000002", "/"},
		"a register number":        {"J2017015812405", "J2017015812405"},
		"an identifier":            {"ROONRC.J2017015812405", "ROONRC.J2017015812405"},
		"fewer digits":             {"tel. 0722000000", "tel. 0722000000"},
		"more digits":              {"00019902990000019", "00019902990000019"},
		"after letters with marks": {"Ş1990299000001", "Ş"},
		"none":                     {"Str. Exemplu", "Str. Exemplu"},
	})
}

func TestHarmless(t *testing.T) {
	tests := map[string]struct {
		table      *table
		column     string
		cell, want string
	}{
		"a tax id":                  {firmTable, "CUI", "14399840", "14399840"},
		"a person for a tax id":     {firmTable, "CUI", "1990299000001", ""},
		"a register number":         {firmTable, keyColumn, "J 2017015812405", "J 2017015812405"},
		"a person for the register": {firmTable, keyColumn, "1990299000001", ""},
		"a date in an address":      {firmTable, "ADR_COMPLETARE", "contract 1/02.03.2005", "contract 1/02.03.2005"},
		"a date in a role":          {officerTable, "CALITATE", "administrator 02.03.1955", "administrator "},
		"a person in an identifier": {firmTable, "EUID", "ROONRC.1990299000001", "ROONRC."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &splitTable{Dropped: reasons{}}
			if got := s.redact(test.table, test.column, []byte(test.cell)); string(got) != test.want {
				t.Errorf("%q becomes %q, want %q", test.cell, got, test.want)
			}
		})
	}
}

func TestWithoutDates(t *testing.T) {
	withoutDates := func(text string) string { got, _ := withoutDates([]byte(text)); return string(got) }
	converts(t, withoutDates, map[string][2]string{
		"with dots":     {"administrator, născut la 02.01.1900", "administrator, născut la "},
		"with slashes":  {"EXEMPLU ANA 2/1/1980", "EXEMPLU ANA "},
		"with a time":   {"02/02/1970 14:45:06", ""},
		"as ISO 8601":   {"EXEMPLU 1980-01-01", "EXEMPLU "},
		"other numbers": {"membru 2 din 3, 10.000 de acțiuni", "membru 2 din 3, 10.000 de acțiuni"},
	})
}
