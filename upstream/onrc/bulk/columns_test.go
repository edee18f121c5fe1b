package bulk

import (
	"testing"

	"github.com/rodata/rodata/api/company"
)

// A field of a company or of its seat has one type in JSON and in the files of a release.
func TestColumnsHaveTheTypesOfJSON(t *testing.T) {
	for _, c := range columns {
		var field company.Field
		if field.UnmarshalText([]byte(c.Name)) != nil && field.UnmarshalText([]byte("seat."+c.Name)) != nil {
			t.Errorf("%s is no field", c.Name)
		}
		if want := company.FieldKind(field); c.Kind != want {
			t.Errorf("%s has the type %d, want %d", c.Name, c.Kind, want)
		}
	}

	for _, c := range changeColumns {
		if want := company.FieldKind(company.Field(c.Name)); c.Kind != want {
			t.Errorf("%s of a change has the type %d, want %d", c.Name, c.Kind, want)
		}
	}
}
