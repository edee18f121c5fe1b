package api

import (
	"os"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/op/problem"
)

func TestEveryCodeIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}

	for _, k := range problem.Kinds {
		if row := "| `" + k.Slug + "` |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/errors.md has no row %s", row)
		}
	}

	for _, c := range problem.InputCodes {
		if row := "| `" + string(c.Code) + "` | " + c.Meaning + " |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/errors.md has no row %s", row)
		}
	}
}

// The error of a value that is parsed outside of a call names no parameter.
func TestInputErrorOfAValueOnItsOwn(t *testing.T) {
	err := new(customer.Email).UnmarshalText([]byte("ana"))
	if err == nil || err.Error() != "must be an e-mail address, such as ana@example.ro" {
		t.Errorf("got %q", err)
	}
}
