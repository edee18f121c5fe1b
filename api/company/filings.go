package company

import (
	"context"
	"slices"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Filings is what is known about a company's statement for a year.
type Filings struct {
	Year int
	// Sheet is the statement for the year; nil if none is known.
	Sheet *BalanceSheet
	// Years are the years with statements in the Ministry of Finance's files, and Files are its files of the year.
	Years []int
	Files []StatementFile
	// CompleteYears are the years whose files are all here: a statement that they lack is not in the published files.
	// It must not be modified.
	CompleteYears []int
	// Origin is the file with the newest of the company's statements in the files; nil if there are none.
	Origin *StatementOrigin
	// Requested reports that the tax authority's service was asked for this answer, and Unreachable that it did not
	// answer.
	Requested, Unreachable bool
}

// StatementFile is one of the ministry's files of a year.
type StatementFile struct {
	Form     SheetForm
	Coverage Coverage
	// AsOf is the date of the file here; 0 if there is none.
	AsOf ro.Date
}

// StatementOrigin is a file of the ministry, as it is published.
type StatementOrigin struct {
	// Package is the name of the file's dataset on the portal data.gov.ro.
	Package string
	// License is the portal's id of the licence; nil if the ministry states none.
	License *string
	// AsOf is the date of the file.
	AsOf ro.Date
}

// Coverage says whether the files of a year and family are here.
type Coverage string

// The coverages.
const (
	// FileLoaded: the newest files are here.
	FileLoaded Coverage = "loaded"
	// FileRefused: the newest files are not understood. Older ones may be here.
	FileRefused Coverage = "refused"
	// FileNotPublished: the portal has no such files.
	FileNotPublished Coverage = "not_published"
	// FileNotLoaded: the files were not read yet, or the portal was not checked for them.
	FileNotLoaded Coverage = "not_loaded"
)

// SheetSource provides yearly balance sheets: see [Companies].
type SheetSource interface {
	BalanceSheets(ctx context.Context, cui ro.CUI, years Years) (sheets []BalanceSheet, missing []int, hit bool,
		err error)
}

// Request requests the statement from the tax authority's service. Its error is only that of the context.
func (f *Filings) Request(ctx context.Context, companies SheetSource, cui ro.CUI) error {
	sheets, missing, hit, err := companies.BalanceSheets(ctx, cui, Years{Named: []int{f.Year}})
	f.Requested, f.Unreachable = !hit, err != nil || len(missing) > 0
	if len(sheets) > 0 {
		f.Sheet = &sheets[0]
	}

	return ctx.Err()
}

// MissingFiles returns why the files do not tell that a company has no statement in them; empty if they do. In many
// years no company that applies the IFRS has a file of its own.
func (f *Filings) MissingFiles() StatementReason {
	has := func(c Coverage, forms ...SheetForm) bool {
		return slices.ContainsFunc(f.Files, func(file StatementFile) bool {
			return file.Coverage == c && slices.Contains(forms, file.Form)
		})
	}

	switch {
	case f.Year < FirstFiledYear, has(FileNotPublished, SmallForm, LargeForm):
		return FilesNotPublished
	case has(FileRefused, SmallForm, LargeForm, IFRSForm):
		return YearRefused
	case !has(FileLoaded, SmallForm), !has(FileLoaded, LargeForm), has(FileNotLoaded, IFRSForm):
		return FilesNotLoaded
	}

	return ""
}

// last returns the newest year up to that of f with a known statement; nil if there is none.
func (f *Filings) last() *int {
	last := 0
	if f.Sheet != nil {
		last = f.Year
	}
	for _, year := range f.Years {
		if year <= f.Year {
			last = max(last, year)
		}
	}
	if last == 0 {
		return nil
	}

	return &last
}

// AsOf returns the day of the data; nil if it is unknown.
func (f *Filings) AsOf() *ro.Date {
	if f.Sheet != nil && f.Sheet.AsOf != 0 {
		return &f.Sheet.AsOf
	}
	return f.filesAsOf()
}

// filesAsOf returns the date of the file that has the statement, or else of the oldest of the year; nil if there is
// none.
func (f *Filings) filesAsOf() (oldest *ro.Date) {
	for _, file := range f.Files {
		switch {
		case file.AsOf == 0:
		case f.Sheet != nil && f.Sheet.Form == file.Form:
			return &file.AsOf
		case oldest == nil || file.AsOf < *oldest:
			oldest = &file.AsOf
		}
	}

	return oldest
}

// Source returns the source entry of the statements.
func (f *Filings) Source() Source {
	s := Source{Name: "anaf-bilant", AsOf: f.AsOf(), Cache: op.Hit}
	if f.Requested {
		s.Cache = op.Miss
	}
	if f.Unreachable {
		s.Missing = []int{f.Year}
	}

	return s
}
