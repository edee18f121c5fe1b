package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
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

// mostReported is the maximum number of unreadable rows of a table that are reported.
const mostReported = 100

type watchCompaniesInput struct {
	ID     WatchlistID  `arg:"id" in:"path" doc:"Id of the watch-list; default is the account's first, created if there is none." example:"default"`
	Items  BatchItems   `arg:"items" doc:"The companies: objects with taxId (a CUI with or without the RO prefix, or a trade register number) and, optionally, reference: your own text, repeated in the company's events." example:"[{\"taxId\": 9900000010, \"reference\": \"SUP-001\"}]"`
	TaxIDs TaxIDs       `arg:"taxIds" doc:"The companies by tax id or trade register number, instead of items." example:"[9900000010]"`
	Mode   WatchMode    `arg:"mode" default:"add" doc:"add: adds the companies. replace: also removes all others; if one of the items cannot be read or is unknown, nothing is changed."`
	Table  CompanyTable `arg:"csv" media:"text/csv" max:"16777216" doc:"A table: one company per line, cells separated by commas, semicolons or tabs. Its first line names the columns: cui, taxId or cod fiscal, and optionally reference; with one column it may be omitted."`
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
	*m, err = oneOf(text, AddToWatchlist, ReplaceWatchlist)
	return err
}

// Schema lists the modes.
func (WatchMode) Schema() Schema { return enumSchema(AddToWatchlist, ReplaceWatchlist) }

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
	Index     int              `json:"index" doc:"Position in the list sent, from 0; in a table, without the header line."`
	Line      int              `json:"line,omitempty" doc:"The line of the table, from 1."`
	Reference string           `json:"reference,omitempty" doc:"The item's reference, if it has one."`
	Input     string           `json:"input,omitempty" doc:"The value sent instead of a CUI: a trade register number, or an invalid value."`
	TaxID     *CUI             `json:"taxId,omitempty" doc:"The CUI of the company."`
	Status    int              `json:"status" doc:"200, or the HTTP status of the problem."`
	Change    WatchChange      `json:"change,omitempty" doc:"The outcome, if the status is 200."`
	Problem   *EmbeddedProblem `json:"problem,omitempty" doc:"Why it is not watched (RFC 9457)."`
}

func watchCompanies(lists Watchlists, trade TradeRegister, limits WatchLimits) *Operation {
	limits = limits.WithDefaults()

	return DefineSale(Spec{
		Name: "watch_companies", Method: "POST", Path: "/v1/watchlists/{id}/companies", Tag: "Watching", Account: true,
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
		Errors: []*problem.Kind{problem.NotFound, problem.QuotaExhausted, problem.Unavailable},
	}, func(ctx context.Context, caller account.Caller, in watchCompaniesInput,
		payment Payment) (Answer[*WatchResult], error) {
		w, err := in.read(ctx, trade, limits)
		if err != nil {
			return Answer[*WatchResult]{}, err
		}

		order := WatchOrder{Companies: w.companies, Replace: in.Mode == ReplaceWatchlist}
		outcome, err := lists.Watch(ctx, caller.Account(), in.ID, order, payment)
		if err != nil {
			return Answer[*WatchResult]{}, watchlistProblem(ctx, in.ID, err)
		}

		return Answer[*WatchResult]{Value: w.result(outcome)}, nil
	})
}

// watchWork is a list of companies to watch.
type watchWork struct {
	items     []WatchItem
	places    []int // index into companies for each item; negative for items that failed
	companies []WatchedReference
	table     bool
}

// read resolves the items to companies.
func (in *watchCompaniesInput) read(ctx context.Context, trade TradeRegister, limits WatchLimits) (*watchWork, error) {
	requests, lines, err := in.requests(limits)
	if err != nil {
		return nil, err
	}

	w := &watchWork{items: make([]WatchItem, len(requests)), places: make([]int, len(requests)), table: lines != nil}
	seen := make(map[CUI]int, len(requests))
	baseURL := baseURLOf(ctx)
	for i, request := range requests {
		item := &w.items[i]
		if item.Index = i; lines != nil {
			item.Line = lines[i]
		}

		cui, err := item.read(ctx, request, trade)
		if err != nil {
			p, known := problemOf(err)
			if !known || in.Mode == ReplaceWatchlist && p.Status() >= http.StatusInternalServerError {
				return nil, err
			}

			item.Status, item.Problem, w.places[i] = p.Status(), &EmbeddedProblem{p, baseURL}, -1
			continue
		}

		item.Status, item.TaxID = 200, &cui
		place, again := seen[cui]
		if !again {
			place = len(w.companies)
			seen[cui] = place
			w.companies = append(w.companies, WatchedReference{Company: cui})
		}

		if request.Reference != "" { // a later reference replaces an earlier one
			w.companies[place].Reference = request.Reference
		}

		w.places[i] = place
	}

	if w.table && len(w.companies) == 0 {
		return nil, w.nothing()
	}
	if in.Mode == ReplaceWatchlist {
		return w, w.incomplete(in)
	}

	return w, nil
}

// requests returns the companies in the order sent and, for a table, their line numbers.
func (in *watchCompaniesInput) requests(limits WatchLimits) (requests []BatchRequest, lines []int, err error) {
	name := "items"
	requests = in.Items
	switch sent := btoi(in.Items != nil) + btoi(in.TaxIDs != nil) + btoi(in.Table.rows != nil); {
	case sent == 0:
		return nil, nil, problem.Invalid(&problem.InputError{Parameter: "items", Code: problem.Required,
			Accepted: `send items or taxIds, for example {"taxIds": [9900000010]}, or a table as text/csv`})
	case sent > 1:
		return nil, nil, problem.Invalid(&problem.InputError{Parameter: "taxIds", Code: problem.Conflict,
			Accepted: "items, taxIds or a table, only one of them",
			Reason:   "companies were sent in more than one form; send one of items, taxIds and a table"})
	case in.Table.rows != nil:
		if in.Table.count > limits.Companies {
			return nil, nil, problem.Invalid(&problem.InputError{Parameter: "csv", Code: problem.TooMany,
				Accepted: fmt.Sprintf("a table of at most %d companies", limits.Companies),
				Reason: fmt.Sprintf("the table has %d companies, and a watch-list takes at most %d; nothing was "+
					"changed or charged. Split it among several watch-lists", in.Table.count, limits.Companies)})
		}

		return in.Table.rows, in.Table.lines, nil
	case in.TaxIDs != nil:
		name = "taxIds"
		for _, id := range in.TaxIDs {
			requests = append(requests, BatchRequest{TaxID: id})
		}
	}

	if len(requests) > mostListed {
		return nil, nil, problem.Invalid(&problem.InputError{Parameter: name, Code: problem.TooMany,
			Accepted: fmt.Sprintf("1 to %d companies, or a table as text/csv", mostListed),
			Reason: fmt.Sprintf("it has %d companies, and a JSON body takes at most %d; send them as a table "+
				"(Content-Type: text/csv), or in several calls", len(requests), mostListed)})
	}

	return requests, nil, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// read returns the company of an item.
func (i *WatchItem) read(ctx context.Context, request BatchRequest, trade TradeRegister) (CUI, error) {
	i.Reference = request.Reference
	if request.Date != "" {
		return 0, problem.Invalid(&problem.InputError{Parameter: "date", Code: problem.UnknownParameter,
			Received: problem.Shown(request.Date), Accepted: "taxId and reference"})
	}

	w := readWanted(request)
	if w.number != "" || w.err != nil {
		i.Input = w.input
	}
	if w.err != nil || w.number == "" {
		return w.cui, w.err
	}

	cui, err := trade.TaxID(ctx, w.number)
	if errors.Is(err, ErrUnknown) {
		err = problem.NotFound.New("the trade register knows no company with the number %s; check it, or search by "+
			"name with search_companies (GET /v1/companies?q=...)", w.number)
	}

	return cui, err
}

// nothing is the problem of a table without companies.
func (w *watchWork) nothing() error {
	first := w.items[0]
	return problem.Invalid(&problem.InputError{Parameter: "csv", Code: problem.InvalidFormat,
		Received: problem.Shown(first.Input),
		Accepted: "a table with a column of tax ids, named cui, taxId or cod fiscal",
		Reason: "no line of the table has a tax id that is valid; line " + strconv.Itoa(first.Line) + ": " +
			first.Problem.Detail})
}

// mostNamed is the maximum number of failed items listed in the problem of an incomplete list.
const mostNamed = 5

// incomplete returns a problem if items of the list failed, otherwise nil. Such a list must not replace another one: a
// company would be removed from the watch-list only because its item could not be read.
func (w *watchWork) incomplete(in *watchCompaniesInput) error {
	failed, named := 0, []string(nil)
	for i := range w.items {
		item := &w.items[i]
		if item.Problem == nil {
			continue
		}
		if failed++; failed > mostNamed {
			continue
		}

		place := fmt.Sprintf("item %d", item.Index)
		if w.table {
			place = fmt.Sprintf("line %d", item.Line)
		}

		named = append(named, place+": "+item.Problem.Detail)
	}

	if failed == 0 {
		return nil
	}

	name := "items"
	if w.table {
		name = "csv"
	} else if in.TaxIDs != nil {
		name = "taxIds"
	}

	return problem.Invalid(&problem.InputError{Parameter: name, Code: problem.InvalidFormat,
		Accepted: "with mode=replace, a list all of whose companies can be read and are known",
		Reason: fmt.Sprintf("%d of %d companies cannot be read or are unknown, so that they would be removed; "+
			"nothing was changed or charged. Correct them, or send mode=add. The first: %s",
			failed, len(w.items), strings.Join(named, "; "))})
}

// result combines the items with the outcome of the order.
func (w *watchWork) result(outcome WatchOutcome) *WatchResult {
	r := &WatchResult{Count: len(w.items), Removed: outcome.Removed, Items: []WatchItem{}}
	counted := make([]bool, len(w.companies))
	for i := range w.items {
		item := w.items[i]
		place := w.places[i]
		if place >= 0 {
			item.Change = outcome.Changes[place]
			if counted[place] {
				item.Change = WatchUnchanged
			}

			counted[place] = true
		}

		switch item.Change {
		case WatchAdded:
			r.Added++
		case WatchUpdated:
			r.Updated++
		case WatchUnchanged:
			r.Unchanged++
		default: // the item could not be read
			r.Failed++
		}

		if !w.table || place < 0 && len(r.Items) < mostReported {
			r.Items = append(r.Items, item)
		}
	}

	return r
}
