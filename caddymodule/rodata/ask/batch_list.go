package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/internal/table"
)

// runList looks up the companies of a file in one call, for callers without a key.
func (s *session) runList(ctx context.Context, b *batchQuestion) error {
	list, err := b.readList()
	if err != nil {
		return err
	}

	var totals client.BatchSummary
	items, answered := make([]client.BatchItem, len(list.queries)), 0
	bar := newBar(s.errs)
	defer bar.end()
	for item, err := range s.Batch(ctx, client.Batch{Items: list.queries, Fields: b.fields, Summary: &totals}) {
		switch {
		case tooMany(err):
			return fail(exitError, "%s has %d rows, more than the gateway looks up without a key; with one in "+
				"RODATA_KEY it takes up to 200,000", b.file.name, len(items))
		case err != nil:
			return err
		case item.Index < 0 || item.Index >= len(items):
			return fail(exitError, "the gateway answers about row %d, and there are %d", item.Index, len(items))
		}

		items[item.Index] = item
		answered++
		bar.show(answered, len(items), nil)
	}

	bar.end()
	if err := s.writeFile(b.out, func(w io.Writer) error { return list.write(w, b, items) }); err != nil {
		return err
	}

	s.say("%s", summary(totals.Count, totals.Found, totals.NotFound, totals.Failed))
	return nil
}

// tooMany reports whether a list was rejected for its length.
func tooMany(err error) bool {
	refused, ok := errors.AsType[*client.Problem](err)
	return ok && slices.ContainsFunc(refused.Errors, func(wrong client.InputError) bool {
		return wrong.Code == "too_many"
	})
}

// list has the companies of a file, and its rows, which are copied to the result.
type list struct {
	columns []string
	rows    [][]string
	queries []client.BatchQuery
}

// readList reads the companies of the file.
func (b *batchQuestion) readList() (*list, error) {
	l := new(list)
	read, err := b.file.read(b.column, func(cells []string) { l.rows = append(l.rows, slices.Clone(cells)) })
	if err != nil {
		return nil, err
	}

	l.columns = read.Columns
	for i, row := range l.rows {
		q := client.BatchQuery{TaxID: cellAt(row, read.ID), Date: b.date}
		if text := cellAt(row, read.Date); text != "" {
			if q.Date, err = dayOf(text); err != nil {
				return nil, wrongUsage("row %d: %w", i+1, err)
			}
		}

		l.queries = append(l.queries, q)
	}

	return l, nil
}

func cellAt(row []string, i int) string {
	if i < 0 || i >= len(row) {
		return ""
	}
	return strings.TrimSpace(row[i])
}

// dayOf parses a day as 2026-06-10 or, as in Romanian spreadsheets, 10.06.2026.
func dayOf(text string) (client.Date, error) {
	if t, err := time.Parse("02.01.2006", text); err == nil {
		return client.DateOf(t), nil
	}
	return client.ParseDate(text)
}

// write writes the rows with their outcomes.
func (l *list) write(w io.Writer, b *batchQuestion, items []client.BatchItem) error {
	switch b.format {
	case "ndjson":
		_, err := jsonLines(items).WriteTo(w)
		return err
	case "json":
		return writeArray(w, jsonLines(items))
	}

	fields := b.fields
	if len(fields) == 0 {
		fields = csvFields
	}

	columns := table.Texts(l.named(append([]string{"status", "problem"}, fields...))...)
	var rows [][]string
	for i := range items {
		row := make([]string, len(l.columns), len(columns))
		copy(row, l.rows[i])
		row = append(row, strconv.Itoa(items[i].Status), problemText(&items[i]))
		rows = append(rows, append(row, values(&items[i], fields)...))
	}

	info := table.Info{Title: "Companies of " + filepath.Base(b.file.name), Sources: sourcesOf(items)}
	switch b.format {
	case "xlsx":
		return writeRows(table.NewXLSX(w, columns, info), rows)
	case "parquet":
		return writeRows(table.NewParquet(w, columns, info), rows)
	}

	return writeRows(table.NewCSV(w, columns, ','), rows)
}

// named returns the names of all columns. A name that the file already has gets a number, as in the results of jobs.
func (l *list) named(others []string) []string {
	names := slices.Clone(l.columns)
	for _, name := range others {
		numbered := name
		for n := 2; slices.Contains(names, numbered); n++ {
			numbered = fmt.Sprintf("%s (%d)", name, n)
		}

		names = append(names, numbered)
	}

	return names
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
