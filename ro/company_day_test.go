package ro

import "testing"

func TestCompanyDayString(t *testing.T) {
	for want, c := range map[string]CompanyDay{
		"9900000010":            {CUI: 9900000010},
		"9900000010@2025-03-31": {9900000010, NewDate(2025, 3, 31)},
	} {
		if got := c.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
