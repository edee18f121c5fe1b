package settings

import (
	"fmt"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/jobs"
)

// Jobs limits the files with companies to look up in the background.
type Jobs struct {
	// Share is the part of the tax authority's ration that all jobs together may use, such as 50%. Callers always have
	// priority. Placeholders are resolved. Default: 50%.
	Share string `json:"share,omitempty"`
	// Rows is the maximum number of rows in a file. Default 200,000.
	Rows int `json:"rows,omitempty"`
	// Unfinished is the maximum number of an account's unfinished jobs. Default 20.
	Unfinished int `json:"unfinished,omitempty"`
	// Kept is the maximum number of an account's jobs, finished or not. Default 500.
	Kept int `json:"kept,omitempty"`
	// Storage is the maximum number of bytes that an account's jobs store, compressed. The files of its results may
	// take as much again, and one result more. Default 1 GiB.
	Storage int64 `json:"storage,omitempty"`
	// Result is the maximum size of a result in bytes. Default 1 GiB.
	Result int64 `json:"result,omitempty"`
}

const (
	// maxJobRows is the maximum number of rows in a workbook.
	maxJobRows    = 1_000_000
	maxUnfinished = 1_000
	maxKept       = 100_000
	leastStorage  = 1 << 20
)

func (j *Jobs) rows() option.Table {
	return option.Table{
		"share": option.Text(&j.Share, checkShare), "rows": option.Limit(&j.Rows, maxJobRows),
		"unfinished": option.Limit(&j.Unfinished, maxUnfinished), "kept": option.Limit(&j.Kept, maxKept),
		"storage": option.Size(&j.Storage, leastStorage), "result": option.Size(&j.Result, leastStorage),
	}
}

func (j *Jobs) validate() error {
	for _, o := range []struct {
		name string
		size int64
	}{{"storage", j.Storage}, {"result", j.Result}} {
		if o.size != 0 && o.size < leastStorage {
			return fmt.Errorf("%s: give at least %d bytes, or leave it out", o.name, leastStorage)
		}
	}
	return nil
}

// Limits returns the bounds, 0 for the default.
func (j *Jobs) Limits() jobs.Limits {
	return jobs.Limits{Limits: upload.Limits{Rows: j.Rows}, Unfinished: j.Unfinished, Kept: j.Kept,
		Storage: j.Storage, Result: j.Result}
}

// Fraction is the part of the ration, at most 1.
func (j *Jobs) Fraction() float64 { return fractionOf(j.Share, 0.5) }
