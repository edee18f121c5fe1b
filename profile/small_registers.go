package profile

import (
	"context"
	"sync"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream/anaf"
	"github.com/rodata/rodata/upstream/anaf/ration"
)

// RegisterLoaders load the records of the tax authority's smaller registers. A loader returns op.ErrUnknown if its
// register confirms that it does not have a company.
type RegisterLoaders struct{ EInvoices, Farmers, NonProfits Records }

func readEnrolment(record *anaf.Record, _ ro.Date) (company.RegisterEntry, error) {
	return record.Enrolment()
}

func readEInvoice(record *anaf.Record, on ro.Date) (company.EInvoiceEntry, error) {
	return record.EInvoiceEntry(on)
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
	farmers := t.farmers.requestAll(patient, companies, &fetches)
	nonProfits := t.nonProfits.requestAll(patient, companies, &fetches)
	eInvoices := t.eInvoices.requestAll(patient, companies, &fetches)
	fetches.Wait()

	answers := make([]op.Answer[*company.Registers], len(companies))
	for i := range answers {
		answers[i] = op.Answer[*company.Registers]{
			Value: &company.Registers{Farmers: entryOf(&farmers[i]), NonProfits: entryOf(&nonProfits[i]),
				EInvoice: eInvoiceOf(&eInvoices[i])},
			Freshness: op.Freshness{Cache: op.Hit, MaxAge: clientMaxAge},
		}
		farmers[i].describe(&answers[i])
		nonProfits[i].describe(&answers[i])
		eInvoices[i].describe(&answers[i])
		cui := companies[i].CUI
		answers[i].Value.Incomplete = farmers[i].hasFailed(cui) ||
			nonProfits[i].hasFailed(cui) || eInvoices[i].hasFailed(cui)
	}

	return answers
}

// entryOf converts a record of the register of farmers or of non-profits.
func entryOf(a *registerAnswer[company.RegisterEntry]) company.RegisterEntry {
	if a.isUnlisted() {
		return company.RegisterEntry{Registered: new(false)}
	}
	return a.entry
}

// eInvoiceOf converts the record of the RO e-Factura register.
func eInvoiceOf(a *registerAnswer[company.EInvoiceEntry]) company.EInvoiceEntry {
	if a.isUnlisted() {
		return company.EInvoiceEntry{Registered: new(false), Entries: []company.EInvoiceRegistration{}}
	}
	return a.entry
}
