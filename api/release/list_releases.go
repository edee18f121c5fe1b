package release

import (
	"context"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/tag"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Releases are the downloadable releases of the trade register.
type Releases interface {
	// List returns the kept releases, the newest first.
	List() []Release
	// File returns a file of a release by name; the zero date means the newest release. The error is ErrUnknown if
	// there is no such file.
	File(release ro.Date, name string) (*op.Document, error)
}

// Release is a downloadable release of the trade register.
type Release struct {
	Date         ro.Date       `json:"date" doc:"Date of the release, used in the paths of its files."`
	Companies    int           `json:"companies" doc:"Number of companies."`
	ChangesSince *ro.Date      `json:"changesSince" doc:"The release that changes.parquet compares it with; null if no earlier release was kept, so there is no such file."`
	Files        []ReleaseFile `json:"files" doc:"Its files."`
}

// ReleaseFile is a file of a release.
type ReleaseFile struct {
	Name   string `json:"name" doc:"companies.parquet, companies.csv.zst or changes.parquet."`
	Path   string `json:"path" doc:"Path for downloading it, whole or in ranges."`
	Type   string `json:"type" doc:"Its media type."`
	Rows   int    `json:"rows" doc:"Number of rows."`
	Bytes  int64  `json:"bytes" doc:"Its size in bytes."`
	SHA256 string `json:"sha256" doc:"SHA-256 of its content, in hexadecimal."`
}

// The names of a release's files, without their release-dependent parts.
var (
	Parquet = ReleaseFile{Name: "companies.parquet", Type: "application/vnd.apache.parquet"}
	CSV     = ReleaseFile{Name: "companies.csv.zst", Type: "application/zstd"}
	Changes = ReleaseFile{Name: "changes.parquet", Type: "application/vnd.apache.parquet"}
)

// ReleaseList is the list of downloadable releases.
type ReleaseList struct {
	Releases    []Release `json:"releases" doc:"The available releases, newest first; empty until the files of the first one are made, a few minutes after it is loaded."`
	Attribution string    `json:"attribution" doc:"Attribution that users of the data must give."`
	Licence     string    `json:"licence" doc:"Licence of the data."`
}

// List returns the operation list_releases.
func List(releases Releases) *op.Operation {
	return op.Define(op.Spec{
		Name: "list_releases", Method: "GET", Path: "/v1/releases", Tag: tag.Releases,
		Title: "List downloadable trade register releases",
		Description: "Releases of the Romanian trade register (ONRC) that can be downloaded whole, about one a " +
			"month: each as Parquet and as CSV compressed with zstd, with the changes since the previous one. Free. " +
			"Names of company representatives are not included.",
	}, func(context.Context, account.Caller, struct{}) (op.Answer[ReleaseList], error) {
		list := ReleaseList{Releases: []Release{}, Attribution: company.TradeRegisterAttribution,
			Licence: company.OpenDataLicence}
		if releases != nil {
			list.Releases = releases.List()
		}
		return op.Answer[ReleaseList]{Value: list, Freshness: op.Freshness{Cache: op.Hit, MaxAge: 5 * time.Minute}}, nil
	})
}
