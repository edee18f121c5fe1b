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
	// Total is the number of rows. Done is the number of rows with an outcome: found, unknown, invalid or failed.
	Total    int `json:"total"`
	Done     int `json:"done"`
	Found    int `json:"found"`
	NotFound int `json:"notFound"`
	Invalid  int `json:"invalid"`
	Failed   int `json:"failed"`
	// CreditsReserved are held for the remaining rows; CreditsCost are the credits charged so far.
	CreditsReserved int64 `json:"creditsReserved"`
	CreditsCost     int64 `json:"creditsCost"`
	// ETASeconds is the estimated remaining time; nil if unknown.
	ETASeconds *int `json:"etaSeconds"`
	// Column is the column of the file in which tax ids were recognised.
	Column      string     `json:"column"`
	CreatedAt   time.Time  `json:"createdAt"`
	CompletedAt *time.Time `json:"completedAt"`
	// ExpiresAt is the time at which the file and the result are deleted.
	ExpiresAt *time.Time `json:"expiresAt"`
	// Problem is the reason why a job failed.
	Problem *Problem `json:"problem,omitempty"`
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
	// Column is the name of the column of tax ids, or its number from 1; empty to detect it by name.
	Column string
	// Date is the day of the requested statuses; zero for today. A column named date takes precedence.
	Date Date
	// Fields are the fields of the profile to add to each row; empty for the fields of a search result.
	Fields []string
	// Include are the parts to add: registers and insolvency.
	Include []Part
	// IdempotencyKey identifies the upload, so that a repeated one returns the same job. Default: a random one for each
	// call.
	IdempotencyKey string
}

const jobsPath = "/v1/jobs"

// CreateJob uploads a file, whose companies the gateway looks up in the background.
func (c *Client) CreateJob(ctx context.Context, f JobFile) (*Job, error) {
	query := make(url.Values)
	setText(query, "column", f.Column)
	setDate(query, "date", f.Date)
	setList(query, "fields", f.Fields)
	setList(query, "include", f.Include)
	r := request{
		method: http.MethodPost, path: jobsPath, query: query, body: f.Data, bodyType: f.Type,
		idempotency: cmp.Or(f.IdempotencyKey, rand.Text()),
	}
	job := new(Job)
	return job, c.call(ctx, r, job)
}

// Jobs returns the jobs of the account, the newest first.
func (c *Client) Jobs(ctx context.Context) ([]Job, error) {
	var jobs []Job
	err := c.Get(ctx, jobsPath, nil, &jobs)
	return jobs, err
}

// Job returns a job in its current state.
func (c *Client) Job(ctx context.Context, id string) (*Job, error) {
	return get[Job](ctx, c, jobPath(id), nil)
}

// CancelJob ends a job. Completed rows stay charged, and are in its result.
func (c *Client) CancelJob(ctx context.Context, id string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: jobPath(id)}, nil)
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
