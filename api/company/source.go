package company

import (
	"time"

	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/ro"
)

// Source describes the origin and age of a part of an answer.
type Source struct {
	Name        string     `json:"name" doc:"Registry: anaf (tax authority), onrc (trade register), anaf-bilant (the tax authority's yearly statements), anaf-vat-collection (its daily file of VAT on collection), anaf-farmers, anaf-nonprofits, anaf-efactura (its registers of farmers, non-profits and RO e-Factura), or vies (EU VAT numbers)."`
	RetrievedAt *time.Time `json:"retrievedAt" doc:"When the registry answered, UTC; null if it could not be queried."`
	AsOf        *ro.Date   `json:"asOf" doc:"Date to which the registry's answer applies; null if it could not be queried."`
	Cache       string     `json:"cache" doc:"HIT if it came from the cache, MISS if the registry was queried for this answer."`
	Stale       bool       `json:"stale" doc:"Whether the answer is a stored copy past its lifetime."`
	Missing     []int      `json:"missingYears,omitempty" doc:"Years that could not be fetched in time; fetching continues, so try again soon."`
}

// Certified returns the part that a receipt certifies.
func (s *Source) Certified() proof.Source {
	return proof.Source{Name: s.Name, RetrievedAt: s.RetrievedAt, AsOf: s.AsOf}
}
