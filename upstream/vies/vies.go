// Package vies asks VIES, the Commission's system that passes questions about VAT numbers on to the registers of the
// member states.
//
// Each state has a queue and a breaker of its own, since each fails on its own: while one is down or slow, the numbers of
// the others are answered as usual. A number that nobody could be asked about is unknown, and never invalid.
package vies

import (
	"time"

	"github.com/rodata/rodata/internal/vatid"
)

// Name is the registry's short name.
const Name = "vies"

// Question is a VAT number that VIES is asked about, and for whom.
type Question struct {
	Number vatid.Number
	// Requester is the VAT number of who asks. The answer then has a consultation number. Empty for nobody.
	Requester vatid.Number
	// Owner is the account that the answer for a requester belongs to: it is shared with no other. Empty without a
	// requester.
	Owner string
}

// String is different for different questions. It names them in the cache.
func (q Question) String() string {
	if q.Requester == "" {
		return string(q.Number)
	}
	return string(q.Number) + " " + string(q.Requester) + " " + q.Owner
}

// Verdict is an answer of VIES.
type Verdict struct {
	// Valid reports whether the number is valid for trade within the Union on the day of the question.
	Valid bool `json:"valid"`
	// Name and Address are the trader's; empty where the state does not publish them, or the number is not valid.
	Name    string `json:"name,omitempty"`
	Address string `json:"address,omitempty"`
	// RequestDate is when VIES took the question; zero if it did not say.
	RequestDate time.Time `json:"requestDate,omitzero"`
	// Consultation is the consultation number, which proves the question; empty without a requester.
	Consultation string `json:"consultation,omitempty"`
	// RecordSHA256 is the SHA-256 of the answer as it was sent, in hexadecimal.
	RecordSHA256 string `json:"recordSha256"`
}

const (
	// validFor is how long a valid number is taken to stay so, invalidFor how long an invalid one: an invalid number is
	// asked about again soon, since registrations take days to reach VIES.
	validFor   = 24 * time.Hour
	invalidFor = time.Hour
	// staleFor is how old a valid answer may be that is still given as such, when its state cannot be asked.
	staleFor = 7 * 24 * time.Hour
	// rememberedFor is how long an old answer is reported as lastKnown.
	rememberedFor = 30 * 24 * time.Hour
)

// Lasts implements cache.Lasting.
func (v Verdict) Lasts() time.Duration {
	if v.Valid {
		return validFor
	}
	return invalidFor
}
