package company

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/upstream/anaf"
)

// RegisterLoaders load the records of the tax authority's registers beside that of taxpayers.
// Each answers api.ErrUnknown for a company that it verifiably does not have.
type RegisterLoaders struct{ EInvoices, Farmers, NonProfits Records }

// registers are those that are parts of a profile, in the order of their sources.
func (t *TaxRecords) registers() [3]*taxRegister {
	return [3]*taxRegister{t.farmers, t.nonProfits, t.eInvoices}
}

var readers = [3]reader{readEnrolment, readEnrolment, readEInvoice}

func readEnrolment(record *anaf.Record, _ api.Date) (any, error) { return record.Enrolment() }

func readEInvoice(record *anaf.Record, on api.Date) (any, error) { return record.EInvoiceEntry(on) }

// Registers implements [api.TaxRegisters].
func (t *TaxRecords) Registers(ctx context.Context, companies []api.CompanyDay, wait time.Duration) []api.Answer[*api.Registers] {
	patient, cancel := context.WithTimeoutCause(ctx, wait, cache.ErrUnattended)
	defer cancel()
	if len(companies) > 1 {
		patient = anaf.InList(patient)
	}

	heard := make([][3]said, len(companies))
	var asking sync.WaitGroup
	for n, register := range t.registers() {
		for i, company := range companies {
			if found, ok, err := register.stored(patient, company); ok {
				heard[i][n] = register.read(company, found, err, readers[n])
				continue
			}
			asking.Go(func() { // all at once, so that they share calls
				found, err := register.listed(patient, company)
				heard[i][n] = register.read(company, found, err, readers[n])
			})
		}
	}
	asking.Wait()

	answers := make([]api.Answer[*api.Registers], len(companies))
	for i := range heard {
		answers[i] = t.join(&heard[i])
	}
	return answers
}

// Close ends what lists left to be fetched in the background.
func (t *TaxRecords) Close() {
	for _, register := range t.registers() {
		register.later.end()
	}
}

// Forget takes a company's records of the registers out of the cache, as [Register.Forget] does with its profile.
func (t *TaxRecords) Forget(ctx context.Context, cui api.CUI) (err error) {
	for _, register := range t.registers() {
		err = errors.Join(err, register.today.Delete(ctx, cui))
	}
	return err
}

// Drop takes them out of the cache of this process alone.
func (t *TaxRecords) Drop(cui api.CUI) (err error) {
	for _, register := range t.registers() {
		err = errors.Join(err, register.today.Drop(cui))
	}
	return err
}

// join makes an answer of what the registers said about one company.
func (t *TaxRecords) join(heard *[3]said) api.Answer[*api.Registers] {
	answer := api.Answer[*api.Registers]{
		Value:     &api.Registers{Farmers: entryOf(&heard[0]), NonProfits: entryOf(&heard[1]), EInvoice: eInvoiceOf(&heard[2])},
		Freshness: api.Freshness{Cache: api.Hit, MaxAge: clientMaxAge},
	}
	for n, register := range t.registers() {
		s := &heard[n]
		answer.Value.Sources = append(answer.Value.Sources, register.sourceOf(*s))
		if !s.answered() {
			answer.Cache, answer.MaxAge = api.Miss, 0 // it may soon be asked again
			continue
		}
		of := answerOf(&s.found, nil).Freshness
		answer.Freshness = answer.Freshness.With(of)
	}
	return answer
}

// entryOf is what the register of farmers or that of non-profits said.
func entryOf(s *said) (e api.RegisterEntry) {
	switch {
	case errors.Is(s.err, api.ErrUnknown):
		e.Registered = new(false)
	case s.err == nil:
		e = s.entry.(api.RegisterEntry)
	}
	return e
}

// eInvoiceOf is what the RO e-Factura register said.
func eInvoiceOf(s *said) (e api.EInvoiceEntry) {
	switch {
	case errors.Is(s.err, api.ErrUnknown):
		e.Registered, e.Entries = new(false), []api.EInvoiceRegistration{}
	case s.err == nil:
		e = s.entry.(api.EInvoiceEntry)
	}
	return e
}

var _ api.TaxRegisters = (*TaxRecords)(nil)
