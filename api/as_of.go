package api

import (
	"fmt"
)

// AsOfBasis says where a status of a day comes from.
type AsOfBasis string

// The bases.
const (
	// FromRegister: the tax authority was asked for that day.
	FromRegister AsOfBasis = "register"
	// FromObservation: it was seen at the time, in the tax authority's record.
	FromObservation AsOfBasis = "observed"
	// FromPeriods: it is computed from the periods of a later record.
	FromPeriods AsOfBasis = "periods"
)

// Schema lists the bases.
func (AsOfBasis) Schema() Schema {
	return Schema{Type: "string", Enum: []string{string(FromRegister), string(FromObservation), string(FromPeriods)}}
}

// firstStatusDay is when the first registrations for VAT began.
var firstStatusDay = NewDate(1993, 7, 1)

// checkStatusDay refuses a day of which there are no statuses.
func checkStatusDay(name string, day Date) error {
	today, reason := Today(), ""
	switch {
	case day > today:
		reason = fmt.Sprintf("%s is in the future: what the register will say on it is not known", day)
	case day < firstStatusDay:
		reason = fmt.Sprintf("%s is before %s, when the first registrations for VAT began", day, firstStatusDay)
	default:
		return nil
	}

	return outOfRange(name, day, fmt.Sprintf("a day from %s to %s, which is today in Bucharest", firstStatusDay, today), reason)
}
