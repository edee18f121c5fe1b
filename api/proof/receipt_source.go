package proof

import (
	"time"

	"github.com/rodata/rodata/ro"
)

// Source is the part of a Source that a receipt certifies: it is the same in all answers from one record.
type Source struct {
	Name        string     `json:"name"`
	RetrievedAt *time.Time `json:"retrievedAt"`
	AsOf        *ro.Date   `json:"asOf"`
}
