package settings

import "testing"

func TestPrices(t *testing.T) {
	for text, want := range map[string]int64{"19": 1900, "19.50": 1950, "0": 0, "0.05": 5} {
		if got, err := parsePrice(text); got != want || err != nil {
			t.Errorf("%s: got %d, %v", text, got, err)
		}
	}

	for _, text := range []string{"", "-1", "19.5", "19,50", "1e3", "1234567890"} {
		if got, err := parsePrice(text); err == nil {
			t.Errorf("%s: got %d", text, got)
		}
	}
}
