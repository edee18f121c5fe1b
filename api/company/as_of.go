package company

import (
	"fmt"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/ro"
)

// AsOfBasis is the source of a status on a day.
type AsOfBasis string

// The values of AsOfBasis.
const (
	// FromRegister: the tax authority was queried for that day.
	FromRegister AsOfBasis = "register"
	// FromObservation: the status is in the tax authority's record that was observed at that time.
	FromObservation AsOfBasis = "observed"
	// FromPeriods: the status was computed from the periods in a later record.
	FromPeriods AsOfBasis = "periods"
)

// Schema lists the values.
func (AsOfBasis) Schema() jsonschema.Schema {
	return jsonschema.Enum(FromRegister, FromObservation, FromPeriods)
}

// FirstStatusDay is the day on which the first VAT registrations took effect.
var FirstStatusDay = ro.NewDate(1993, 7, 1)

// CheckStatusDay rejects days without statuses.
func CheckStatusDay(name string, day ro.Date) error {
	today, reason := ro.Today(), ""
	switch {
	case day > today:
		reason = fmt.Sprintf("%s is in the future, so the register has no status for it yet", day)
	case day < FirstStatusDay:
		reason = fmt.Sprintf("%s is before %s, when the first registrations for VAT began", day, FirstStatusDay)
	default:
		return nil
	}

	return op.OutOfRange(name, day, fmt.Sprintf("a day from %s to %s, which is today in Bucharest", FirstStatusDay, today),
		reason)
}
