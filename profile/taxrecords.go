package profile

import (
	"context"
	"errors"
	"fmt"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

// recordPatience is the maximum time that a caller waits for a record. Fetches in progress continue without the caller.
const recordPatience = ration.Deadline

// TaxRecords provides the tax authority's other records: see [company.TaxRecords] and [company.TaxRegisters].
type TaxRecords struct {
	register            *Register
	eInvoices           *smallRegister[company.EInvoiceEntry]
	farmers, nonProfits *smallRegister[company.RegisterEntry]
}

// NewTaxRecords puts the cache in front of the registers. Statements come from the sheets of the register of companies.
func NewTaxRecords(c *cache.Cache, life Lifetimes, r *Register, load RegisterLoaders) *TaxRecords {
	return &TaxRecords{
		register:  r,
		eInvoices: newSmallRegister(c, life, "anaf-efactura", "efactura", anaf.MaxBatch, load.EInvoices, readEInvoice),
		farmers:   newSmallRegister(c, life, "anaf-farmers", "farmers", anaf.MaxEntries, load.Farmers, readEnrolment),
		nonProfits: newSmallRegister(c, life, "anaf-nonprofits", "nonprofits", anaf.MaxEntries, load.NonProfits,
			readEnrolment),
	}
}

// Close stops background fetches.
func (t *TaxRecords) Close() {
	t.eInvoices.later.end()
	t.farmers.later.end()
	t.nonProfits.later.end()
}

// Forget removes a company's records of the registers from the cache, like [Register.Forget] does with its profile.
func (t *TaxRecords) Forget(ctx context.Context, cui ro.CUI) error {
	return errors.Join(t.eInvoices.Forget(ctx, cui), t.farmers.Forget(ctx, cui), t.nonProfits.Forget(ctx, cui))
}

// Drop removes these records from the cache of this process only.
func (t *TaxRecords) Drop(cui ro.CUI) error {
	return errors.Join(t.eInvoices.Drop(cui), t.farmers.Drop(cui), t.nonProfits.Drop(cui))
}

// EInvoiceRecord implements [company.TaxRecords].
func (t *TaxRecords) EInvoiceRecord(ctx context.Context, asked ro.CompanyDay) (op.Answer[company.Record], error) {
	found, err := t.eInvoices.awaitRecord(ctx, asked)
	return answerOf(&found, found.Value), err
}

// StatementRecord implements [company.TaxRecords]. Stored statements come first, then the bulk statements, then a
// request to the tax authority.
func (t *TaxRecords) StatementRecord(ctx context.Context, cui ro.CUI, year int) (op.Answer[company.Record], error) {
	sheets, filing := t.register.sheets, anaf.Filing{CUI: cui, Year: year}
	found, stored := sheets.storedStatement(ctx, filing)
	if stored {
		return answerOf(&found, found.Value.Record()), nil
	}
	if sheet, ok := sheets.bulkStatement(filing); ok {
		return t.compose(filing, sheet)
	}

	found, err := awaitRecord(ctx, sheets.facts(year), filing)
	if err != nil {
		return op.Answer[company.Record]{}, err
	}

	return answerOf(&found, found.Value.Record()), nil
}

// awaitRecord looks up a record, and waits for it as long as a caller may.
func awaitRecord[K comparable, V any](ctx context.Context, facts *cache.Facts[K, V], key K) (cache.Found[V], error) {
	patient, cancel := context.WithTimeoutCause(ctx, recordPatience, cache.ErrUnattended)
	defer cancel()
	found, err := facts.Get(patient, key)
	if err != nil && errors.Is(err, patient.Err()) && ctx.Err() == nil {
		err = &op.Failure{Registry: taxAuthority, Kind: op.TimedOut,
			Err: fmt.Errorf("waiting for the record of %v: %w", key, err)}
	}

	return found, err
}

// answerOf returns the answer with a record, which may be nil.
func answerOf[V any](found *cache.Found[V], record *anaf.Record) op.Answer[company.Record] {
	answer := op.Answer[company.Record]{Freshness: op.Freshness{
		Cache: op.Miss, RetrievedAt: found.RetrievedAt, FreshUntil: found.FreshUntil, MaxAge: clientMaxAge,
	}}
	if found.Hit {
		answer.Cache = op.Hit
	}
	if record != nil {
		answer.Value = record
	}

	return answer
}
