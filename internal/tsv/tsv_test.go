package tsv

import (
	"fmt"
	"testing"
)

func TestRows(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"rows", "a\tb\n1\t\n\"2\"\t3\n", `[["1" ""] ["\"2\"" "3"]] <nil>`},
		{"header alone", "a\tb\n", `[] <nil>`},
		{"short row", "a\tb\n1\t2\n3\n", `[] line 3 has 1 columns, not 2`},
		{"another header", "b\ta\n1\t2\n", `[] the header does not name the columns a, b`},
		{"nothing", "", `[] the header does not name the columns a, b`},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := Rows(c.text, "a", "b")
			if got := fmt.Sprintf("%q %v", rows, err); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
