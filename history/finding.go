package history

import (
	"fmt"
	"time"

	"github.com/rodata/rodata/ro"
)

// Finding is what the last look at a company found.
type Finding struct {
	Company ro.CUI
	// At is the time of the look.
	At time.Time
	// Missing reports that the tax authority did not find the company, or sent a record without a name. A new finding
	// then has no other values, and a stored one has the last known ones.
	Missing  bool
	Statuses Statuses
	// NACE is the main activity and Phone the telephone number. They are zero and empty if unknown.
	NACE  int
	Phone string
}

// MainNACECode returns the code of the main activity; nil if it is unknown.
func (f *Finding) MainNACECode() *string {
	if f.NACE == 0 {
		return nil
	}
	return new(fmt.Sprintf("%04d", f.NACE))
}
