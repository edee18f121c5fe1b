package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// JobState is the state of a job.
type JobState string

// The states of a job.
const (
	JobQueued    JobState = "queued"
	JobRunning   JobState = "running"
	JobCompleted JobState = "completed"
	JobFailed    JobState = "failed"
	JobCancelled JobState = "cancelled"
)

// Ended reports whether the state is final.
func (s JobState) Ended() bool { return s == JobCompleted || s == JobFailed || s == JobCancelled }

// Job is the look-up of the companies in a file.
type Job struct {
	ID     string   `json:"id"`
	Status JobState `json:"status"`
	// Name is the name of the list; nil if none was given.
	Name *string `json:"name"`
	// Total is the number of rows. Done is the number of rows with an outcome: found, unknown, invalid, blank or
	// failed. Rows that are retried are not done; RetryAt is when the next of them are.
	Total    int `json:"total"`
	Done     int `json:"done"`
	Found    int `json:"found"`
	NotFound int `json:"notFound"`
	Invalid  int `json:"invalid"`
	Blank    int `json:"blank"`
	Failed   int `json:"failed"`
	// Verdicts are the rows found, by the outcome of their verdict; nil while none has one.
	Verdicts *JobVerdicts `json:"verdicts"`
	Retrying int          `json:"retrying"`
	RetryAt  *time.Time   `json:"retryAt"`
	// CreditsReserved are held for the remaining rows; CreditsCost are the credits charged so far.
	CreditsReserved int64 `json:"creditsReserved"`
	CreditsCost     int64 `json:"creditsCost"`
	// ETASeconds is the estimated remaining time; nil if unknown.
	ETASeconds *int `json:"etaSeconds"`
	// Column is the column of the file in which tax ids were recognised, and DateColumn the one with the day of each
	// row; nil if there is none.
	Column     string  `json:"column"`
	DateColumn *string `json:"dateColumn"`
	// Sheet is the sheet of a workbook, HeaderRow the row with the names of the columns, from 1, and Delimiter the
	// character between the cells of CSV; nil if there is none.
	Sheet       *string    `json:"sheet"`
	HeaderRow   *int       `json:"headerRow"`
	Delimiter   *string    `json:"delimiter"`
	CreatedAt   time.Time  `json:"createdAt"`
	CompletedAt *time.Time `json:"completedAt"`
	// ExpiresAt is the time at which the file and the result are deleted.
	ExpiresAt *time.Time `json:"expiresAt"`
	// Problem is the reason why a job failed.
	Problem *Problem `json:"problem,omitempty"`
}

// JobVerdicts are the numbers of rows by the outcome of their verdict.
type JobVerdicts struct {
	Stop       int `json:"stop"`
	Incomplete int `json:"incomplete"`
	Attention  int `json:"attention"`
	Clear      int `json:"clear"`
}

// The media types of files with companies.
const (
	CSVFile    = "text/csv"
	XLSXFile   = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	NDJSONFile = ndjsonType
	JSONFile   = jsonType
)

// JobFile is a file of companies: up to 200,000 rows and 20 MiB, unless the gateway's operator sets other limits.
type JobFile struct {
	// Data is the file, of the media type Type.
	Data []byte
	Type string
	// Name is the name of the list and of its results; it may be empty.
	Name string
	// Column is the name of the column of tax ids, or its number from 1. DateColumn is the name or number of the column
	// with the day of each row; "none" means that there is no such column. Sheet is the name of a workbook's sheet, or
	// its number. Empty ones are detected.
	Column, DateColumn, Sheet string
	// Date is the day of the requested statuses; zero for today. The column of days takes precedence.
	Date Date
	// Fields are the fields of the profile to add to each row; empty for the fields of a search result.
	Fields []string
	// Include lists the parts to add: registers, insolvency and verdict.
	Include []Part
	// IdempotencyKey identifies the upload, so that a repeated one returns the same job. Default: a random one for each
	// call.
	IdempotencyKey string
}

const (
	jobsPath = "/v1/jobs"
	jobsPage = 100 // jobs of a page, the maximum
)

// CreateJob uploads a file, whose companies the gateway looks up in the background.
func (c *Client) CreateJob(ctx context.Context, f JobFile) (*Job, error) {
	p := params{
		"name": f.Name, "column": f.Column, "dateColumn": f.DateColumn, "sheet": f.Sheet, "date": f.Date,
		"fields": list(f.Fields), "include": list(f.Include),
	}
	r := request{
		method: http.MethodPost, path: jobsPath, query: p.values(), body: f.Data, bodyType: f.Type,
		idempotency: cmp.Or(f.IdempotencyKey, rand.Text()),
	}
	job := new(Job)
	return job, c.call(ctx, r, job)
}

// Jobs returns the jobs of the account, the newest first.
func (c *Client) Jobs(ctx context.Context) ([]Job, error) {
	var jobs []Job
	for {
		var page []Job
		p := params{"limit": jobsPage, "offset": len(jobs)}
		if err := c.Get(ctx, jobsPath, p.values(), &page); err != nil {
			return nil, err
		}
		if jobs = append(jobs, page...); len(page) < jobsPage {
			return jobs, nil
		}
	}
}

// Job returns a job in its current state.
func (c *Client) Job(ctx context.Context, id string) (*Job, error) {
	return get[Job](ctx, c, jobPath(id), nil)
}

// CancelJob ends a job. Completed rows stay charged, and are in its result.
func (c *Client) CancelJob(ctx context.Context, id string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: jobPath(id)}, nil)
}

// DeleteJob deletes a job with its file and its result.
func (c *Client) DeleteJob(ctx context.Context, id string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: jobPath(id), query: url.Values{"erase": {"true"}}}, nil)
}

// The bounds of the pause between two polls of a job.
const (
	minPoll = 500 * time.Millisecond
	maxPoll = 10 * time.Second
)

// FollowJob yields a job whenever it has progressed, and once more when it has ended. An error ends the iteration.
func (c *Client) FollowJob(ctx context.Context, id string) iter.Seq2[*Job, error] {
	return func(yield func(*Job, error) bool) {
		for wait := minPoll; ; wait = min(wait*5/4, maxPoll) {
			job, err := c.Job(ctx, id)
			if !yield(job, err) || err != nil || job.Status.Ended() {
				return
			}
			if !pause(ctx, wait) {
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// JobResult opens the result of a finished job as csv, xlsx, ndjson or parquet. The caller closes it.
func (c *Client) JobResult(ctx context.Context, id, format string) (io.ReadCloser, error) {
	r := request{
		method: http.MethodGet, path: jobPath(id) + "/result", query: url.Values{"format": {format}}, accept: "*/*",
	}
	res, err := c.open(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("opening the result of job %s: %w", id, err)
	}

	return res.Body, nil
}

func jobPath(id string) string { return jobsPath + "/" + url.PathEscape(id) }
