package company

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/proof"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type getCompanyStatusInput struct {
	CUI     ro.CUI  `arg:"cui" in:"path" doc:"Company tax id (CUI): 2 to 10 digits, without RO." example:"14399840"`
	Date    ro.Date `arg:"date" doc:"Date of the statuses: 1993-07-01 to today; default today." example:"2025-03-31"`
	KnownAt ro.Date `arg:"knownAt" doc:"Limits the answer to facts that could be known by the end of this day; it may be before date." example:"2025-04-02"`
}

// History answers bitemporal questions about a company: what was true when, and what was known when.
type History interface {
	// Status returns the statuses of a company on a day: according to the register now or, if knownAt is not zero,
	// according to what was known at the end of that day. ErrUnknown means that the tax authority does not know the
	// number; a *Failure that it could not be queried and nothing is stored; ErrHistoryDown that the observations
	// cannot be read. The ctx comes from WithCaller.
	Status(ctx context.Context, cui ro.CUI, day, knownAt ro.Date) (op.Answer[*Status], error)
	// Facts returns all known facts about a company, the newest first, and their sources. Its errors are the same as
	// for Status.
	Facts(ctx context.Context, cui ro.CUI) (facts []Fact, sources []Source, fresh op.Freshness, err error)
	// Supplier returns what is known about a company on a day, as it was known at the end of the day knownAt, given
	// what Companies.Company returned for the day. It asks no register. A register that could not be asked is not an
	// error, except a *Failure if there is no other.
	Supplier(ctx context.Context, known Found, cui ro.CUI, day, knownAt ro.Date) (Supplier, error)
}

// Supplier is what the registers and the observations tell about a company on a day.
type Supplier struct {
	// Profile is the profile, with the statuses of the day. Its value is nil if no register that answered has the
	// company.
	Profile op.Answer[*Company]
	// TaxErr is op.ErrUnknown if the tax authority does not know the number, and a *Failure if it could not be asked.
	TaxErr error
	// Status has the statuses known at knownAt, and the current ones; nil if none are known.
	Status *Status
	// Release is the day of the trade register's release; 0 if none is loaded.
	Release ro.Date
	Past    Past
}

// Past is what this gateway has seen of a company at an earlier time.
type Past struct {
	// State is the state in the tax authority's record of the day itself; empty if none was seen.
	State StateRegistration
	// Name is the name in its last record up to the day; empty if none was seen.
	Name string
}

// Status is the statuses of a company on a day.
type Status struct {
	TaxID ro.CUI  `json:"taxId" doc:"The CUI."`
	Name  string  `json:"name" doc:"Registered name, as of today."`
	Date  ro.Date `json:"date" doc:"The day to which the statuses apply."`
	// RegistrationDate is set because all statuses are null on a day before it: the company did not exist yet.
	RegistrationDate *ro.Date `json:"registrationDate" doc:"The day on which the company was registered; on a day before it, no status is false: it is null. null when unknown."`
	KnownAt          *ro.Date `json:"knownAt" doc:"The statuses could be known by the end of this day; null when they are the register's current answer."`
	StatusesOnDay
	Now                  *StatusesOnDay   `json:"now" brief:"With knownAt: the register's current statuses." doc:"The register's current statuses for the same day; null without knownAt."`
	ChangedRetroactively *bool            `json:"changedRetroactively" doc:"True when the register's current statuses for the day differ from those that could be known by knownAt; null without knownAt."`
	Sources              []Source         `json:"sources" doc:"One entry for each register that the answer uses."`
	Receipt              *proof.ReceiptID `json:"receipt" doc:"Id of this answer's signed receipt, kept at /v1/receipts/{id} for ten years; null when it could not be stored, or the day's receipts for callers without a key are used up."`

	// Record is the tax authority's record behind the answer, and RetrievedAt its retrieval time.
	Record      Record    `json:"-"`
	RetrievedAt time.Time `json:"-"`
}

// SchemaName is the type's name in the API description.
func (Status) SchemaName() string { return "CompanyStatus" }

// StatusesOnDay are a company's statuses in the tax authority's registers on a day.
type StatusesOnDay struct {
	VATPayer        StatusOnDay `json:"vatPayer" brief:"Like the other four: value, from, to, enteredOn, reason, basis." doc:"VAT registration."`
	VATOnCollection StatusOnDay `json:"vatOnCollection" doc:"VAT on collection (TVA la încasare)."`
	VATSplit        StatusOnDay `json:"vatSplit" doc:"VAT split payment, in force until 2020-02-01."`
	Inactive        StatusOnDay `json:"inactive" doc:"Fiscal inactivity."`
	EInvoice        StatusOnDay `json:"eInvoice" doc:"The RO e-Factura register."`
}

// StatusOnDay is a company's status in one register on a day.
type StatusOnDay struct {
	Value     *bool      `json:"value" doc:"Whether it held on the day; null when unknown."`
	From      *ro.Date   `json:"from" doc:"First day of the period that contains the day, or else of the last period before it; null when none is known."`
	To        *ro.Date   `json:"to" doc:"First day after the period; null while it lasts, or when its end was not known."`
	EnteredOn *ro.Date   `json:"enteredOn" doc:"Date on which the register recorded the end, or the beginning of an ongoing period; null if it does not say."`
	Reason    *string    `json:"reason" doc:"Why the period ended, in Romanian."`
	Basis     *AsOfBasis `json:"basis" doc:"register: the tax authority was queried for that day; observed: this gateway saw it at the time; periods: computed from the periods in a later record, by the dates they were recorded. Null without a value."`
}

// GetStatus returns the operation get_company_status.
func GetStatus(companies History, receipts proof.Receipts) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_company_status", Method: "GET", Path: "/v1/companies/{cui}/status", Tag: tag.Companies,
		Alternates: proof.Forms,
		Title:      "Get a Romanian company's status on a date",
		Description: "Whether a Romanian company was registered for VAT, applied VAT on collection, was inactive or " +
			"in the e-invoice register on a date. With knownAt, what could be known by then: cancellations are " +
			"entered weeks after they take effect. Use it for the status on an invoice date; use get_company with " +
			"date instead for the whole profile, or get_company_history for all that is known. Period ends are " +
			"exclusive. Costs 1 credit; free without a key, limited by IP address. The register's answer for any of " +
			"the last 60 days is at most a day old, or older when the register is down: see sources. A value of " +
			"null means unknown, never no; an unknown number returns 404. The receipt proves " +
			"the answer (GET /v1/receipts/{id}).",
		Tool: true, OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.NotFound, problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in getCompanyStatusInput) (op.Answer[*Status], error) {
		day := cmp.Or(in.Date, ro.Today())
		if err := CheckStatusDay("date", day); err != nil {
			return op.Answer[*Status]{}, err
		}

		if in.KnownAt != 0 {
			if err := CheckStatusDay("knownAt", in.KnownAt); err != nil {
				return op.Answer[*Status]{}, err
			}
		}

		answer, err := companies.Status(ctx, in.CUI, day, in.KnownAt)
		if err != nil {
			return answer, HistoryProblem(ctx, in.CUI, err)
		}

		status := *answer.Value
		status.Receipt, answer.Renderer = proof.Attach(ctx, receipts, status.statement)
		answer.Value = &status
		return answer, nil
	})
}

// statement returns the content to certify. It omits the parts of the answer that may differ between two calls
// answered from the same record.
func (s *Status) statement() (proof.Statement, error) {
	record, err := s.RecordSHA256()
	if err != nil {
		return proof.Statement{}, err
	}

	status := struct {
		Status
		Sources []proof.Source `json:"sources"`
		Receipt *string        `json:"receipt,omitempty"`
	}{Status: *s}
	for _, source := range s.Sources {
		status.Sources = append(status.Sources, source.Certified())
	}

	return proof.Statement{
		TaxID: s.TaxID, Name: s.Name, Date: s.Date, KnownAt: s.KnownAt, RetrievedAt: s.RetrievedAt,
		RecordSHA256: record, Status: proof.Certified(jsontext.MustEncode(status)),
	}, nil
}

// RecordSHA256 returns the SHA-256 of the record, in hexadecimal.
func (s *Status) RecordSHA256() (string, error) {
	raw, err := s.Record.Raw()
	return fmt.Sprintf("%x", sha256.Sum256(raw)), err
}

// ErrHistoryDown is the error if the observations of companies cannot be read.
var ErrHistoryDown = errors.New("the observations of companies cannot be read")

// HistoryProblem is the problem of a company's history: the tax authority does not know the number, or the observations
// cannot be read.
func HistoryProblem(ctx context.Context, cui ro.CUI, err error) error {
	switch {
	case errors.Is(err, ErrHistoryDown) && ctx.Err() == nil:
		return errors.Join(op.StoreDown("the history of companies cannot be read right now; try again shortly"), err)
	case !errors.Is(err, op.ErrUnknown):
		return err
	}

	return problem.NotFound.New("the tax authority knows no taxpayer with the CUI %d; check the number, or search by "+
		"name with search_companies (GET /v1/companies?q=...)", cui)
}
