package spelling

import "testing"

func TestOnlyDigits(t *testing.T) {
	for text, want := range map[string]bool{"": true, "0123456789": true, "12a": false, "-1": false, "١": false} {
		if got := OnlyDigits(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
		if got := OnlyDigits([]byte(text)); got != want {
			t.Errorf("%q as bytes: %t", text, got)
		}
	}
}
