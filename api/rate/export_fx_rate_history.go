package rate

import (
	"bytes"
	"context"
	"fmt"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

type exportFXRateHistoryInput struct {
	getFXRateHistoryInput
	Delimiter op.Delimiter `arg:"delimiter" default:"," doc:"CSV only: the cell separator: a comma, semicolon or tab. With a semicolon, the file begins with a byte order mark and rates have a decimal comma, for spreadsheets in Romanian."`
}

// exportFXRateHistory returns the history as a file, for any number of days.
func exportFXRateHistory(fixings Fixings) *op.Operation {
	return op.Define(op.Spec{
		Name: "export_fx_rate_history", Title: "Export the exchange-rate history of one currency",
		Description: "Overrides the Accept header. A CSV table can cover any number of days: from=2005-01-03 returns " +
			"all fixings.",
		Alternates: []op.Alternate{{Type: "text/csv", Format: "csv",
			Description: "A header line, then a line per fixing, ascending by date. The rate is in RON for 1 unit, " +
				"as in the JSON."}},
		Errors: []*problem.Kind{problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in exportFXRateHistoryInput) (op.Answer[op.Export], error) {
		items, fresh, err := in.find(ctx, fixings, 0)
		if err != nil {
			return op.Answer[op.Export]{}, err
		}

		file, err := in.file(items, in.Delimiter)
		return op.Answer[op.Export]{Renderer: op.Export{Document: file}, Freshness: fresh}, err
	})
}

// historyColumns are the columns of the file.
var historyColumns = []table.Column{{Name: "date", Kind: table.Date}, {Name: "currency"},
	{Name: "rate", Kind: table.Number}}

// file writes the rates of the range as CSV.
func (in *getFXRateHistoryInput) file(items []Quotation, delimiter op.Delimiter) (*op.Document, error) {
	var file bytes.Buffer
	w := table.NewCSV(&file, historyColumns, rune(delimiter))
	for _, q := range items {
		if err := w.Write([]string{q.Date.String(), string(in.Currency), q.Rate.String()}); err != nil {
			return nil, fmt.Errorf("writing rates: %w", err)
		}
	}

	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("writing rates: %w", err)
	}

	return op.NewFile(file.Bytes(), op.CSVType, fmt.Sprintf("%s-%s-%s.csv", in.Currency, in.From, in.To)), nil
}
