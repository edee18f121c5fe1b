package api

import (
	"context"
	"time"

	"github.com/rodata/rodata/account"
)

// asking is a context that carries the call for which a registry is asked. It is part of
// the call's [Observation]; context.WithValue would allocate twice on every cache hit.
type asking struct {
	context.Context
	seen *Observation
}

// sent is the part of a call that operations can see beside its arguments.
type sent struct {
	idempotencyKey string
	wait           time.Duration
	media          string
}

// sentWith returns the headers and the caller's preferences of the call of a context.
func sentWith(ctx context.Context) sent {
	if a, ok := ctx.Value(callerKey{}).(*asking); ok {
		return a.seen.sent
	}
	return sent{}
}

type callerKey struct{}

// Value implements context.Context.
func (a *asking) Value(key any) any {
	if key == (callerKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// WithCaller returns a context with the caller, so that the queue of a registry can be fair
// between callers.
func WithCaller(ctx context.Context, caller account.Caller) context.Context {
	seen := &Observation{Caller: caller, Reply: Reply{arrival: time.Now()}}
	seen.asking = asking{ctx, seen}
	return &seen.asking
}

// baseURLOf returns the service's address as the call's request names it, without a final slash.
func baseURLOf(ctx context.Context) string {
	if a, ok := ctx.Value(callerKey{}).(*asking); ok {
		return a.seen.Reply.baseURL
	}
	return ""
}

// CallerOf returns the caller of WithCaller, or the zero Caller for the service itself.
func CallerOf(ctx context.Context) account.Caller {
	if a, ok := ctx.Value(callerKey{}).(*asking); ok {
		return a.seen.Caller
	}
	return account.Caller{}
}

// Companies gives access to companies, from both registers.
type Companies interface {
	// Company returns the profile of a company. ErrUnknown means that no register has the
	// number, and the answer's freshness is then that of the tax authority's answer; a
	// *Failure, that no register answered and nothing is stored. The ctx is one
	// of WithCaller. With a day, which is not in the future, the statuses are those of that
	// day, and the profile says what each rests on.
	Company(ctx context.Context, company CompanyDay) (Answer[*Company], error)
	// Companies looks up several distinct companies, each on a day or not, and reports the outcome of each once,
	// as Company would: in chunks of what became known together, the stored ones first.
	// An empty chunk says that nothing became known for 10 seconds. Each is called by the
	// caller's goroutine; when it returns false the rest is dropped. Those that are missing
	// once wait is over are a *Failure of the kind TimedOut, and are fetched all the same,
	// so that the next call finds them; when ctx ends, the rest is dropped. The answer
	// beside an ErrUnknown is a Hit if that was remembered.
	Companies(ctx context.Context, companies []CompanyDay, wait time.Duration, each func([]Found) bool)
	// LegalRepresentatives returns those who act for a company according to the trade
	// register; none if that does not have the company.
	LegalRepresentatives(ctx context.Context, cui CUI) (*LegalRepresentatives, error)
	// Insolvency returns what the trade register says of proceedings against the company with this
	// profile. It never fails: what is not known is null.
	Insolvency(ctx context.Context, company *Company) *Insolvency
	// BalanceSheets returns the yearly balance sheets of a company, the newest first.
	// Missing are the years that could not be fetched in time; hit reports whether no
	// registry was asked.
	BalanceSheets(ctx context.Context, cui CUI, years Years) (sheets []BalanceSheet, missing []int, hit bool, err error)
}

// Found is the outcome of one of several lookups.
type Found struct {
	// Index is the place of the company in the list that was asked about.
	Index  int
	Answer Answer[*Company]
	Err    error
}

// TaxRecords gives access to records of the tax authority beside those of companies, as it
// sent them. An error is ErrUnknown when the tax authority has no such record, else a
// *Failure. The ctx is one of WithCaller.
type TaxRecords interface {
	// EInvoiceRecord returns the record of a company in the RO e-Factura register on a day.
	EInvoiceRecord(ctx context.Context, company CompanyDay) (Answer[Record], error)
	// StatementRecord returns a company's yearly statement; one of the bulk statements is
	// worded as the tax authority words them.
	StatementRecord(ctx context.Context, cui CUI, year int) (Answer[Record], error)
}

// Fixings is the archive of the central bank's reference rates.
type Fixings interface {
	// On returns the last fixing published on or before a day; the zero Date means the
	// latest. ErrUnknown means that the archive begins later.
	On(ctx context.Context, day Date) (Fixing, Freshness, error)
	// Between are the rates of one currency from one day to another, both
	// included, ascending; days without a quotation are absent.
	Between(ctx context.Context, currency Currency, from, to Date) ([]Quotation, Freshness, error)
	// LastQuoted is the last day on or before a day on which the bank published
	// the currency; false when it never did until then.
	LastQuoted(ctx context.Context, currency Currency, day Date) (Date, bool, error)
	// Currencies are all that the bank ever published, sorted; RON is not among
	// them.
	Currencies() []Currency
}

// Fixing is what the central bank published on one day.
type Fixing struct {
	Date  Date
	Rates []Rate // sorted by currency
}

// Rate is the price of one unit of a currency in RON.
type Rate struct {
	Currency Currency `json:"currency" doc:"ISO 4217 code."`
	Rate     Decimal  `json:"rate" doc:"RON for 1 unit of the currency, exactly as published, divided by the multiplier where the bank quotes 100 units."`
}

// Quotation is the rate of a currency on one day.
type Quotation struct {
	Date Date    `json:"date" doc:"Day of the fixing."`
	Rate Decimal `json:"rate" doc:"RON for 1 unit of the currency."`
}
