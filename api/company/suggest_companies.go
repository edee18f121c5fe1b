package company

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type suggestCompaniesInput struct {
	Q Beginning `arg:"q" required:"true" doc:"The beginning of a company's name, of a CUI or of a register number, at least 2 characters." example:"exem"`
}

// Suggestions are companies with names that begin with the typed text.
type Suggestions struct {
	Items []Suggestion `json:"items" doc:"At most 10 companies, most likely first."`
}

// Suggestion is a company in the list below a search box.
type Suggestion struct {
	TaxID             *ro.CUI           `json:"taxId" doc:"The CUI; null for a company that the trade register lists without one: it has no profile and comes last."`
	Name              string            `json:"name" doc:"Registered name."`
	County            *string           `json:"county" doc:"County of the registered office."`
	City              *string           `json:"city" doc:"Place of the registered office."`
	StateRegistration StateRegistration `json:"stateRegistration" doc:"State of the company."`
}

const maxSuggestions = 10

// Suggest returns the operation suggest_companies.
func Suggest(register TradeRegister) *op.Operation {
	return op.Define(op.Spec{
		Name: "suggest_companies", Method: "GET", Path: "/v1/companies/suggest", Tag: tag.Companies,
		Title: "Suggest companies as a name is typed",
		Description: "At most 10 Romanian companies that match a partly typed name, from the trade register (ONRC). " +
			"Use it to complete a name in a search box; use search_companies instead to search with filters, and " +
			"get_company for a profile. Free, no key needed. An empty items list means that nothing matches.",
		Tool: true, OpenWorld: true, Errors: []*problem.Kind{problem.Unavailable},
	}, func(ctx context.Context, _ account.Caller, in suggestCompaniesInput) (op.Answer[Suggestions], error) {
		found, err := register.Search(ctx, Query{Text: string(in.Q), Sort: "relevance", Limit: maxSuggestions})
		if err != nil {
			return op.Answer[Suggestions]{}, err
		}

		s := Suggestions{Items: make([]Suggestion, len(found.Items))}
		for i, c := range found.Items {
			s.Items[i] = Suggestion{c.TaxID, c.Name, c.County, c.City, c.StateRegistration}
		}

		return op.Answer[Suggestions]{Value: s, Freshness: op.Freshness{Cache: op.Hit, MaxAge: time.Hour}}, nil
	})
}

// Beginning is the beginning of a name.
type Beginning string

// UnmarshalText accepts at least two characters.
func (b *Beginning) UnmarshalText(text []byte) error {
	var t op.Text
	if err := t.UnmarshalText(text); err != nil {
		return err
	}
	if utf8.RuneCountInString(string(t)) < 2 {
		return &problem.InputError{Code: problem.TooShort, Accepted: "at least 2 characters"}
	}

	*b = Beginning(t)
	return nil
}

// Schema describes the beginning.
func (Beginning) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 2, MaxLength: op.MaxArgBytes}
}
