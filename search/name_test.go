package search

import "testing"

func TestRespelled(t *testing.T) {
	for _, c := range []struct {
		text, want string
		ok         bool
	}{
		{"CÂMPIA", "CÎMPIA", true},
		{"Cîmpia Turzii", "Câmpia Turzii", true},
		{"ÎNTRE Rîuri", "ÎNTRE Râuri", true},
		{`"ÎNTRE-ÎNTRE" RIURI`, "", false},
		{"Plai", "", false},
	} {
		if got, ok := vowelVariant(c.text); ok != c.ok || ok && got != c.want {
			t.Errorf("%q in the other spelling is %q (%t), want %q (%t)", c.text, got, ok, c.want, c.ok)
		}
	}
}
