package api

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/metering"
)

type getCompanyHistoryInput struct {
	CUI    CUI           `arg:"cui" in:"path" doc:"Company tax id (CUI): 2 to 10 digits, without the RO prefix. The last digit is a control digit." example:"14399840"`
	Limit  Limit         `arg:"limit" default:"50" doc:"Facts on a page: 1 to 100." example:"50"`
	Cursor HistoryCursor `arg:"cursor" doc:"Where to go on: next of the page before." example:"NzA"`
}

// CompanyFact is something that was true of a company in a time.
type CompanyFact struct {
	Field      string     `json:"field" doc:"vatPayer, vatOnCollection, vatSplit, inactive, eInvoice, name, seat, fiscalDomicile, mainNaceCode, stateRegistration or legalForm."`
	Value      FactValue  `json:"value" doc:"true or false for a status, else a text."`
	ValidFrom  *Date      `json:"validFrom" doc:"First day on which it was true; null when the register does not say."`
	ValidTo    *Date      `json:"validTo" doc:"First day on which it no longer was; null while it is, or when the register does not say."`
	RecordedOn *Date      `json:"recordedOn" doc:"Day on which the register recorded it, by entry or publication; null when it does not say."`
	Reason     *string    `json:"reason" doc:"Why it ended, in Romanian; null when it did not, or the register does not say."`
	LearnedAt  *time.Time `json:"learnedAt" doc:"When this gateway first saw it, UTC."`
	LostAt     *time.Time `json:"lostAt" doc:"When this gateway first saw that the register no longer says so, UTC; null while it does."`
	Source     string     `json:"source" doc:"Where it comes from: anaf, or anaf-vat-collection (the daily file of VAT on collection)."`
}

// FactValue is the value of a fact: of a status if Bool is not nil, else a text.
type FactValue struct {
	Bool *bool
	Text string
}

// MarshalJSON writes a boolean or a text.
func (v FactValue) MarshalJSON() ([]byte, error) {
	if v.Bool != nil {
		return strconv.AppendBool(nil, *v.Bool), nil
	}
	return mustEncode(v.Text), nil
}

// Schema describes the two types.
func (FactValue) Schema() Schema { return Schema{Type: "boolean", Or: "string"} }

// sortDay orders facts: by the day on which they became true, else by when they were
// learned.
func (f *CompanyFact) sortDay() Date {
	switch {
	case f.ValidFrom != nil:
		return *f.ValidFrom
	case f.LearnedAt != nil:
		return DateIn(*f.LearnedAt, Bucharest)
	}
	return 0
}

// CompanyFacts is a page of the history of a company.
type CompanyFacts struct {
	TaxID   CUI            `json:"taxId" doc:"The CUI."`
	Facts   []CompanyFact  `json:"facts" doc:"The newest first, by the day on which they became true, else on which they were learned. No persons."`
	Next    *HistoryCursor `json:"next" doc:"The cursor of the next page; null on the last one."`
	Sources []Source       `json:"sources" doc:"One entry for each register that the answer uses."`
}

// HistoryCursor is a place in the history of a company: the number of facts that are older.
// So facts that become known meanwhile, which are newer, do not move the pages.
type HistoryCursor int

// UnmarshalText reads what MarshalText wrote.
func (c *HistoryCursor) UnmarshalText(text []byte) error {
	older, err := base64.RawURLEncoding.AppendDecode(nil, text)
	n, ok := count(older, 6)
	if err != nil || !ok || n == 0 {
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: "next of the page before, as it was given; leave it out for the first page"}
	}
	*c = HistoryCursor(n)
	return nil
}

// MarshalText writes an opaque text.
func (c HistoryCursor) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, strconv.AppendInt(nil, int64(c), 10)), nil
}

// Schema describes the form of a cursor.
func (HistoryCursor) Schema() Schema { return Schema{Type: "string", Pattern: "^[A-Za-z0-9_-]{2,8}$"} }

func getCompanyHistory(companies CompanyHistory) *Operation {
	return Define(Spec{
		Name: "get_company_history", Method: "GET", Path: "/v1/companies/{cui}/history", Tag: "Companies",
		Title: "Get the history of a Romanian company",
		Description: "All that is known of the past of a Romanian company: registrations for VAT, VAT on collection, inactivity, e-invoice, and the names, seats, activities, states and legal forms that this gateway has seen. " +
			"Each fact has the time in which it was true (validFrom, validTo, ends exclusive), the day on which the register recorded it (recordedOn), and when this gateway saw it come and go (learnedAt, lostAt). " +
			"What nobody asked for was not seen: a change between two look-ups is learned at the second. There are no persons. " +
			"Use it to see how a supplier changed; use get_company_status instead for one day. " +
			"Costs 1 credit a page with a key; without a key it is free and limited by address. The newest record is at most a day old, or older when the register is down: sources says how old and whether stale. " +
			"A number that the tax authority does not know is a 404.",
		Tool: true, OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.QuotaExhausted, problem.EntitlementMissing, problem.NotFound, problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in getCompanyHistoryInput) (Answer[*CompanyFacts], error) {
		facts, sources, fresh, err := companies.Facts(ctx, in.CUI)
		if errors.Is(err, ErrUnknown) {
			return Answer[*CompanyFacts]{Freshness: fresh}, noHistory(in.CUI)
		}
		if err != nil {
			return Answer[*CompanyFacts]{}, err
		}
		if int(in.Cursor) > len(facts) {
			return Answer[*CompanyFacts]{}, problem.Invalid(&problem.InputError{Parameter: "cursor", Code: problem.OutOfRange,
				Accepted: "next of a page of the same company", Reason: "it is beyond the history of this company; use next of a page of the same company"})
		}
		return Answer[*CompanyFacts]{Value: in.page(facts, sources), Freshness: fresh}, nil
	})
}

// page is a page of facts, which it sorts.
func (in *getCompanyHistoryInput) page(facts []CompanyFact, sources []Source) *CompanyFacts {
	slices.SortStableFunc(facts, func(a, b CompanyFact) int { return int(b.sortDay()) - int(a.sortDay()) })
	if in.Cursor != 0 {
		facts = facts[len(facts)-int(in.Cursor):]
	}

	page := &CompanyFacts{TaxID: in.CUI, Facts: Page(facts, in.Limit, 0), Sources: sources}
	if older := len(facts) - len(page.Facts); older > 0 {
		page.Next = new(HistoryCursor(older))
	}
	return page
}
