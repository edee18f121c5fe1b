// Package vies queries VIES, the Commission's system that forwards questions about VAT numbers to the member states'
// registers.
//
// Each state has a separate queue and breaker, because states fail independently. While one is down or slow, the
// numbers of the others are answered as usual. A number that could not be checked is unknown, and never invalid.
package vies

import (
	"time"

	"github.com/rodata/rodata/ro"
)

// Name is the registry's short name.
const Name = "vies"

// Question is a VAT number to check, and the requester.
type Question struct {
	Number ro.VATNumber
	// Requester is the VAT number of the party on whose behalf VIES is queried. It gets a consultation number. Empty
	// for none.
	Requester ro.VATNumber
	// Owner is the account of the requester. The answer is not shared with other accounts. It is empty without a
	// requester.
	Owner string
}

// String returns the question's cache key.
func (q Question) String() string {
	if q.Requester == "" {
		return string(q.Number)
	}
	return string(q.Number) + " " + string(q.Requester) + " " + q.Owner
}

// Result is an answer of VIES.
type Result struct {
	// Valid reports whether the number is valid for trade within the Union on the day of the question.
	Valid bool `json:"valid"`
	// Name and Address are the trader's. They are empty if the state does not publish them, or if the number is not
	// valid.
	Name    string `json:"name,omitempty"`
	Address string `json:"address,omitempty"`
	// RequestDate is the time of the question by VIES's clock. It is zero if VIES did not send it.
	RequestDate time.Time `json:"requestDate,omitzero"`
	// Consultation is the consultation number, which proves that the query was made. It is empty without a requester.
	Consultation string `json:"consultation,omitempty"`
	// RecordSHA256 is the SHA-256 of the answer as it was sent, in hexadecimal.
	RecordSHA256 string `json:"recordSha256"`
}

const (
	// validFor and invalidFor are the lifetimes of answers. Invalid ones are short-lived, since registrations take days
	// to reach VIES.
	validFor   = 24 * time.Hour
	invalidFor = time.Hour
	// staleFor bounds the age of a valid answer that is served while its state cannot be queried.
	staleFor = 7 * 24 * time.Hour
	// rememberedFor bounds the age of an answer that is reported as lastKnown.
	rememberedFor = 30 * 24 * time.Hour
)

// Lasts implements cache.Lasting.
func (v Result) Lasts() time.Duration {
	if v.Valid {
		return validFor
	}
	return invalidFor
}
