package monitoring

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// watchItems are the items of a list of companies to watch.
type watchItems struct {
	items     []WatchItem
	places    []int // index into companies for each item; negative for items that failed
	companies []WatchedReference
	table     bool
}

// read resolves the items to companies.
func (in *watchCompaniesInput) read(ctx context.Context, trade company.TradeRegister, limits WatchLimits) (*watchItems,
	error) {
	requests, lines, err := in.requests(ctx, limits)
	if err != nil {
		return nil, err
	}

	w := &watchItems{items: make([]WatchItem, len(requests)), places: make([]int, len(requests)), table: lines != nil}
	seen := make(map[ro.CUI]int, len(requests))
	baseURL, failed := op.BaseURLOf(ctx), 0
	for i, request := range requests {
		item := &w.items[i]
		if item.Index = i; lines != nil {
			item.Line = lines[i]
		}

		cui, err := item.read(ctx, request, trade)
		if err != nil {
			p, known := op.ProblemOf(err)
			if !known || in.Mode == ReplaceWatchlist && p.Status() >= http.StatusInternalServerError {
				return nil, err
			}

			item.Status, item.Problem, w.places[i] = p.Status(), &lists.EmbeddedProblem{Problem: p, BaseURL: baseURL},
				-1
			if failed++; w.table && failed > mostReported { // it is only counted, since problems take much memory
				*item = WatchItem{}
			}
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
		return nil, w.noCompanies()
	}
	if in.Mode == ReplaceWatchlist {
		return w, w.rejectFailed(in)
	}

	return w, nil
}

// requests returns the companies in the order sent and, for a table, their line numbers.
func (in *watchCompaniesInput) requests(ctx context.Context,
	limits WatchLimits) (requests []company.BatchRequest, lines []int, err error) {
	name := "items"
	requests = in.Items
	switch sent := btoi(in.Items != nil) + btoi(in.TaxIDs != nil) + btoi(in.Table.SectionReader != nil); {
	case sent == 0:
		return nil, nil, problem.Invalid(&problem.InputError{Parameter: "items", Code: problem.Required,
			Accepted: `send items or taxIds, for example {"taxIds": [9900000010]}, or a table as text/csv`})
	case sent > 1:
		return nil, nil, problem.Invalid(&problem.InputError{Parameter: "taxIds", Code: problem.Conflict,
			Accepted: "items, taxIds or a table, only one of them",
			Reason:   "companies were sent in more than one form; send one of items, taxIds and a table"})
	case in.Table.SectionReader != nil:
		table := company.Table{}
		err := table.Read(ctx, in.Table.SectionReader, limits.Companies)
		return table.Rows, table.Lines, err
	case in.TaxIDs != nil:
		name = "taxIds"
		for _, id := range in.TaxIDs {
			requests = append(requests, company.BatchRequest{TaxID: id})
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
func (i *WatchItem) read(ctx context.Context, request company.BatchRequest, trade company.TradeRegister) (ro.CUI,
	error) {
	i.Reference = request.Reference
	if request.Date != "" {
		return 0, problem.Invalid(&problem.InputError{Parameter: "date", Code: problem.UnknownParameter,
			Received: problem.Excerpt(request.Date), Accepted: "taxId and reference"})
	}

	w := company.ParseItem(request)
	if w.IsNumber() || w.Err != nil {
		i.Input = w.Input
	}
	if w.Err != nil || !w.IsNumber() {
		return w.CUI, w.Err
	}

	cui, err := trade.TaxID(ctx, w.Number)
	if errors.Is(err, op.ErrUnknown) {
		err = problem.NotFound.New("the trade register knows no company with the number %s; check it, or search by "+
			"name with search_companies (GET /v1/companies?q=...)", w.Input)
	}

	return cui, err
}

// noCompanies is the problem of a table without companies.
func (w *watchItems) noCompanies() error {
	first := w.items[0]
	return problem.Invalid(&problem.InputError{Parameter: "csv", Code: problem.InvalidFormat,
		Received: problem.Excerpt(first.Input),
		Accepted: "a table with a column of tax ids, named cui, taxId or cod fiscal",
		Reason: "no line of the table has a valid tax id; line " + strconv.Itoa(first.Line) + ": " +
			first.Problem.Detail})
}

// mostNamed is the maximum number of failed items listed in the problem of an incomplete list.
const mostNamed = 5

// rejectFailed returns a problem if items of the list failed, otherwise nil. Such a list must not replace another one:
// a company would be removed from the watch-list only because its item could not be read.
func (w *watchItems) rejectFailed(in *watchCompaniesInput) error {
	failed, named := 0, []string(nil)
	for i := range w.items {
		if w.places[i] >= 0 {
			continue
		}
		if failed++; failed > mostNamed {
			continue
		}

		item := &w.items[i]
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
		Accepted: "with mode=replace, a list of valid, known companies only",
		Reason: fmt.Sprintf("%d of %d companies are invalid or unknown, and would be removed from the watch-list; "+
			"nothing was changed or charged. Correct them, or send mode=add. The first: %s",
			failed, len(w.items), strings.Join(named, "; "))})
}

// mostReported is the maximum number of unreadable rows of a table that are reported.
const mostReported = 100

// result returns the outcome of each item, and counts the outcomes.
func (w *watchItems) result(outcome WatchOutcome) *WatchResult {
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
