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

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"cluj", "cluj", 0}, {"cluj", "cluk", 1}, {"cluj", "clj", 1}, {"cluj", "clluj", 1}, {"", "arad", 4},
		{"arad", "", 4}, {"iași", "iasi", 1}, {"vaslui", "vrancea", 5}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q differ in %d letters, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("%q and %q differ in %d letters, want %d", c.b, c.a, got, c.want)
		}
	}
}
