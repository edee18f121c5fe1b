package vat

import (
	"regexp"
	"testing"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// The description lets through whatever the gateway accepts: clients may check the pattern before a request.
func TestPatternOfVATNumbers(t *testing.T) {
	for _, text := range []string{"RO9900000010", "fr 46.688-637 511", "IE8+52100V", "IE8*52100V"} {
		var number ro.VATNumber
		if err := number.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}

		for _, s := range []jsonschema.Schema{number.Schema(), Requester("").Schema()} {
			if !regexp.MustCompile(s.Pattern).MatchString(text) {
				t.Errorf("%q does not match %s", text, s.Pattern)
			}
		}
	}
}
