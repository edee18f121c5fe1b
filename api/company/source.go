package company

import (
	"time"

	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Source describes the origin and age of a part of an answer.
type Source struct {
	Name        string     `json:"name" doc:"Registry: anaf (tax authority), onrc (trade register), anaf-bilant (yearly statements, from the files or the service that their form names), anaf-vat-collection (its daily file of VAT on collection), anaf-farmers, anaf-nonprofits, anaf-efactura (its registers of farmers, non-profits and RO e-Factura), or vies (EU VAT numbers)."`
	RetrievedAt *time.Time `json:"retrievedAt" doc:"When the registry answered, UTC; null if it could not be queried, and for yearly statements."`
	AsOf        *ro.Date   `json:"asOf" doc:"Date to which the registry's answer applies; null if it could not be queried. For balance sheets, that of the newest one."`
	Cache       string     `json:"cache" doc:"HIT if it came from the cache, MISS if the registry was queried for this answer."`
	Stale       bool       `json:"stale" doc:"Whether the answer is a stored copy past its lifetime."`
	Missing     []int      `json:"missingYears,omitempty" doc:"Years that could not be fetched in time; fetching continues, so try again soon."`
}

// sheetSource returns the source entry of balance sheets, the newest first. They come from several files, so the date
// is that of the newest one; each sheet has its own. Hit reports that the tax authority was not queried.
func sheetSource(sheets []BalanceSheet, hit bool) Source {
	s := Source{Name: "anaf-bilant", Cache: op.Miss}
	if hit {
		s.Cache = op.Hit
	}
	if len(sheets) > 0 && sheets[0].AsOf != 0 {
		s.AsOf = &sheets[0].AsOf
	}

	return s
}

// Certified returns the part that a receipt certifies.
func (s *Source) Certified() proof.Source {
	return proof.Source{Name: s.Name, RetrievedAt: s.RetrievedAt, AsOf: s.AsOf}
}
