package history

import (
	"time"

	"github.com/rodata/rodata/ro"
)

// Observation is an answer of the tax authority about a company. It is immutable.
type Observation struct {
	Company ro.CUI
	// Day is the day of the record's statuses: the day of At in Bucharest, unless the request was for a past day.
	Day ro.Date
	// At is the time of the answer. It is stored in milliseconds.
	At time.Time
	// Fingerprint is equal for two records with the same content.
	Fingerprint [16]byte
	// Record is the record as sent, compressed.
	Record []byte
}

// Ordinary reports whether the request was for the current day, not for a past one.
func (o *Observation) Ordinary() bool { return o.Day == ro.DateIn(o.At, ro.Bucharest) }

// Change is an ordinary observation with new content, and the preceding ordinary observation. If there is none, the
// time of the preceding one is zero.
type Change struct {
	Before, After Observation
	// Superseded is true if a later ordinary observation is already stored, so that the change is outdated.
	Superseded bool
}

// Confirmation records that the tax authority returned the same content as before.
type Confirmation struct {
	// Day is the requested day of the statuses. It is earlier than On if the request was for a past day.
	Day ro.Date
	// On is the day in Bucharest on which the answer arrived. The time of day is not stored.
	On ro.Date
}
