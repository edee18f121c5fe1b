package settings

import (
	"cmp"
	"fmt"

	"github.com/caddyserver/caddy/v2"

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

	share float64
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
		"share": option.Text(&j.Share, checkShare), "rows": option.Number(&j.Rows),
		"unfinished": option.Number(&j.Unfinished), "kept": option.Number(&j.Kept),
		"storage": option.Size(&j.Storage, leastStorage), "result": option.Size(&j.Result, leastStorage),
	}
}

func (j *Jobs) resolve(repl *caddy.Replacer) (err error) {
	j.Share = cmp.Or(repl.ReplaceAll(j.Share, ""), "50%")
	if j.share, err = parseShare(j.Share); err != nil {
		return fmt.Errorf("share: %w", err)
	}
	return nil
}

func (j *Jobs) validate() error {
	if j.Rows < 0 || j.Rows > maxJobRows {
		return fmt.Errorf("rows: give a number from 1 to %d, or leave it out", maxJobRows)
	}
	if j.Unfinished < 0 || j.Unfinished > maxUnfinished {
		return fmt.Errorf("unfinished: give a number from 1 to %d, or leave it out", maxUnfinished)
	}
	if j.Kept < 0 || j.Kept > maxKept {
		return fmt.Errorf("kept: give a number from 1 to %d, or leave it out", maxKept)
	}
	for name, size := range map[string]int64{"storage": j.Storage, "result": j.Result} {
		if size != 0 && size < leastStorage {
			return fmt.Errorf("%s: give at least %d bytes, or leave it out", name, leastStorage)
		}
	}
	return nil
}

// Limits returns the bounds, 0 for the default.
func (j *Jobs) Limits() jobs.Limits {
	return jobs.Limits{Limits: upload.Limits{Rows: j.Rows}, Unfinished: j.Unfinished, Kept: j.Kept,
		Storage: j.Storage, Result: j.Result}
}

// Fraction is the part of the ration, at most 1; known once the settings are resolved.
func (j *Jobs) Fraction() float64 { return j.share }
