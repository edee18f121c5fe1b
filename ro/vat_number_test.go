package ro_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// numbers lists valid invented numbers of every state, and the first number of each state with one digit changed.
var numbers = []struct {
	state ro.MemberState
	good  []string
	bad   string
}{
	{"AT", []string{"ATU89089584", "ATU98645742"}, "ATU88089584"},
	{"BE", []string{"BE0138517087", "BE1519150652"}, "BE0198517087"},
	{"BG", []string{"BG857462258", "BG892289066"}, "BG857460258"},
	{"CY", []string{"CY30684716A", "CY33902276J"}, "CY30684916A"},
	{"CZ", []string{"CZ84647477", "CZ75710145"}, "CZ82647477"},
	{"DE", []string{"DE445947920", "DE487958583"}, "DE445847920"},
	{"DK", []string{"DK34413126", "DK60142610"}, "DK34813126"},
	{"EE", []string{"EE053934657", "EE934029348"}, "EE053924657"},
	{"EL", []string{"EL166102944", "EL802446032"}, "EL166100944"},
	{"ES", []string{"ES77761711E", "ESB94774437", "ESA08251118", "ESX0494974Z", "ESN0827265J"}, "ES77764711E"},
	{"FI", []string{"FI01178732", "FI04573973"}, "FI01478732"},
	{"FR", []string{"FR46688637511", "FR04491590436"}, "FR46688636511"},
	{"HR", []string{"HR48541307138", "HR45848536367"}, "HR48542307138"},
	{"HU", []string{"HU39062659", "HU22762869"}, "HU32062659"},
	{"IE", []string{"IE6665000M", "IE7510885KA", "IE9F95018A", "IE8+52100V", "IE8*52100V"}, "IE6165000M"},
	{"IT", []string{"IT79889300715", "IT01561230218"}, "IT79889301715"},
	{"LT", []string{"LT803217611", "LT455192993314"}, "LT803017611"},
	{"LU", []string{"LU31292804", "LU15199471"}, "LU31299804"},
	{"LV", []string{"LV64885563480", "LV50191205283"}, "LV64883563480"},
	{"MT", []string{"MT16053517", "MT35512831"}, "MT16653517"},
	{"NL", []string{"NL567298553B01", "NL356514997B88"}, "NL568298553B01"},
	{"PL", []string{"PL8205089551", "PL0829617327"}, "PL8285089551"},
	{"PT", []string{"PT328366846", "PT912560690"}, "PT323366846"},
	{"RO", []string{"RO52625320", "RO1514676640", "RO31031"}, "RO52620320"},
	{"SE", []string{"SE259288082301", "SE644086745201"}, "SE259288072301"},
	{"SI", []string{"SI90894812", "SI20324782"}, "SI90890812"},
	{"SK", []string{"SK8495869063", "SK8635688347"}, "SK8495839063"},
	{"XI", []string{"XI713470793", "XI150017617116"}, "XI713474793"},
}

// Numbers of every state are checked for their format and check digit.
func TestControlDigits(t *testing.T) {
	if len(numbers) != len(ro.MemberStates) {
		t.Fatalf("%d of %d states have numbers", len(numbers), len(ro.MemberStates))
	}

	for i, test := range numbers {
		t.Run(string(test.state), func(t *testing.T) {
			if ro.MemberStates[i] != test.state || !test.state.IsKnown() || test.state.Name() == "" {
				t.Errorf("state %q is %q", test.state, ro.MemberStates[i])
			}

			for _, text := range test.good {
				n, err := ro.ParseVATNumber(text)
				if err != nil || string(n) != text || n.State() != test.state || n.National() != text[2:] {
					t.Errorf("%s is %q: %v", text, n, err)
				}
			}

			var wrong *problem.InputError
			if n, err := ro.ParseVATNumber(test.bad); !errors.As(err, &wrong) || wrong.Code != problem.CheckDigit {
				t.Errorf("%s is %q: %v", test.bad, n, err)
			}
			if n, err := ro.ParseVATNumber(test.good[0] + "12345"); !errors.As(err, &wrong) ||
				wrong.Code != problem.InvalidFormat {
				t.Errorf("%s with five digits more is %q: %v", test.good[0], n, err)
			}
		})
	}
}

func TestParse(t *testing.T) {
	tests := map[string]struct {
		text string
		want ro.VATNumber
		err  string
	}{
		"canonical":                    {"RO52625320", "RO52625320", ""},
		"separators":                   {" ro 526.253-20\u00a0", "RO52625320", ""},
		"leading zeros of a CUI":       {"RO0052625320", "RO52625320", ""},
		"Greece by its ISO code":       {"GR 166102944", "EL166102944", ""},
		"a Greek number of old":        {"EL12345679", "", "control digit"},
		"a Belgian number of old":      {"BE138517087", "BE0138517087", ""},
		"Dutch, since 2020":            {"NL 356514997 B88", "NL356514997B88", ""},
		"a Spanish entity, by digit":   {"ESA08251118", "ESA08251118", ""},
		"a kind of Spanish entity":     {"ESI08251118", "", "control digit"},
		"a department of the kingdom":  {"XIGD123", "XIGD123", ""},
		"a person in Bulgaria":         {"BG1234567890", "BG1234567890", ""},
		"a foreigner in Bulgaria":      {"BG1234567893", "BG1234567893", ""},
		"another in Bulgaria":          {"BG1234567892", "BG1234567892", ""},
		"nobody in Bulgaria":           {"BG1234567891", "", "control digit"},
		"a person in Czechia":          {"CZ123456789", "CZ123456789", ""},
		"a person in Latvia":           {"LV12345678908", "LV12345678908", ""},
		"a new person in Latvia":       {"LV32345678901", "LV32345678901", ""},
		"nobody in Latvia":             {"LV12345678901", "", "control digit"},
		"a plus elsewhere":             {"IE85+2100V", "", "7 digits"},
		"a French key with letters":    {"FRK7123456789", "FRK7123456789", ""},
		"without a state":              {"14399840", "", "the code of a member state"},
		"of no state":                  {"US123456789", "", "the code of a member state"},
		"Great Britain":                {"GB 123 4567 89", "", "left VIES on 2021-01-01"},
		"nothing":                      {"", "", "the code of a member state"},
		"a code alone":                 {"DE", "", "DE and 9 digits"},
		"too short":                    {"DE12345678", "", "DE and 9 digits"},
		"a letter":                     {"DE12345678X", "", "DE and 9 digits"},
		"digits of another script":     {"DE٤٤٥٩٤٧٩٢٠", "", "DE and 9 digits"},
		"zeros alone":                  {"RO000", "", "RO and 2 to 10 digits"},
		"a separator that is no such":  {"DE/445947920", "", "DE and 9 digits"},
		"a person's number in Romania": {"RO1900101123456", "", "RO and 2 to 10 digits"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			n, err := ro.ParseVATNumber(test.text)
			if n != test.want {
				t.Errorf("%q is %q, want %q", test.text, n, test.want)
			}
			if test.err == "" && err != nil ||
				test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("%q: %v, want an error with %q", test.text, err, test.err)
			}
		})
	}
}

// For any input, an accepted number is in its canonical form.
func FuzzParse(f *testing.F) {
	for _, test := range numbers {
		f.Add(test.good[0])
		f.Add(strings.ToLower(test.bad))
	}

	f.Fuzz(func(t *testing.T, text string) {
		n, err := ro.ParseVATNumber(text)
		if err != nil {
			return
		}
		if again, err := ro.ParseVATNumber(string(n)); err != nil || again != n {
			t.Errorf("%q is parsed as %q, which is parsed as %q: %v", text, n, again, err)
		}
	})
}
