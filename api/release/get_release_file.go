package release

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type getReleaseFileInput struct {
	Date Date `arg:"date" in:"path" doc:"Release date, as GET /v1/releases lists it, or latest." example:"2026-10-02"`
}

// ranged is the end of the descriptions of files. It explains how to read parts of a file.
const ranged = " Range requests and ETag are supported, so that tools such as DuckDB read only what a query needs. " +
	"Free, no key needed; limited by IP address, like the site's pages."

// GetFile returns the operation for one of the files.
func GetFile(releases Releases, file ReleaseFile) *op.Operation {
	spec := op.Spec{
		Method: "GET", Path: "/v1/releases/{date}/" + file.Name, Tag: tag.Releases, Media: file.Type, Unmetered: true,
		Download: true,
		Errors:   []*problem.Kind{problem.NotFound, problem.RangeNotSatisfiable, problem.Unavailable},
	}
	switch file.Name {
	case Parquet.Name:
		spec.Name, spec.Title = "get_release_parquet", "Download the trade register as Parquet"
		spec.Description = "All companies of a release, ordered by name, as Parquet in row groups of 50,000; its " +
			"metadata contains the attribution." + ranged
	case CSV.Name:
		spec.Name, spec.Title = "get_release_csv", "Download the trade register as CSV"
		spec.Description = "All companies of a release, ordered by name, as CSV (RFC 4180, UTF-8) compressed with " +
			"zstd. Cells that a spreadsheet would take for formulas begin with an apostrophe." + ranged
	case Changes.Name:
		spec.Name, spec.Title = "get_release_changes", "Download the changes in the trade register"
		spec.Description = "Changes since the release in changesSince, as Parquet: a row for each company that was " +
			"added or removed, and for each field that changed, with its value before and after." + ranged
	}

	return op.Define(spec, func(_ context.Context, _ account.Caller, in getReleaseFileInput) (op.Answer[op.Binary],
		error) {
		if releases == nil {
			return op.Answer[op.Binary]{}, noReleaseFile(nil, in.Date, file.Name)
		}

		document, err := releases.File(ro.Date(in.Date), file.Name)
		if errors.Is(err, op.ErrUnknown) {
			err = noReleaseFile(releases.List(), in.Date, file.Name)
		}

		return op.Answer[op.Binary]{Document: document, Freshness: op.Freshness{MaxAge: 5 * time.Minute}}, err
	})
}

// noReleaseFile is the problem of a nonexistent file. It lists the existing ones.
func noReleaseFile(kept []Release, date Date, name string) error {
	if len(kept) == 0 {
		return problem.NotFound.New("no release can be downloaded yet; its files are created within minutes after a " +
			"release of the trade register is loaded, and then listed by GET /v1/releases")
	}

	var days []string
	for _, release := range kept {
		if name == Changes.Name && (release.Date == ro.Date(date) || date == 0) {
			return problem.NotFound.New("no release before %s was kept to compare it with; only companies.parquet "+
				"and companies.csv.zst exist", release.Date)
		}

		days = append(days, release.Date.String())
	}

	return problem.NotFound.New("the release of %s is not available; available are: "+
		"%s", ro.Date(date), strings.Join(days, ", "))
}

// Date is the day of a release; the zero value is the newest one.
type Date ro.Date

// latestRelease stands for the newest release.
const latestRelease = "latest"

// UnmarshalText parses a day, or latest.
func (d *Date) UnmarshalText(text []byte) error {
	if string(text) == latestRelease {
		*d = 0
		return nil
	}
	if err := (*ro.Date)(d).UnmarshalText(text); err != nil {
		return &problem.InputError{Code: problem.InvalidFormat,
			Accepted: fmt.Sprintf("%s, or %s", ro.DateForm, latestRelease)}
	}
	return nil
}

// Schema describes the formats.
func (Date) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "string", Pattern: `^(latest|\d{4}-\d\d-\d\d)$`}
}
