package api

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/internal/spelling"
)

// CompanyTable is a list of companies in a CSV table, as exported by spreadsheets and accounting programs.
type CompanyTable struct {
	rows  []BatchRequest
	lines []int // the line of each row, from 1
	count int   // the number of rows, including dropped ones
}

// maxTableRows is the maximum number of rows kept.
const maxTableRows = 1_000_000

const tableForm = "a CSV table in UTF-8 with a column of tax ids, named cui, taxId or cod fiscal"

// idColumns and referenceColumns are column names in the form of plainName.
var (
	idColumns = []string{"cui", "taxid", "codfiscal", "cif", "coduniccui", "codunic", "codunicdeinregistrare",
		"codinregistrarefiscala", "coddeinregistrarefiscala", "codulfiscal", "vat", "vatid", "vatnumber", "vatno",
		"taxnumber", "taxno", "cuicif", "cifcui", "fiscalcode"}
	referenceColumns = []string{"reference", "ref", "referinta", "codpartener", "codfurnizor", "codclient", "partnerid",
		"supplierid", "customerid"}
)

// UnmarshalText parses a table. Its first line has the column names, unless there is only one column.
func (t *CompanyTable) UnmarshalText(text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	if !utf8.Valid(text) {
		return &problem.InputError{Code: problem.InvalidEncoding, Accepted: tableForm,
			Reason: "the table is not in UTF-8; in a spreadsheet, save it as \"CSV UTF-8\""}
	}

	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord = delimiterOf(text), -1
	r.LazyQuotes, r.ReuseRecord, r.TrimLeadingSpace = true, true, true
	record, err := readRecord(r)
	if errors.Is(err, io.EOF) {
		return &problem.InputError{Code: problem.Empty, Accepted: tableForm,
			Reason: "the table is empty; send " + tableForm}
	}
	if err != nil {
		return err
	}

	id, reference, named, err := columnsOf(record)
	if err != nil {
		return err
	}

	t.rows = []BatchRequest{}
	for ; err == nil; record, err = readRecord(r) {
		if named {
			named = false
			continue
		}

		line, _ := r.FieldPos(0)
		if err := t.add(record, id, reference, line); err != nil {
			return err
		}
	}

	if !errors.Is(err, io.EOF) {
		return err
	}
	if t.count == 0 {
		return &problem.InputError{Code: problem.Empty, Accepted: tableForm,
			Reason: "the table has no companies; send " + tableForm}
	}

	return nil
}

// NamesTaxID reports whether a column of this name contains tax ids: cui, CIF, Cod fiscal, VAT number and the like.
func NamesTaxID(column string) bool { return slices.Contains(idColumns, plainName(column)) }

// readRecord reads a record; it returns io.EOF after the last one. A cell must not span lines, because a stray
// quotation mark at the beginning of a cell would swallow all lines up to the next quotation mark.
func readRecord(r *csv.Reader) ([]string, error) {
	record, err := r.Read()
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, &problem.InputError{Code: problem.Malformed, Accepted: tableForm,
			Reason: fmt.Sprintf("the table cannot be read at line %d; send %s", broken.Line, tableForm)}
	}

	for i, cell := range record {
		if strings.Contains(cell, "\n") {
			line, _ := r.FieldPos(i)
			return nil, &problem.InputError{Code: problem.Malformed,
				Accepted: "a CSV table whose cells have no line breaks",
				Reason: fmt.Sprintf(`a cell in line %d of the table begins with a quotation mark and is not closed `+
					`in that line; put a cell with quotation marks in quotation marks and double its own, such as `+
					`"""ALFA"" SRL", and leave out line breaks`, line)}
		}
	}

	return record, err
}

// delimiterOf returns the most frequent separator in the first line.
func delimiterOf(text []byte) rune {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	best := ','
	for _, candidate := range ";\t" {
		if strings.Count(string(line), string(candidate)) > strings.Count(string(line), string(best)) {
			best = candidate
		}
	}

	return best
}

// columnsOf finds the columns of the tax ids and of the references by the first line, and reports whether that line is
// a header. The reference column is negative if there is none.
func columnsOf(first []string) (id, reference int, named bool, err error) {
	names := make([]string, len(first))
	for i, cell := range first {
		names[i] = plainName(cell)
	}

	find := func(known []string) int {
		return slices.IndexFunc(names, func(name string) bool { return slices.Contains(known, name) })
	}

	id, reference = find(idColumns), find(referenceColumns)
	switch {
	case id >= 0:
		return id, reference, true, nil
	case len(first) == 1:
		return 0, -1, !strings.ContainsAny(first[0], "0123456789"), nil
	}

	found := make([]string, 0, 10)
	for _, cell := range first[:min(len(first), cap(found))] {
		found = append(found, problem.Quoted(cell))
	}

	return 0, 0, false, &problem.InputError{Code: problem.InvalidFormat, Accepted: tableForm,
		Reason: fmt.Sprintf("no column of the table is recognized as tax ids: its first line has %s; name the "+
			"column cui, taxId or cod fiscal", strings.Join(found, ", "))}
}

// plainName folds a column name to plain letters and digits: without case, diacritics and separators.
func plainName(cell string) string { return strings.ReplaceAll(spelling.Fold(cell), " ", "") }

// add adds a row. It skips empty rows, which end many tables.
func (t *CompanyTable) add(record []string, id, reference, line int) error {
	cell := func(column int) string {
		if column < 0 || column >= len(record) {
			return ""
		}
		return strings.TrimSpace(record[column])
	}
	row := BatchRequest{TaxID: cell(id), Reference: cell(reference)}
	if row.TaxID == "" && strings.TrimSpace(strings.Join(record, "")) == "" {
		return nil
	}

	if utf8.RuneCountInString(row.Reference) > longestReference {
		return &problem.InputError{Code: problem.TooLong,
			Accepted: fmt.Sprintf("references of at most %d characters", longestReference),
			Reason: fmt.Sprintf("the reference in line %d of the table has more than %d characters; shorten it", line,
				longestReference)}
	}

	t.count++
	if len(t.rows) < maxTableRows {
		row.TaxID, row.Reference = strings.Clone(row.TaxID), strings.Clone(row.Reference)
		t.rows, t.lines = append(t.rows, row), append(t.lines, line)
	}

	return nil
}

// Schema describes the table.
func (CompanyTable) Schema() Schema { return Schema{Type: "string"} }
