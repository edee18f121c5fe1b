package api

import (
	"time"

	"github.com/rodata/rodata/ro"
)

// certifiedSource is the part of a Source that a receipt certifies: it is the same in all answers from one record.
type certifiedSource struct {
	Name        string     `json:"name"`
	RetrievedAt *time.Time `json:"retrievedAt"`
	AsOf        *ro.Date   `json:"asOf"`
}
