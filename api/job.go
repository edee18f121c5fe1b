package api

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/problem"
)

// Jobs looks up the companies of files. The error for a job that the account does not have is ErrUnknown.
type Jobs interface {
	// CreateJob reads a file and queues its rows. If the account has used the idempotency key for the same order
	// before, it returns the earlier job. Errors in the file are problems; other errors are ErrOtherUpload, a
	// *JobsFull, and a *JobTooDear.
	CreateJob(ctx context.Context, caller account.Caller, order JobOrder) (*Job, error)
	// AwaitJob waits for a job to end, and returns it then or at the end of wait.
	AwaitJob(ctx context.Context, account string, id JobID, wait time.Duration) (*Job, error)
	// Jobs returns the jobs of an account, the newest first, never nil.
	Jobs(ctx context.Context, account string) ([]Job, error)
	// Job returns one job.
	Job(ctx context.Context, account string, id JobID) (*Job, error)
	// CancelJob ends an unfinished job. Completed rows stay.
	CancelJob(ctx context.Context, account string, id JobID) error
	// JobResult returns the rows of a finished job as a stored file. The error is ErrJobRuns if the job is unfinished.
	JobResult(ctx context.Context, account string, id JobID, format JobFormat) (*Document, error)
}

// The errors of Jobs.
var (
	ErrJobRuns     = errors.New("the job has not ended")
	ErrOtherUpload = errors.New("the Idempotency-Key belongs to another upload")
)

// JobsFull reports that an account has reached its limit of unfinished jobs.
type JobsFull struct{ Most int }

// Error implements error.
func (*JobsFull) Error() string { return "the account has the maximum number of unfinished jobs" }

// JobTooDear reports that an account has fewer credits than a job may cost.
type JobTooDear struct {
	Needed    int
	Remaining int64
}

// Error implements error.
func (*JobTooDear) Error() string { return "the job may cost more credits than are left" }

// JobOrder is an uploaded file with the options of its job.
type JobOrder struct {
	// File is the content, and Media its media type.
	File  []byte
	Media string
	// Column is the name or number of the column of tax ids; empty to detect it.
	Column string
	// Day is the day of the statuses for rows without a day; zero for today.
	Day Date
	// Fields are the columns to add.
	Fields []Field
	// Key is the hash of the Idempotency-Key; empty if the call had none. Fingerprint identifies the order.
	Key, Fingerprint string
}

// JobStatus is the state of a job.
type JobStatus string

// The states.
const (
	QueuedJob    JobStatus = "queued"
	RunningJob   JobStatus = "running"
	CompletedJob JobStatus = "completed"
	FailedJob    JobStatus = "failed"
	CancelledJob JobStatus = "cancelled"
)

// Ended reports whether the job is finished.
func (s JobStatus) Ended() bool { return s == CompletedJob || s == FailedJob || s == CancelledJob }

// Schema lists the states.
func (JobStatus) Schema() Schema {
	return enumSchema(QueuedJob, RunningJob, CompletedJob, FailedJob, CancelledJob)
}

// Job is the state of a job.
type Job struct {
	ID              JobID            `json:"id" doc:"Id of the job."`
	Status          JobStatus        `json:"status" doc:"queued until the first rows are looked up; running; completed when all rows are done; failed: see problem; cancelled by the account."`
	Total           int              `json:"total" doc:"Rows in the file, without empty rows and the header row."`
	Done            int              `json:"done" doc:"Rows that have an outcome."`
	Found           int              `json:"found" doc:"Rows with the status 200."`
	NotFound        int              `json:"notFound" doc:"Rows with a valid number that is in no register."`
	Invalid         int              `json:"invalid" doc:"Rows without a valid number or date."`
	Failed          int              `json:"failed" doc:"Rows without an answer after a day of attempts."`
	CreditsReserved int              `json:"creditsReserved" doc:"Maximum cost of the remaining rows, in credits; 0 once the job has ended."`
	CreditsCost     int              `json:"creditsCost" doc:"Credits charged so far: 1 for each distinct company found for each date."`
	ETASeconds      *int             `json:"etaSeconds" doc:"Estimated seconds left; null if not known yet, and once the job has ended."`
	Column          string           `json:"column" doc:"The column of the file in which tax ids were recognised."`
	CreatedAt       time.Time        `json:"createdAt" doc:"When the file was uploaded, UTC."`
	CompletedAt     *time.Time       `json:"completedAt" doc:"When the job ended, UTC; null before."`
	ExpiresAt       *time.Time       `json:"expiresAt" doc:"When the file and result are deleted, UTC; null until the job ends."`
	Problem         *EmbeddedProblem `json:"problem,omitempty" doc:"Why the job failed (RFC 9457); absent otherwise."`
}

// EmbeddedProblem is a problem that is a part of an answer.
type EmbeddedProblem struct {
	*problem.Problem
	// BaseURL is the base of the problem type's URL.
	BaseURL string
}

// Schema describes the problem.
func (EmbeddedProblem) Schema() Schema { return problemPart{}.Schema() }

// MarshalJSON encodes the problem.
func (p *EmbeddedProblem) MarshalJSON() ([]byte, error) { return p.JSON(p.BaseURL), nil }

// named returns the job with the type of its problem as a URL below the address of the call.
func (j *Job) named(ctx context.Context) *Job {
	if j != nil && j.Problem != nil {
		j.Problem.BaseURL = baseURLOf(ctx)
	}
	return j
}

// JobID is the id of a job, a UUID.
type JobID string

// UnmarshalText parses a UUID in any case.
func (i *JobID) UnmarshalText(text []byte) error {
	*i = JobID(strings.ToLower(string(text)))
	if !uuidForm.MatchString(string(*i)) {
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: "the UUID of a job, from GET /v1/jobs"}
	}
	return nil
}

// Schema describes the format of an id.
func (JobID) Schema() Schema { return Schema{Type: "string", Format: "uuid"} }

type jobInput struct {
	ID JobID `arg:"id" in:"path" doc:"Id of the job, as GET /v1/jobs lists it." example:"01a20687-40e0-7551-bb2e-a0b1a3896b10"`
}

// jobProblem turns an error of Jobs into a problem.
func jobProblem(ctx context.Context, id JobID, err error) error {
	known, full, dear := (*problem.Problem)(nil), (*JobsFull)(nil), (*JobTooDear)(nil)
	switch {
	case err == nil, ctx.Err() != nil, errors.As(err, &known):
		return err
	case errors.Is(err, ErrUnknown):
		return problem.NotFound.New("the account has no job %s; GET /v1/jobs lists its jobs, which are deleted 7 "+
			"days after they end", id)
	case errors.As(err, &full):
		p := problem.RateLimited.New("the account has %d unfinished jobs, the maximum; wait until one ends, or "+
			"cancel one (DELETE /v1/jobs/{id})", full.Most)
		p.RetryAfter = time.Minute
		return p
	case errors.As(err, &dear):
		p := problem.QuotaExhausted.New("the file has %d distinct companies and may cost that many credits, but the "+
			"plan has %d left this month; nothing was looked up or charged. Upload fewer rows, or change to a plan "+
			"with more (GET /v1/plans)", dear.Needed, dear.Remaining)
		p.Extensions = struct {
			Needed    int   `json:"needed"`
			Remaining int64 `json:"remaining"`
		}{dear.Needed, dear.Remaining}
		return p
	case errors.Is(err, ErrOtherUpload):
		return problem.IdempotencyKeyReused.New("this Idempotency-Key was used to upload another file or with other " +
			"parameters; use a new key for a new job")
	case errors.Is(err, ErrJobRuns):
		p := problem.Unavailable.New("the job has not ended; GET /v1/jobs/%s shows its progress", id)
		p.RetryAfter = 5 * time.Second
		return p
	}

	return errors.Join(storeDown("jobs cannot be read or changed right now; try again shortly"), err)
}
