package monitoring

import (
	"cmp"
	"context"
	"fmt"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// WatchLimits limits the watch-lists of an account.
type WatchLimits struct {
	// Lists is the number of watch-lists. Default 20.
	Lists int
	// Companies is the number of companies in a watch-list. Default 100,000.
	Companies int
	// Followers is the number of concurrent live streams of events. Default 16.
	Followers int
}

// WithDefaults replaces zero limits by their defaults.
func (l WatchLimits) WithDefaults() WatchLimits {
	return WatchLimits{cmp.Or(l.Lists, 20), cmp.Or(l.Companies, 100_000), cmp.Or(l.Followers, 16)}
}

// mostListed is the maximum number of companies in a JSON body; larger lists are sent as tables.
const mostListed = 1_000

type watchCompaniesInput struct {
	ID     WatchlistID        `arg:"id" in:"path" doc:"Id of the watch-list; default is the account's first, created if there is none." example:"default"`
	Items  company.BatchItems `arg:"items" doc:"The companies: objects with taxId (a CUI with or without the RO prefix, or a trade register number) and, optionally, reference: your own text, repeated in the company's events." example:"[{\"taxId\": 9900000010, \"reference\": \"SUP-001\"}]"`
	TaxIDs company.TaxIDs     `arg:"taxIds" doc:"The companies by tax id or trade register number, instead of items." example:"[9900000010]"`
	Mode   WatchMode          `arg:"mode" default:"add" doc:"add: adds the companies. replace: also removes all others; if one of the items cannot be read or is unknown, nothing is changed."`
	Table  op.BodyFile        `arg:"csv" media:"text/csv" max:"16777216" doc:"A table with a company in each row. Delimiter, encoding, header and the column of tax ids are detected, as in create_job; a column named reference has your own texts."`
}

// WatchMode determines whether the companies already in a watch-list stay.
type WatchMode string

// The modes.
const (
	AddToWatchlist   WatchMode = "add"
	ReplaceWatchlist WatchMode = "replace"
)

// UnmarshalText parses a mode.
func (m *WatchMode) UnmarshalText(text []byte) (err error) {
	*m, err = op.OneOf(text, AddToWatchlist, ReplaceWatchlist)
	return err
}

// Schema lists the modes.
func (WatchMode) Schema() jsonschema.Schema { return jsonschema.Enum(AddToWatchlist, ReplaceWatchlist) }

// WatchResult is the outcome of adding a list of companies to a watch-list.
type WatchResult struct {
	Count     int         `json:"count" doc:"Number of companies sent."`
	Added     int         `json:"added" doc:"Number added to the watch-list."`
	Updated   int         `json:"updated" doc:"Number whose reference changed."`
	Unchanged int         `json:"unchanged" doc:"Number of companies already in the watch-list, or repeated in the same list."`
	Removed   int         `json:"removed" doc:"Number removed, with mode=replace."`
	Failed    int         `json:"failed" doc:"Number that could not be read, or are unknown trade register numbers."`
	Items     []WatchItem `json:"items" doc:"One for each company, in the order of the list. For a table, only the failed ones, at most 100."`
}

// WatchItem is the outcome for one item of the list.
type WatchItem struct {
	Index     int                    `json:"index" doc:"Position in the list sent, from 0; in a table, without the header line."`
	Line      int                    `json:"line,omitempty" doc:"The line of the table, from 1."`
	Reference string                 `json:"reference,omitempty" doc:"The item's reference, if it has one."`
	Input     string                 `json:"input,omitempty" doc:"The value sent instead of a CUI: a trade register number, or an invalid value."`
	TaxID     *ro.CUI                `json:"taxId,omitempty" doc:"The CUI of the company."`
	Status    int                    `json:"status" doc:"200, or the HTTP status of the problem."`
	Change    WatchChange            `json:"change,omitempty" doc:"The outcome, if the status is 200."`
	Problem   *lists.EmbeddedProblem `json:"problem,omitempty" doc:"Why it is not watched (RFC 9457)."`
}

// WatchCompanies returns the operation watch_companies.
func WatchCompanies(lists Watchlists, trade company.TradeRegister, limits WatchLimits) *op.Operation {
	limits = limits.WithDefaults()

	return op.DefineSale(op.Spec{
		Name: "watch_companies", Method: "POST", Path: "/v1/watchlists/{id}/companies", Tag: tag.Watching,
		Account: true,
		Mutates: true,
		Cost:    1,
		Title:   "Watch many companies",
		Description: fmt.Sprintf("Adds companies to a watch-list, or replaces its companies: up to %d in a JSON body, "+
			"or as many as a watch-list holds (%d) as a CSV table (Content-Type: text/csv), then with mode in the "+
			"URL. ", mostListed, limits.Companies) +
			"Costs 1 credit for each company that is new to the watch-list and not yet paid by the account this " +
			"calendar month. Without enough credits for all, nothing is changed. " +
			"Invalid items are reported individually, and the others are watched; but with mode=replace an invalid " +
			"item makes the call fail, and nothing changes.",
		Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in watchCompaniesInput,
		payment op.Payment) (op.Answer[*WatchResult], error) {
		w, err := in.read(ctx, trade, limits)
		if err != nil {
			return op.Answer[*WatchResult]{}, err
		}

		order := WatchOrder{Companies: w.companies, Replace: in.Mode == ReplaceWatchlist}
		outcome, err := lists.Watch(ctx, caller.Account(), in.ID, order, payment)
		if err != nil {
			return op.Answer[*WatchResult]{}, watchlistProblem(ctx, in.ID, err)
		}

		return op.Answer[*WatchResult]{Value: w.result(outcome)}, nil
	})
}
