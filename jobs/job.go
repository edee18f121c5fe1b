package jobs

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/internal/table"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

const (
	// KeptFor is the lifetime of the file and the result after the end of a job.
	KeptFor = 7 * 24 * time.Hour
	// TriedFor is the time after the upload during which rows that fail are retried.
	TriedFor = 24 * time.Hour
)

// Job is an uploaded file and the progress of its rows.
type Job struct {
	ID      job.ID
	Account string
	Status  job.JobStatus
	Heading Heading
	// Order is the task. It is empty in lists of jobs.
	Order Order
	// Bytes is the size of what is stored for the job: its order, rows and outcomes.
	Bytes int64
	// Total is the number of rows, and Distinct the number of distinct companies on distinct days.
	Total, Distinct int
	Counts
	CreatedAt time.Time
	// StartedAt, CompletedAt and ExpiresAt are zero until these times are known.
	StartedAt, CompletedAt, ExpiresAt time.Time
	// RetryAt is the time of the next retry of failed rows, and RetryUntil the latest one that is set. They are zero
	// if no rows are retried.
	RetryAt, RetryUntil time.Time
	// Problem is the reason why the job failed. It is nil if the job did not fail.
	Problem *Problem
}

// Heading is what a list of jobs shows of an order, which has the names of all columns.
type Heading struct {
	// Name is the name of the list, which may be empty. Column is the name of the column of tax ids.
	Name   string `json:"name,omitempty"`
	Column string `json:"column"`
	// DateColumn is the name of the column of days. Sheet, Header and Delimiter tell where the table was found: see
	// upload.Table. They are zero if there is none.
	DateColumn string `json:"dateColumn,omitempty"`
	Sheet      string `json:"sheet,omitempty"`
	Header     int    `json:"header,omitempty"`
	Delimiter  string `json:"delimiter,omitempty"`
}

func (h *Heading) layout() job.Layout {
	return job.Layout{Column: h.Column, DateColumn: optional(h.DateColumn), Sheet: optional(h.Sheet),
		HeaderRow: optional(h.Header), Delimiter: optional(h.Delimiter)}
}

// Counts holds the numbers of finished rows by outcome.
type Counts struct {
	// Blank rows have no tax id, and Invalid rows a wrong one or a wrong day.
	Done, Found, NotFound, Invalid, Blank, Failed int
	Verdicts
	// Retrying is the number of rows that failed and will be retried. They are not done.
	Retrying int
	// Asked is the number of distinct companies in these rows, and Cost the credits charged for them.
	Asked, Cost int
}

// Problem is the stored form of a problem.
type Problem struct {
	Kind   string                `json:"kind"`
	Detail string                `json:"detail"`
	Errors []*problem.InputError `json:"errors,omitempty"`
}

func newProblem(p *problem.Problem) *Problem { return &Problem{p.Kind.Slug, p.Detail, p.Errors} }

// problem converts a stored problem back.
func (p *Problem) problem() *problem.Problem {
	for _, k := range problem.Kinds {
		if k.Slug == p.Kind {
			return &problem.Problem{Kind: k, Detail: p.Detail, Errors: p.Errors}
		}
	}

	return &problem.Problem{Kind: problem.Internal, Detail: p.Detail}
}

// toAPI returns the job as its account sees it.
func (j *Job) toAPI(now time.Time) *job.Job {
	job := &job.Job{
		ID: j.ID, Status: j.Status, Total: j.Total, Done: j.Done, Found: j.Found, NotFound: j.NotFound,
		Invalid: j.Invalid, Blank: j.Blank, Failed: j.Failed, Verdicts: j.Verdicts.toAPI(), CreditsCost: j.Cost,
		Name: optional(j.Heading.Name), Layout: j.Heading.layout(), CreatedAt: j.CreatedAt.Truncate(time.Second),
	}

	if j.Status.Ended() {
		job.CompletedAt, job.ExpiresAt = new(j.CompletedAt.Truncate(time.Second)),
			new(j.ExpiresAt.Truncate(time.Second))
	} else {
		if job.Retrying = j.Retrying; j.Retrying > 0 {
			job.RetryAt = new(j.RetryAt.Truncate(time.Second))
		}

		job.CreditsReserved, job.ETASeconds = max(0, j.Distinct-j.Asked), j.eta(now)
	}

	if j.Problem != nil {
		job.Problem = &lists.EmbeddedProblem{Problem: j.Problem.problem()}
	}

	return job
}

// fileName returns the name of the file of a result: the name of the list, if it has one. The name of a partial result
// says how many rows are ready.
func (j *Job) fileName(format job.Format) string {
	name := "job-" + string(j.ID)
	if list := spelling.Slug(strings.TrimSuffix(j.Heading.Name, path.Ext(j.Heading.Name))); list != "" {
		name = list + "-rodata"
	}
	if !j.Status.Ended() {
		name += fmt.Sprintf("-%d-of-%d", j.Done, j.Total)
	}

	return name + "." + string(format)
}

// optional returns a value for an answer in which its zero value is null.
func optional[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

// eta estimates the seconds for the remaining rows from the pace so far. Rows that are retried take at least until
// their retry, whatever the pace was. It returns nil before any row has been looked up.
func (j *Job) eta(now time.Time) *int {
	reached := j.Done + j.Retrying
	if reached == 0 || j.StartedAt.IsZero() {
		return nil
	}

	var left time.Duration
	if open := j.Total - reached; open > 0 {
		left = now.Sub(j.StartedAt) * time.Duration(open) / time.Duration(reached)
	}
	if j.Retrying > 0 {
		left = max(left, j.RetryUntil.Sub(now))
	}

	return new(problem.Seconds(left))
}

// Order is the task of a job: the columns of its file, and the fields to add.
type Order struct {
	// Columns are the names of the file's columns. ID is the index of the column with tax ids. Date is the index of the
	// column with days, or negative if there is none.
	Columns []string `json:"columns"`
	ID      int      `json:"id"`
	Date    int      `json:"date"`
	// Kinds are the types of the columns: see upload.Table.
	Kinds []table.Kind `json:"kinds,omitempty"`
	// Day is the day for rows without their own. It is zero for today.
	Day ro.Date `json:"day,omitempty"`
	// Fields are the fields that the result adds as columns.
	Fields []company.Field `json:"fields"`
	// Key is the id of the API key of the upload. It is empty for a session.
	Key string `json:"key,omitempty"`
}

// dashes are characters that people enter where a tax id is missing.
const dashes = "-‐‑‒–—―−"

// request returns the look-up of a row.
func (o *Order) request(cells []string) company.BatchRequest {
	r := company.BatchRequest{
		TaxID: strings.TrimSpace(cellAt(cells, o.ID)), Date: strings.TrimSpace(cellAt(cells, o.Date)),
	}
	if strings.Trim(r.TaxID, dashes) == "" {
		r.TaxID = ""
	}
	if r.Date == "" && o.Day != 0 {
		r.Date = o.Day.String()
	}
	return r
}

// row is a row of the file, as stored.
type row struct {
	Cells []string `json:"c"`
	// Line is the position in the file, from 1. It is zero for rows that were stored without it.
	Line int `json:"l,omitempty"`
	// Kinds are the types of the cells. They are nil if all are texts.
	Kinds []table.Kind `json:"k,omitempty"`
}

func cellAt(cells []string, column int) string {
	if column < 0 || column >= len(cells) {
		return ""
	}
	return cells[column]
}
