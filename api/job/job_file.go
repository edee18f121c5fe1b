package job

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

const longestJobName = 200

// Name is the name of a list.
type Name string

// UnmarshalText parses a name; surrounding space is dropped.
func (n *Name) UnmarshalText(text []byte) (err error) {
	*n, err = op.ShownText[Name](bytes.TrimSpace(text), 1, longestJobName)
	return err
}

// jobNameOf returns the name of a list by that of its file: its last characters that are shown.
func jobNameOf(file string) string {
	name := []rune(strings.Map(func(r rune) rune {
		if spelling.IsHidden(r) {
			return -1
		}
		return r
	}, file))
	return strings.TrimSpace(string(name[max(0, len(name)-longestJobName):]))
}

// Schema describes the format of a name.
func (Name) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", MinLength: 1, MaxLength: longestJobName}
}

// Column is the name of a column, or its number.
type Column string

// UnmarshalText accepts any name.
func (c *Column) UnmarshalText(text []byte) error {
	*c = Column(strings.TrimSpace(string(text)))
	return nil
}

// Schema describes a name.
func (Column) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string", MinLength: 1} }

// Day is a day for which statuses are requested.
type Day ro.Date

// UnmarshalText parses a day that has statuses.
func (d *Day) UnmarshalText(text []byte) error {
	var day ro.Date
	if err := day.UnmarshalText(text); err != nil {
		return err
	}
	if day < company.FirstStatusDay || day > ro.Today() {
		return &problem.InputError{Code: problem.OutOfRange,
			Accepted: "a day from " + company.FirstStatusDay.String() + " to today in Bucharest"}
	}

	*d = Day(day)
	return nil
}

// Schema describes a day.
func (Day) Schema() jsonschema.Schema { return ro.Date(0).Schema() }

// Part is a part of a profile that a job can add.
type Part string

// jobParts lists the parts that jobs can add. Balance sheets would take several requests per company, and names of
// persons are not stored.
var jobParts = []Part{Part(company.IncludeRegisters), Part(company.IncludeInsolvency), Part(company.IncludeVerdict)}

// UnmarshalText parses the name of a part.
func (p *Part) UnmarshalText(text []byte) (err error) {
	*p, err = op.OneOf(text, jobParts...)
	return err
}

// Schema lists the names.
func (Part) Schema() jsonschema.Schema { return jsonschema.Enum(jobParts...) }

// View selects the fields that a job adds by default.
type View company.View

// UnmarshalText parses the name of a view.
func (v *View) UnmarshalText(text []byte) (err error) {
	*v, err = op.OneOf(text, View(company.SummaryView), View(company.VerdictView))
	return err
}

// Schema lists the views.
func (View) Schema() jsonschema.Schema {
	return jsonschema.Enum(company.SummaryView, company.VerdictView)
}

// Field is a field that a job can add.
type Field company.Field

// UnmarshalText parses the path of a field.
func (f *Field) UnmarshalText(text []byte) error {
	if err := (*company.Field)(f).UnmarshalText(text); err != nil {
		return err
	}

	part, _, _ := strings.Cut(string(*f), ".")
	if slices.Contains(company.Includes, company.Include(part)) && !slices.Contains(jobParts, Part(part)) {
		return &problem.InputError{Code: problem.NotOneOf,
			Accepted: "fields other than balanceSheets and legalRepresentatives",
			Reason:   part + " is not available in jobs; POST /v1/companies/batch and GET /v1/companies/{cui} have it"}
	}

	return nil
}

// Schema describes a path.
func (Field) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string"} }

// jobFields returns the fields that a job adds: the requested fields or those of the view, and the parts.
func jobFields(fields []Field, view View, parts []Part) (all []company.Field) {
	for _, f := range fields {
		all = append(all, company.Field(f))
	}

	switch {
	case view == View(company.VerdictView):
		all = company.WithVerdict(all)
	case len(fields) == 0:
		for _, name := range company.SummaryFields {
			all = append(all, company.Field(name))
		}
	}

	for _, p := range parts {
		if !slices.Contains(all, company.Field(p)) {
			all = append(all, company.Field(p))
		}
	}

	return all
}

// Format is the format of a result.
type Format string

// The formats.
const (
	CSV     Format = "csv"
	XLSX    Format = "xlsx"
	NDJSON  Format = "ndjson"
	Parquet Format = "parquet"
)

// jobFormats are the formats by their media types, the default first.
var jobFormats = []struct {
	format Format
	media  string
}{
	{CSV, "text/csv"},
	{XLSX, op.XLSXType},
	{NDJSON, op.NDJSONType},
	{Parquet, "application/vnd.apache.parquet"},
}

// UnmarshalText parses the name of a format.
func (f *Format) UnmarshalText(text []byte) (err error) {
	*f, err = op.OneOf(text, CSV, XLSX, NDJSON, Parquet)
	return err
}

// Schema lists the formats.
func (Format) Schema() jsonschema.Schema {
	return jsonschema.Enum(CSV, XLSX, NDJSON, Parquet)
}

// Media returns the format's media type.
func (f Format) Media() string {
	for _, known := range jobFormats {
		if known.format == f {
			return known.media
		}
	}

	return jobFormats[0].media
}

// ContentType returns the format's media type with its charset.
func (f Format) ContentType() string {
	if f == CSV {
		return op.CSVType
	}
	return f.Media()
}

// jobFormatOf returns the format of a media type; an empty one means the default.
func jobFormatOf(media string) Format {
	for _, known := range jobFormats {
		if known.media == media {
			return known.format
		}
	}

	return jobFormats[0].format
}
