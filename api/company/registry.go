package company

import (
	"context"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Companies provides companies, from both registers.
type Companies interface {
	// Company returns the profile of a company. ErrUnknown means that no register has the number, with the freshness of
	// the tax authority's answer; a *Failure that no register answered and nothing is stored. The ctx comes from
	// WithCaller. With a day, which is not in the future, the statuses are as of that day, and the profile has the
	// basis of each.
	Company(ctx context.Context, company ro.CompanyDay) (op.Answer[*Company], error)
	// Companies looks up distinct companies, each optionally on a day. It calls each, in the caller's goroutine, with
	// groups of outcomes as they become known, stored ones first; each outcome is as from Company and is passed once.
	// An empty group means that there was no outcome for 10 seconds. If each returns false, or ctx ends, the rest is
	// dropped. The outcome of a company that is still missing after wait is a *Failure of the kind TimedOut; its fetch
	// continues, so that the next call finds it. The answer with an ErrUnknown is a Hit if it was stored.
	Companies(ctx context.Context, companies []ro.CompanyDay, wait time.Duration, each func([]Found) bool)
	// LegalRepresentatives returns the persons who act for a company according to the trade register; none if the
	// register does not have the company.
	LegalRepresentatives(ctx context.Context, cui ro.CUI) (*LegalRepresentatives, error)
	// Insolvency returns the trade register's data on proceedings against the company with this profile. It never
	// fails: unknown values are null.
	Insolvency(ctx context.Context, company *Company) *Insolvency
	// BalanceSheets returns the yearly balance sheets of a company, the newest first. Missing lists the years that
	// could not be fetched in time; hit reports whether no registry was queried.
	BalanceSheets(ctx context.Context, cui ro.CUI, years Years) (sheets []BalanceSheet, missing []int, hit bool,
		err error)
	// Filings returns what is known about a company's statement for a year. It queries no registry. Its error is a
	// Problem that reports the progress of the load if the trade register is not loaded yet.
	Filings(ctx context.Context, cui ro.CUI, year int) (*Filings, error)
	// PeerFigures returns the figures of all companies whose activity in the Ministry of Finance's statements of a year
	// begins with a CAEN code. It queries no registry. The caller must not modify them.
	PeerFigures(ctx context.Context, year int, code string) (*PeerFigures, error)
}

// Found is the outcome of one of several lookups.
type Found struct {
	// Index is the position of the company in the requested list.
	Index  int
	Answer op.Answer[*Company]
	Err    error
}

// TaxRecords provides the tax authority's other records, as sent. The error is ErrUnknown if the tax authority has no
// such record, otherwise a *Failure. The ctx comes from WithCaller.
type TaxRecords interface {
	// EInvoiceRecord returns the record of a company in the RO e-Factura register on a day.
	EInvoiceRecord(ctx context.Context, company ro.CompanyDay) (op.Answer[Record], error)
	// StatementRecord returns a company's yearly statement; statements from the bulk data use the tax authority's
	// wording.
	StatementRecord(ctx context.Context, cui ro.CUI, year int) (op.Answer[Record], error)
}
