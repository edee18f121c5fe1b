package onrc

import "testing"

func TestWithoutPersonal(t *testing.T) {
	tests := map[string]struct {
		text, want string
		found      bool
	}{
		"alone":                    {"1990299000001", "", true},
		"inside":                   {"CNP 1990299000001, et. 2", "CNP , et. 2", true},
		"twice":                    {"1990299000001/2990299000002", "/", true},
		"a register number":        {"J2017015812405", "J2017015812405", false},
		"an identifier":            {"ROONRC.J2017015812405", "ROONRC.J2017015812405", false},
		"fewer digits":             {"tel. 0722000000", "tel. 0722000000", false},
		"more digits":              {"00019902990000019", "00019902990000019", false},
		"after letters with marks": {"Ş1990299000001", "Ş", true},
		"none":                     {"Str. Exemplu", "Str. Exemplu", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			given := []byte(test.text)
			got, found := withoutPersonal(given)
			if string(got) != test.want || found != test.found {
				t.Errorf("%q becomes %q (%t), want %q", test.text, got, found, test.want)
			}
			if string(given) != test.text {
				t.Error("the text itself was changed")
			}
		})
	}
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
	tests := map[string]struct{ text, want string }{
		"with dots":     {"administrator, născut la 02.01.1900", "administrator, născut la "},
		"with slashes":  {"EXEMPLU ANA 2/1/1980", "EXEMPLU ANA "},
		"with a time":   {"02/02/1970 14:45:06", ""},
		"as ISO 8601":   {"EXEMPLU 1980-01-01", "EXEMPLU "},
		"other numbers": {"membru 2 din 3, 10.000 de acțiuni", "membru 2 din 3, 10.000 de acțiuni"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got, _ := withoutDates([]byte(test.text)); string(got) != test.want {
				t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
			}
		})
	}
}
