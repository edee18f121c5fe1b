package profile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

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
	register  *Register
	registers []*smallRegister
	eInvoices *smallRegister // one of them
}

// RegisterLoaders load the records of the tax authority's smaller registers. A loader returns op.ErrUnknown if its
// register confirms that it does not have a company.
type RegisterLoaders map[*anaf.SmallRegister]Records

// NewTaxRecords puts the cache in front of the registers. Statements come from the sheets of the register of companies.
func NewTaxRecords(c *cache.Cache, life Lifetimes, r *Register, load RegisterLoaders) *TaxRecords {
	t := &TaxRecords{register: r}
	for _, of := range anaf.SmallRegisters {
		r := newSmallRegister(c, life, of, load[of])
		t.registers = append(t.registers, r)
		if of == anaf.EInvoices {
			t.eInvoices = r
		}
	}

	return t
}

// Close stops background fetches.
func (t *TaxRecords) Close() {
	for _, r := range t.registers {
		r.later.end()
	}
}

// Forget removes a company's records of the registers from the cache, like [Register.Forget] does with its profile.
func (t *TaxRecords) Forget(ctx context.Context, cui ro.CUI) (err error) {
	for _, r := range t.registers {
		err = errors.Join(err, r.Forget(ctx, cui))
	}
	return err
}

// Drop removes these records from the cache of this process only.
func (t *TaxRecords) Drop(cui ro.CUI) (err error) {
	for _, r := range t.registers {
		err = errors.Join(err, r.Drop(cui))
	}
	return err
}

// Registers implements [company.TaxRegisters].
func (t *TaxRecords) Registers(ctx context.Context, companies []ro.CompanyDay,
	wait time.Duration) []op.Answer[*company.Registers] {
	patient, cancel := context.WithTimeoutCause(ctx, wait, cache.ErrUnattended)
	defer cancel()
	if len(companies) > 1 {
		patient = ration.InList(patient)
	}

	var fetches sync.WaitGroup
	found := make([][]registerAnswer, len(t.registers))
	for n, r := range t.registers {
		found[n] = r.requestAll(patient, companies, &fetches)
	}

	fetches.Wait()
	answers := make([]op.Answer[*company.Registers], len(companies))
	for i := range answers {
		answers[i] = op.Answer[*company.Registers]{
			Value: new(company.Registers), Freshness: op.Freshness{Cache: op.Hit, MaxAge: clientMaxAge},
		}
		for n := range found {
			found[n][i].addTo(&answers[i], companies[i].CUI)
		}
	}

	return answers
}

// EInvoiceRecord implements [company.TaxRecords].
func (t *TaxRecords) EInvoiceRecord(ctx context.Context, asked ro.CompanyDay) (op.Answer[company.Record], error) {
	q := t.eInvoices.query(asked)
	found, err := awaitRecord(ctx, q.facts, q.key)
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
