package spelling

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"q", "county", "city", "naceCode", "limit", "offset", "sortBy", "sortDirection"}
	for name, want := range map[string]string{
		"limt": "limit", "LIMIT": "limit", "caenCode": "naceCode", "nace": "naceCode", "sort": "sortBy",
		"countyId":                        "county",
		strings.Repeat("c", 65) + "ounty": "", "q" + strings.Repeat("c", 64): "",
		"x": "", "": "", "utm_source": "", "offfset": "offset",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
