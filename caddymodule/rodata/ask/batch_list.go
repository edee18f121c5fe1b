package ask

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/client"
	"github.com/rodata/rodata/internal/spelling"
)

// runList looks the companies of a file up in one call, for callers without a key.
func (s *session) runList(ctx context.Context, b *batchQuestion) error {
	if b.file.media == client.XLSXFile {
		return fail(exitError, "XLSX needs a key in RODATA_KEY; without one, save it as CSV")
	}
	if b.format == "xlsx" || b.format == "parquet" {
		return fail(exitError, "%s needs a key in RODATA_KEY; without one, write CSV, NDJSON or JSON", strings.ToUpper(b.format))
	}
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

// list is a file's companies, and its rows as they are carried through.
type list struct {
	columns []string
	rows    [][]string
	queries []client.BatchQuery
}

// readList reads the companies of a CSV or JSON file.
func (b *batchQuestion) readList() (*list, error) {
	var l list
	var err error
	if b.file.media == client.CSVFile {
		l.columns, l.rows, err = readCSV(b.file.data)
	} else {
		l.columns, l.rows, err = readObjects(b.file.data)
	}
	if err != nil {
		return nil, wrongUsage("%s cannot be read: %w", b.file.name, err)
	}

	id, named := taxIDColumn(l.columns, b.column)
	switch {
	case b.column != "" && id < 0:
		return nil, wrongUsage("%s has no column %q; it has %s", b.file.name, b.column, strings.Join(l.columns, ", "))
	case id < 0 && len(l.columns) == 1 && looksLikeTaxID.MatchString(l.columns[0]): // a list without a name
		l.rows = append([][]string{l.columns}, l.rows...)
		l.columns, id = []string{"cui"}, 0
	case id < 0:
		return nil, wrongUsage("%s has no column with tax ids by its name; name it with --column: it has %s", b.file.name, strings.Join(l.columns, ", "))
	case named > 1:
		return nil, wrongUsage("%s has %d columns with tax ids by their names; name one with --column", b.file.name, named)
	}
	return &l, l.query(id, b.date)
}

// query makes the queries of the rows.
func (l *list) query(id int, on client.Date) error {
	dates := slices.IndexFunc(l.columns, func(name string) bool { return spelling.Fold(name) == "date" || spelling.Fold(name) == "data" })
	for i, row := range l.rows {
		q := client.BatchQuery{TaxID: cellAt(row, id), Date: on}
		if text := cellAt(row, dates); text != "" && on.IsZero() {
			d, err := client.ParseDate(text)
			if err != nil {
				return wrongUsage("row %d: %w", i+1, err)
			}
			q.Date = d
		}
		l.queries = append(l.queries, q)
	}
	return nil
}

func cellAt(row []string, i int) string {
	if i < 0 || i >= len(row) {
		return ""
	}
	return strings.TrimSpace(row[i])
}

var (
	idNames        = []string{"cui", "cif", "codfiscal", "codunic", "vat", "tva", "taxid", "vatnumber"}
	looksLikeTaxID = regexp.MustCompile(`(?i)^\s*(RO)?\s*[0-9]{2,10}\s*$`)
	separators     = strings.NewReplacer(" ", "", "_", "", "-", "", ".", "")
)

// taxIDColumn finds the column with the tax ids, by the name that was given or by those that are usual, and says how many
// have one of these.
func taxIDColumn(columns []string, given string) (at, named int) {
	at = -1
	for i, name := range columns {
		folded := separators.Replace(spelling.Fold(name))
		if given != "" && name != given || given == "" && !slices.Contains(idNames, folded) {
			continue
		}
		if named++; at < 0 {
			at = i
		}
	}
	return at, named
}

// readCSV reads a table whose delimiter is the one that its first line has most of.
func readCSV(data []byte) (columns []string, rows [][]string, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	first, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	for _, delimiter := range ";\t" {
		if bytes.Count(first, []byte(string(delimiter))) > bytes.Count(first, []byte(string(r.Comma))) {
			r.Comma = delimiter
		}
	}
	all, err := r.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	return all[0], all[1:], nil
}

// readObjects reads JSON objects, an array of them or a line each, or an array of numbers.
func readObjects(data []byte) (columns []string, rows [][]string, err error) {
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil {
		items = nil
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				items = append(items, line)
			}
		}
	}

	places := make(map[string]int)
	for i, item := range items {
		var members map[string]json.RawMessage
		if json.Unmarshal(item, &members) != nil {
			members = map[string]json.RawMessage{"taxId": item}
		}
		row := make([]string, len(columns))
		for name := range members {
			at, known := places[name]
			if !known {
				at = len(columns)
				places[name] = at
				columns, row = append(columns, name), append(row, "")
			}
			row[at] = fieldOf(item, name)
		}
		if len(members) == 1 && row[0] == "" && members["taxId"] != nil {
			row[0] = strings.Trim(string(item), `"`)
		}
		if !json.Valid(item) {
			return nil, nil, fmt.Errorf("item %d is not JSON", i+1)
		}
		rows = append(rows, row)
	}
	return columns, rows, nil
}

// write writes the rows with what was found.
func (l *list) write(w io.Writer, b *batchQuestion, items []client.BatchItem) error {
	fields := b.fields
	if len(fields) == 0 {
		fields = csvFields
	}
	if b.format == "csv" {
		var rows [][]string
		for i := range items {
			row := make([]string, len(l.columns))
			copy(row, l.rows[i])
			rows = append(rows, slices.Concat(row, []string{strconv.Itoa(items[i].Status), problemText(&items[i])}, values(&items[i], fields)))
		}
		return printCSV(w, slices.Concat(l.columns, []string{"status", "problem"}, fields), rows)
	}

	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for i := range items {
		if err := enc.Encode(items[i]); err != nil {
			return err
		}
	}
	if b.format == "json" {
		return writeArray(w, &lines)
	}
	_, err := lines.WriteTo(w)
	return err
}
