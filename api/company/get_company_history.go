package company

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type getCompanyHistoryInput struct {
	CUI    ro.CUI        `arg:"cui" in:"path" doc:"Company tax id (CUI): 2 to 10 digits, without RO." example:"14399840"`
	Limit  op.Limit      `arg:"limit" default:"50" doc:"Page size, 1 to 100." example:"50"`
	Cursor HistoryCursor `arg:"cursor" doc:"Cursor: the previous page's next value." example:"MDkyNjk3NzktOTgyMDQ2MjkzNzQtMDEyMzQ1Njc4OWFiY2RlZg"`
}

// Fact is a fact about a company in a period.
type Fact struct {
	Field      string     `json:"field" doc:"vatPayer, vatOnCollection, vatSplit, inactive, eInvoice, name, seat, fiscalDomicile, mainNaceCode, stateRegistration or legalForm."`
	Value      FactValue  `json:"value" doc:"true or false for a status, else text."`
	ValidFrom  *ro.Date   `json:"validFrom" doc:"First day on which it was true; null when the register does not say."`
	ValidTo    *ro.Date   `json:"validTo" doc:"First day it was no longer true; null while it is, or when the register does not say."`
	RecordedOn *ro.Date   `json:"recordedOn" doc:"Day on which the register recorded it, by entry or publication; null when it does not say."`
	Reason     *string    `json:"reason" doc:"Why it ended, in Romanian; null if it did not, or the register does not say."`
	LearnedAt  *time.Time `json:"learnedAt" doc:"When this gateway first saw it, UTC."`
	LostAt     *time.Time `json:"lostAt" doc:"When this gateway first saw that the register no longer reports it, UTC; null while it does."`
	Source     string     `json:"source" doc:"Source of the fact: anaf, or anaf-vat-collection (the daily file of VAT on collection)."`
}

// SchemaName is the type's name in the API description.
func (Fact) SchemaName() string { return "CompanyFact" }

// FactValue is the value of a fact: a boolean for a status if Bool is not nil, otherwise a text.
type FactValue struct {
	Bool *bool
	Text string
}

// MarshalJSON encodes a boolean or a text.
func (v FactValue) MarshalJSON() ([]byte, error) {
	if v.Bool != nil {
		return strconv.AppendBool(nil, *v.Bool), nil
	}
	return jsontext.MustEncode(v.Text), nil
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (v *FactValue) UnmarshalJSON(text []byte) error {
	*v = FactValue{}
	if bytes.HasPrefix(text, []byte(`"`)) {
		return json.Unmarshal(text, &v.Text)
	}
	return json.Unmarshal(text, &v.Bool)
}

// Schema describes the two types.
func (FactValue) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "boolean", Or: "string"} }

// sortDay returns the day for ordering facts: the day on which they became true, or else the day on which they were
// learned.
func (f *Fact) sortDay() ro.Date {
	switch {
	case f.ValidFrom != nil:
		return *f.ValidFrom
	case f.LearnedAt != nil:
		return ro.DateIn(*f.LearnedAt, ro.Bucharest)
	}

	return 0
}

// Facts is a page of the history of a company.
type Facts struct {
	TaxID   ro.CUI         `json:"taxId" doc:"The CUI."`
	Facts   []Fact         `json:"facts" brief:"Newest first: field, value, reason, source, and the days above." doc:"Newest first, by the day on which they became true, else were learned. No facts about persons."`
	Next    *HistoryCursor `json:"next" doc:"Cursor of the next page; null on the last one."`
	Sources []Source       `json:"sources" doc:"One entry for each register that the answer uses."`
}

// SchemaName is the type's name in the API description.
func (Facts) SchemaName() string { return "CompanyFacts" }

// HistoryCursor is a position in the history of a company: the position of the last fact on a page. It stays valid
// when new facts are learned.
type HistoryCursor string

var historyPlace = regexp.MustCompile(`^[0-9]{8}-[0-9]{11}-[0-9a-f]{16}$`)

// placeOf returns the position of a fact. Positions sort by the day on which the fact became true, the time at which
// it was learned, and its content.
func placeOf(f *Fact) HistoryCursor {
	const last = 99_999_999_999
	learned := int64(0)
	if f.LearnedAt != nil {
		learned = f.LearnedAt.Unix()
	}

	content := fnv.New64a()
	fmt.Fprintf(content, "%s %s %v %v %s", f.Field, jsontext.MustEncode(f.Value), f.ValidFrom, f.ValidTo, f.Source)
	return HistoryCursor(fmt.Sprintf("%08d-%011d-%016x", 10_000_000-int(f.sortDay()), last-learned, content.Sum64()))
}

// UnmarshalText decodes the output of MarshalText.
func (c *HistoryCursor) UnmarshalText(text []byte) error {
	place, err := base64.RawURLEncoding.AppendDecode(nil, text)
	if err != nil || !historyPlace.Match(place) {
		return &problem.InputError{Code: problem.InvalidFormat,
			Accepted: "the unchanged next of the previous page; leave it out for the first page"}
	}

	*c = HistoryCursor(place)
	return nil
}

// MarshalText encodes the cursor as opaque text.
func (c HistoryCursor) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, []byte(c)), nil
}

// Schema describes the format of a cursor.
func (HistoryCursor) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: "^[A-Za-z0-9_-]{50}$"}
}

// GetHistory returns the operation get_company_history.
func GetHistory(companies History) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_company_history", Method: "GET", Path: "/v1/companies/{cui}/history", Tag: tag.Companies,
		Title: "Get a Romanian company's history",
		Description: "Known history of a Romanian company: VAT, VAT on collection, inactivity, e-invoice, and the " +
			"names, registered offices, activities, states and legal forms observed by this gateway. Each fact has when it was " +
			"true (validFrom to validTo, end exclusive), when the register recorded it (recordedOn), and when this " +
			"gateway saw it appear and vanish (learnedAt, lostAt). A change between two look-ups is learned at the " +
			"second. Use it to see how a supplier changed; use get_company_status instead for one date. Costs 1 " +
			"credit per page; free without a key, limited by IP address. The newest record is at most a day old, or " +
			"older when the register is down: see sources. A number unknown to the tax authority returns 404.",
		Tool: true, OpenWorld: true, Cost: 1, Entitlement: metering.CompaniesRead,
		Errors: []*problem.Kind{problem.NotFound, problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in getCompanyHistoryInput) (op.Answer[*Facts], error) {
		facts, sources, fresh, err := companies.Facts(ctx, in.CUI)
		if err != nil {
			return op.Answer[*Facts]{Freshness: fresh}, HistoryProblem(ctx, in.CUI, err)
		}
		return op.Answer[*Facts]{Value: in.page(facts, sources), Freshness: fresh}, nil
	})
}

// page returns the page of facts after the cursor.
func (in *getCompanyHistoryInput) page(facts []Fact, sources []Source) *Facts {
	placed := make([]placedFact, 0, len(facts))
	for i := range facts {
		if place := placeOf(&facts[i]); place > in.Cursor {
			placed = append(placed, placedFact{place, facts[i]})
		}
	}

	slices.SortFunc(placed, func(a, b placedFact) int { return cmp.Compare(a.place, b.place) })

	page := &Facts{TaxID: in.CUI, Facts: []Fact{}, Sources: sources}
	for i, fact := range placed {
		if i == int(in.Limit) {
			page.Next = &placed[i-1].place
			break
		}

		page.Facts = append(page.Facts, fact.Fact)
	}

	return page
}

// placedFact is a fact with its position in the history.
type placedFact struct {
	place HistoryCursor
	Fact
}
