package company

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type exportCompaniesInput struct {
	companyFilter
	companySort
	Limit     ExportLimit  `arg:"limit" default:"10000"`
	After     ExportCursor `arg:"after" doc:"CSV and XLSX only: continues after the rows of an earlier file; the value is in that file's Link header (rel=next)." example:"2026-10-02.10000"`
	Delimiter op.Delimiter `arg:"delimiter" default:"," doc:"CSV only: the cell separator: a comma, semicolon or tab. With a semicolon, the file begins with a byte order mark, for spreadsheets in Romanian."`
}

// exportCompanies returns the export of the search.
func exportCompanies(register TradeRegister, places reference.Gazetteer,
	activities reference.Classification) *op.Operation {
	return op.DefineExport(op.Spec{
		Name: "export_companies", Title: "Export companies found by a search",
		Description: "Overrides the Accept header. For formats other than JSON, limit defaults to 10000, its " +
			"maximum, and after replaces offset.", Cost: 1,
		Alternates: []op.Alternate{
			{Type: "text/csv", Format: "csv",
				Description: fmt.Sprintf("A header line, then a line per company: up to %d, at 1 credit per %d, "+
					"rounded up. The Link header (rel=next) leads to the remaining companies.",
					op.MaxExportRows, op.RowsPerPrice)},
			{Type: op.XLSXType, Format: "xlsx",
				Description: "The same as a workbook, with a sheet that names their source."},
		},
		Errors: []*problem.Kind{problem.NotFound, problem.Unavailable},
	}, func(ctx context.Context, in exportCompaniesInput, media string, price op.Payment) (op.Export, error) {
		query, err := in.query(places, activities, in.companySort)
		if err != nil {
			return op.Export{}, err
		}

		query.Limit, query.Offset = op.Limit(in.Limit), op.Offset(in.After.offset)
		query.Stored, query.WithFigures = true, true
		found, err := register.Search(ctx, query)
		if err != nil {
			return op.Export{}, err
		}
		if err := in.After.follows(found.Through); err != nil {
			return op.Export{}, err
		}

		if err := price.Reserve(ctx, (len(found.Items)+op.RowsPerPrice-1)/op.RowsPerPrice); err != nil {
			return op.Export{}, err
		}

		made := op.Export{Freshness: op.Freshness{Cache: op.Hit, MaxAge: 5 * time.Minute}}
		if end := in.After.offset + len(found.Items); len(found.Items) > 0 && end < found.Total {
			made.Next = ExportCursor{found.Through, end}.String()
		}

		made.Document, err = in.document(media, &found, made.Next)
		return made, err
	})
}

// document writes the file.
func (in *exportCompaniesInput) document(media string, found *Matches, next string) (*op.Document, error) {
	var file bytes.Buffer
	var w table.Writer
	name, contentType := "companies.csv", op.CSVType
	if media == op.XLSXType {
		name, contentType = "companies.xlsx", op.XLSXType
		w = table.NewXLSX(&file, exportColumns, in.info(found, next))
	} else {
		w = table.NewCSV(&file, exportColumns, rune(in.Delimiter))
	}

	for i := range found.Items {
		cells := append(found.Items[i].cells(), found.Items[i].figureCells(found.StatementsYear)...)
		if err := w.Write(cells); err != nil {
			return nil, fmt.Errorf("writing %s: %w", name, err)
		}
	}

	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}

	return op.NewFile(file.Bytes(), contentType, name), nil
}

// info returns the content of the workbook's info sheet.
func (in *exportCompaniesInput) info(found *Matches, next string) table.Info {
	first, last := in.After.offset+1, in.After.offset+len(found.Items)
	info := table.Info{
		Title: "Companies of Romania's trade register",
		Sources: []table.Source{
			{Name: TradeRegisterName, Address: TradeRegisterAddress, Date: found.Through.String(),
				Attribution: TradeRegisterAttribution, Licence: OpenDataLicence},
			{Name: "ANAF: vatPayer, phone", Address: "https://www.anaf.ro", Date: "as far as they were looked up"},
		},
		Notes: []table.Note{
			{Name: "made", Text: time.Now().UTC().Format(time.RFC3339)},
			{Name: "rows", Text: fmt.Sprintf("%d to %d of %d", min(first, last), last, found.Total)},
			{Name: "after", Text: next},
		},
	}
	if found.StatementsYear != nil {
		info.Sources = append(info.Sources, table.Source{
			Name: "Ministerul Finanțelor: turnover, netResult, employees", Address: statementsAddress,
			Date:        strconv.Itoa(*found.StatementsYear),
			Attribution: fmt.Sprintf("Ministerul Finanțelor, data.gov.ro, situații financiare %d", *found.StatementsYear),
		})
	}

	return info
}

// statementsAddress has the yearly statements in bulk. The licence differs by year, and some years have none.
const statementsAddress = "https://data.gov.ro/organization/mfp"

// The trade register's open data, as credited in files (https://data.gov.ro/organization/onrc, 2026-11-23).
const (
	TradeRegisterName        = "Oficiul Național al Registrului Comerțului (ONRC)"
	TradeRegisterAddress     = "https://data.gov.ro/organization/onrc"
	TradeRegisterAttribution = "Oficiul Național al Registrului Comerțului, data.gov.ro"
	OpenDataLicence          = "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/"
)

// summaryColumns are the columns of a company in a table.
var summaryColumns = fieldColumns(SummaryFields)

// figureColumns are the fields of the figures in a search's result.
var figureColumns = [...]string{"turnover", "netResult", "employees"}

// ExportColumns are the names of the columns of an export.
var ExportColumns = append(append(slices.Clone(SummaryFields), figureColumns[:]...), "statementsYear")

// exportColumns are the columns of a company in an export.
var exportColumns = func() []table.Column {
	columns := slices.Clone(summaryColumns)
	for _, name := range ExportColumns[len(SummaryFields):] {
		columns = append(columns, table.Column{Name: name, Kind: table.Integer})
	}
	return columns
}()

// fieldColumns returns the columns of fields of a profile.
func fieldColumns(fields []string) []table.Column {
	columns := table.Texts(fields...)
	for i, f := range fields {
		columns[i].Kind = FieldKind(Field(f))
	}
	return columns
}

// cells returns the company's values for the summary's columns.
func (s *Summary) cells() []string {
	taxID, registered, payer := "", "", ""
	if s.TaxID != nil {
		taxID = s.TaxID.String()
	}
	if s.RegistrationDate != nil {
		registered = s.RegistrationDate.String()
	}
	if s.VATPayer != nil {
		payer = strconv.FormatBool(*s.VATPayer)
	}

	return []string{
		taxID, s.Name, lists.OrEmpty(s.CompanyType), lists.OrEmpty(s.TradeNumber), lists.OrEmpty(s.County),
		lists.OrEmpty(s.City),
		lists.OrEmpty(s.MainNACECode), registered, string(s.StateRegistration), lists.OrEmpty(s.Address), payer,
		lists.OrEmpty(s.Phone),
		lists.OrEmpty(s.Website),
	}
}

// figureCells returns the company's values for the columns of figures.
func (s *Summary) figureCells(year *int) []string {
	cells := make([]string, 0, len(figureColumns)+1)
	for _, value := range []*int64{s.Turnover, s.NetResult, s.Employees} {
		cell := ""
		if value != nil {
			cell = strconv.FormatInt(*value, 10)
		}
		cells = append(cells, cell)
	}

	last := ""
	if year != nil {
		last = strconv.Itoa(*year)
	}

	return append(cells, last)
}

// ExportCursor is a position in the rows that a search finds in a release. The zero value is the beginning.
type ExportCursor struct {
	release ro.Date
	offset  int
}

// String returns the text that UnmarshalText parses.
func (c ExportCursor) String() string { return fmt.Sprintf("%s.%d", c.release, c.offset) }

// UnmarshalText parses a cursor, such as 2026-10-02.10000.
func (c *ExportCursor) UnmarshalText(text []byte) error {
	day, place, _ := strings.Cut(string(text), ".")
	release, err := ro.ParseDate(day)
	offset, ok := op.Count([]byte(place), 8)
	if err != nil || !ok {
		return &problem.InputError{Code: problem.InvalidFormat,
			Accepted: "the value of after in the header Link (rel=next) of the previous file, such as " +
				"2026-10-02.10000; leave it out for the first file"}
	}

	*c = ExportCursor{release, offset}
	return nil
}

// Schema describes the text.
func (ExportCursor) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^\d{4}-\d\d-\d\d\.\d{1,8}$`}
}

// follows returns a problem if the cursor belongs to another release than the searched one, since the rows differ.
func (c ExportCursor) follows(searched ro.Date) error {
	if c.release == 0 || c.release == searched {
		return nil
	}
	return problem.Invalid(&problem.InputError{
		Parameter: "after", Code: problem.Conflict, Received: problem.Excerpt(c.String()),
		Accepted: "a cursor of the release of " + searched.String(),
		Reason: fmt.Sprintf("it belongs to the release of %s, and that of %s has been loaded since; start again "+
			"without after", c.release, searched),
	})
}

// ExportLimit is the maximum number of rows of a file: 1 to 10,000.
type ExportLimit int

// UnmarshalText parses a whole number.
func (l *ExportLimit) UnmarshalText(text []byte) error {
	n, ok := op.ExportRows(text)
	if !ok {
		return &problem.InputError{Code: problem.OutOfRange,
			Accepted: fmt.Sprintf("a whole number from 1 to %d; for more rows, follow the header Link (rel=next)",
				op.MaxExportRows)}
	}

	*l = ExportLimit(n)
	return nil
}

// Schema describes the number.
func (ExportLimit) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "integer", Minimum: new(1), Maximum: new(op.MaxExportRows)}
}
