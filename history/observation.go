package history

import (
	"time"

	"github.com/rodata/rodata/api"
)

// Observation is what the tax authority said about a company. It is immutable.
type Observation struct {
	Company api.CUI
	// Day is the day whose statuses the record gives: the day of At in Bucharest, unless the tax authority was asked
	// about a past day.
	Day api.Date
	// At is when the answer arrived. It is stored in milliseconds.
	At time.Time
	// Fingerprint is the same for two records that say the same.
	Fingerprint [16]byte
	// Record is the record as it was sent, packed.
	Record []byte
}

// Ordinary reports whether the tax authority was asked about the day on which it answered, and not about a past one.
func (o *Observation) Ordinary() bool { return o.Day == api.DateIn(o.At, api.Bucharest) }

// Change is an ordinary observation that says something new, and the ordinary one before it, whose time is zero if
// there is none.
type Change struct {
	Before, After Observation
	// Superseded is true when a later ordinary observation is already stored: the change is old news.
	Superseded bool
}

// Look is a day on which the tax authority was asked and said the same as before.
type Look struct {
	// Day is the day whose statuses were requested; it is earlier than On if that was a past day.
	Day api.Date
	// On is the day in Bucharest on which the answer arrived. The hour is not known.
	On api.Date
}
