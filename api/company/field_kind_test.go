package company

import (
	"testing"

	"github.com/rodata/rodata/internal/table"
)

// A column has the type that its field has in JSON, in every format.
func TestColumnsHaveTheTypesOfTheSchema(t *testing.T) {
	for field, want := range map[Field]table.Kind{
		"taxId": table.Integer, "name": table.Text, "vatPayer": table.Flag, "registrationDate": table.Date,
		"mainNaceCode": table.Text, "seat.sirutaCode": table.Integer, "vatPeriods.from": table.Text,
		"inactive.status": table.Flag, "registers.farmers.registered": table.Flag, "registers.farmers.from": table.Date,
	} {
		if got := FieldKind(field); got != want {
			t.Errorf("%s: kind %d, want %d", field, got, want)
		}
	}
}
