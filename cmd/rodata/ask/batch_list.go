package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/ro"
)

// runList looks up the companies of a file in one call, for callers without a key, and writes the result. It returns a
// summary.
func (s *session) runList(ctx context.Context, b *batchQuestion, w io.Writer) (string, error) {
	list, err := b.readList(ctx, s)
	if err != nil {
		return "", err
	}

	var totals client.BatchSummary
	if len(list.queries) > 0 {
		if totals, err = s.lookUp(ctx, b, list); err != nil {
			return "", err
		}
	}

	wrong := totals.NotFound + totals.Invalid + len(list.items) - len(list.queries) - list.blank
	return summary(len(list.items), totals.Found, wrong, list.blank, totals.Failed), list.write(w, b)
}

// lookUp fills in the items of a list.
func (s *session) lookUp(ctx context.Context, b *batchQuestion, l *list) (totals client.BatchSummary, err error) {
	answered := 0
	bar := newBar(s.errs)
	defer bar.end()
	for item, err := range s.Batch(ctx, client.Batch{Items: l.queries, Fields: b.fields, Summary: &totals}) {
		switch {
		case isTooMany(err):
			return totals, fail(exitError, "%s has %d rows, more than the gateway looks up without a key; with one "+
				"in RODATA_KEY it takes up to 200,000", b.file.name, len(l.items))
		case err != nil:
			return totals, err
		case item.Index < 0 || item.Index >= len(l.at):
			return totals, fail(exitError, "the gateway answers about row %d, and there are %d", item.Index, len(l.at))
		}

		item.Index = l.at[item.Index]
		l.items[item.Index] = item
		answered++
		bar.show(answered, len(l.queries), nil)
	}

	return totals, nil
}

// isTooMany reports whether a list was rejected for its length.
func isTooMany(err error) bool {
	refused, ok := errors.AsType[*client.Problem](err)
	return ok && slices.ContainsFunc(refused.Errors, func(wrong client.InputError) bool {
		return wrong.Code == "too_many"
	})
}

// list holds the companies of a file, and its rows, which are copied to the result.
type list struct {
	table   upload.Table
	rows    []upload.Row
	items   []client.BatchItem // by row
	queries []client.BatchQuery
	at      []int // the row of each query: a row without a valid day is not sent
	blank   int   // rows without a tax id, which the gateway counts as invalid
}

// readList reads the companies of the file.
func (b *batchQuestion) readList(ctx context.Context, s *session) (l *list, err error) {
	l = new(list)
	l.table, err = b.read(ctx, s, func(x *upload.Row) {
		l.rows = append(l.rows, upload.Row{Cells: slices.Clone(x.Cells), Kinds: slices.Clone(x.Kinds)})
	})
	if err != nil {
		return nil, err
	}

	l.items = make([]client.BatchItem, len(l.rows))
	for i, row := range l.rows {
		q := client.BatchQuery{TaxID: cellAt(row.Cells, l.table.ID), Date: b.date}
		if q.TaxID == "" {
			l.blank++
		}
		if text := cellAt(row.Cells, l.table.Date); text != "" {
			if q.Date, err = parseDay(text); err != nil {
				l.items[i] = client.BatchItem{Index: i, Input: q.TaxID, Status: http.StatusBadRequest,
					Problem: &client.Problem{Code: client.CodeInvalidRequest, Status: http.StatusBadRequest,
						Detail: err.Error()}}
				continue
			}
		}

		l.queries, l.at = append(l.queries, q), append(l.at, i)
	}

	return l, nil
}

func cellAt(row []string, i int) string {
	if i < 0 || i >= len(row) {
		return ""
	}
	return strings.TrimSpace(row[i])
}

// write writes the rows with their outcomes.
func (l *list) write(w io.Writer, b *batchQuestion) error {
	switch b.format {
	case "ndjson":
		_, err := jsonLines(l.items).WriteTo(w)
		return err
	case "json":
		return writeArray(w, jsonLines(l.items))
	}

	fields := b.fields
	if len(fields) == 0 {
		fields = csvFields
	}

	columns := company.ResultColumns(b.format, l.table.Columns, l.table.Kinds, fields)
	out := table.New(b.format, w, columns,
		table.Info{Title: "Companies of " + filepath.Base(b.file.name), Sources: sourcesOf(l.items)},
		table.DelimiterFor(l.table.Delimiter))
	for i := range l.items {
		item := &l.items[i]
		cells := make([]string, len(l.table.Columns), len(columns))
		copy(cells, l.rows[i].Cells)
		cells = append(cells, strconv.Itoa(item.Status), problemText(item), asOf(item))
		if err := out.Write(append(cells, fieldsOf(item.Raw, fields)...), l.rows[i].Kinds...); err != nil {
			return errors.Join(err, out.Close())
		}
	}

	return out.Close()
}

// asOf returns the day that an item is about: the requested one, or today. It is empty for items without an answer.
func asOf(item *client.BatchItem) string {
	switch {
	case item.Status != http.StatusOK && item.Status != http.StatusNotFound:
		return ""
	case item.Date != nil:
		return item.Date.String()
	}
	return ro.Today().String()
}

// sourcesOf returns the registries behind the items, with the newest day of each.
func sourcesOf(items []client.BatchItem) (sources []table.Source) {
	days := make(map[string]string)
	for _, item := range items {
		if item.Company == nil {
			continue
		}

		for _, s := range item.Company.Sources {
			days[s.Name] = max(days[s.Name], text(s.AsOf))
		}
	}

	for _, name := range slices.Sorted(maps.Keys(days)) {
		sources = append(sources, table.Source{Name: name, Date: days[name]})
	}

	return sources
}

func jsonLines(items []client.BatchItem) *bytes.Buffer {
	lines := new(bytes.Buffer)
	enc := json.NewEncoder(lines)
	enc.SetEscapeHTML(false)
	for i := range items {
		_ = enc.Encode(items[i]) // it was decoded from JSON, so it can be encoded
	}

	return lines
}
