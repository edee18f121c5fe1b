package job

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// Jobs looks up the companies of files. The error for a job that the account does not have is ErrUnknown; other
// refusals are problems.
type Jobs interface {
	// CreateJob reads a file and queues its rows. If the account has used the idempotency key for the same order
	// before, it returns the earlier job.
	CreateJob(ctx context.Context, caller account.Caller, order Order) (*Job, error)
	// PreviewJob reads a file as CreateJob does, with the same problems in it, and stores nothing.
	PreviewJob(ctx context.Context, caller account.Caller, order Order) (*Preview, error)
	// AwaitJob waits for a job to end, and returns it then or at the end of wait.
	AwaitJob(ctx context.Context, account string, id ID, wait time.Duration) (*Job, error)
	// Jobs returns a page of the jobs of an account, the newest first, never nil.
	Jobs(ctx context.Context, account string, limit, offset int) ([]Job, error)
	// Job returns one job.
	Job(ctx context.Context, account string, id ID) (*Job, error)
	// CancelJob ends an unfinished job. Completed rows stay.
	CancelJob(ctx context.Context, account string, id ID) error
	// DeleteJob ends a job, and deletes it with its file and its result.
	DeleteJob(ctx context.Context, account string, id ID) error
	// JobResult returns the rows of a job as a stored file. If the job has not ended, the file has only the rows that
	// are ready, and without partial there is none. Problems in the file have types below baseURL.
	JobResult(ctx context.Context, account string, id ID, order ResultOrder) (*op.Document, error)
}

// ErrOtherUpload is the problem of an Idempotency-Key that an account has used for another upload.
var ErrOtherUpload = problem.IdempotencyKeyReused.New("this Idempotency-Key was used to upload another file or with " +
	"other parameters; use a new key for a new job")

// NotEnded is the problem of a result that is requested before the job has ended.
func NotEnded(id ID, done, total int) *problem.Problem {
	return problem.Unavailable.New("the job has not ended; GET /v1/jobs/%s shows its progress, and partial=true "+
		"returns the %d of its %d rows that are ready", id, done, total).After(5 * time.Second)
}

// TooFewCredits is the problem of a job that may cost more credits than the account has left.
func TooFewCredits(needed int, remaining int64) *problem.Problem {
	p := problem.QuotaExhausted.New("the file has %d distinct companies and may cost that many credits, but the "+
		"plan has %d left this month; nothing was looked up or charged. Upload fewer rows, or change to a plan "+
		"with more (GET /v1/plans)", needed, remaining)
	p.Extensions = struct {
		Needed    int   `json:"needed"`
		Remaining int64 `json:"remaining"`
	}{needed, remaining}
	return p
}

const deleteSome = "delete some that you no longer need (DELETE /v1/jobs/{id}?erase=true)"

// TooManyUnfinished is the problem of an account with the maximum number of unfinished jobs.
func TooManyUnfinished(most int) *problem.Problem {
	return problem.RateLimited.New("the account has %d unfinished jobs, the maximum; wait until one ends, or "+
		"cancel one (DELETE /v1/jobs/{id})", most).After(time.Minute)
}

// TooManyKept is the problem of an account with the maximum number of jobs.
func TooManyKept(most int) *problem.Problem {
	return op.Malformed(problem.TooMany, "the account has %d jobs, the maximum; "+deleteSome+", or wait until "+
		"they expire, 7 days after they end", fmt.Sprintf("at most %d jobs per account", most), most)
}

// TooManyBytes is the problem of a file that does not fit into the storage of an account, in bytes. Largest is the job
// that stores most; empty if the account has none.
func TooManyBytes(stored, most int64, largest ID) *problem.Problem {
	accepted := fmt.Sprintf("at most %d bytes in all jobs of an account", most)
	if largest == "" {
		return op.Malformed(problem.TooLong, "the file would take more than the %d bytes that an account may store; "+
			"split it", accepted, most)
	}

	return op.Malformed(problem.TooMany, "the account's jobs store %d of %d bytes, which leaves too few for this "+
		"file; "+deleteSome+"; %s stores most", accepted, stored, most, largest)
}

// Order is an uploaded file with the options of its job.
type Order struct {
	// File is the content, readable until Jobs returns, and Media its media type.
	File  *io.SectionReader
	Media string
	// Name is the name of the list; it may be empty.
	Name string
	// Column is the name or number of the column of tax ids, DateColumn that of the column of days, or none, and Sheet
	// that of a workbook's sheet; empty to detect them.
	Column, DateColumn, Sheet string
	// Day is the day of the statuses for rows without a day; zero for today.
	Day ro.Date
	// Fields are the columns to add.
	Fields []company.Field
	// Key is the hash of the Idempotency-Key; empty if the call had none. Fingerprint identifies the order.
	Key, Fingerprint string
}

// ResultOrder says which file of a job's rows is requested.
type ResultOrder struct {
	Format Format
	// Partial accepts the rows that are ready of a job that has not ended.
	Partial bool
	// BaseURL is the base of the types of problems in the file.
	BaseURL string
}

// JobStatus is the state of a job.
type JobStatus string

// The states.
const (
	Queued    JobStatus = "queued"
	Running   JobStatus = "running"
	Completed JobStatus = "completed"
	Failed    JobStatus = "failed"
	Cancelled JobStatus = "cancelled"
)

// Ended reports whether the job is finished.
func (s JobStatus) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// Schema lists the states.
func (JobStatus) Schema() jsonschema.Schema {
	return jsonschema.Enum(Queued, Running, Completed, Failed, Cancelled)
}

// Layout is what was recognised in a file.
type Layout struct {
	Column     string  `json:"column" doc:"The column of the file in which tax ids were recognised."`
	DateColumn *string `json:"dateColumn" doc:"The column of the file with the date of each row; null if there is none, so that all rows are for the date of the upload's parameter, or today."`
	Sheet      *string `json:"sheet" doc:"The sheet in which the table was found; null for files other than workbooks."`
	HeaderRow  *int    `json:"headerRow" doc:"The row with the names of the columns, from 1; null if there is none."`
	Delimiter  *string `json:"delimiter" doc:"The character between the cells of a CSV file; null for other files."`
}

// Job is the state of a job.
type Job struct {
	ID              ID         `json:"id" doc:"Id of the job."`
	Status          JobStatus  `json:"status" doc:"queued until the first rows are looked up; running; completed when all rows are done; failed: see problem; cancelled by the account."`
	Name            *string    `json:"name" doc:"Name of the list, as given with the upload; null if none was."`
	Total           int        `json:"total" doc:"Rows in the file, without empty rows and the header row."`
	Done            int        `json:"done" doc:"Rows that have an outcome. Rows that are retried are not done."`
	Found           int        `json:"found" doc:"Rows with the status 200."`
	NotFound        int        `json:"notFound" doc:"Rows with a valid number that is in no register."`
	Invalid         int        `json:"invalid" doc:"Rows with a wrong number or date."`
	Blank           int        `json:"blank" doc:"Rows with no number."`
	Failed          int        `json:"failed" doc:"Rows without an answer after a day of attempts."`
	Verdicts        *Verdicts  `json:"verdicts" doc:"Rows found, by the outcome of their verdict; null while none has one, as without view=verdict."`
	Retrying        int        `json:"retrying" doc:"Rows that failed because of a registry and will be retried; the others do not wait for them."`
	RetryAt         *time.Time `json:"retryAt" doc:"When the next of them are retried, UTC; null if there are none."`
	CreditsReserved int        `json:"creditsReserved" doc:"Maximum cost of the remaining rows, in credits; 0 once the job has ended."`
	CreditsCost     int        `json:"creditsCost" doc:"Credits charged so far: 1 for each distinct company found for each date."`
	ETASeconds      *int       `json:"etaSeconds" doc:"Estimated seconds left, at least until the rows that are retried; null if not known yet, and once the job has ended."`
	Layout
	CreatedAt   time.Time              `json:"createdAt" doc:"When the file was uploaded, UTC."`
	CompletedAt *time.Time             `json:"completedAt" doc:"When the job ended, UTC; null before."`
	ExpiresAt   *time.Time             `json:"expiresAt" doc:"When the file and result are deleted, UTC; null until the job ends."`
	Problem     *lists.EmbeddedProblem `json:"problem,omitempty" doc:"Why the job failed (RFC 9457); absent otherwise."`
}

// Verdicts are the numbers of rows by the outcome of their verdict.
type Verdicts struct {
	Stop       int `json:"stop" doc:"Rows in which a rule of the level stop fails."`
	Incomplete int `json:"incomplete" doc:"Other rows in which a rule of the level stop is unknown."`
	Attention  int `json:"attention" doc:"Other rows in which a rule of the level attention fails."`
	Clear      int `json:"clear" doc:"All other rows that were found."`
}

// SchemaName is the type's name in the API description.
func (Verdicts) SchemaName() string { return "JobVerdicts" }

// named returns the job with the type of its problem as a URL below the address of the call.
func (j *Job) named(ctx context.Context) *Job {
	if j != nil && j.Problem != nil {
		j.Problem.BaseURL = op.BaseURLOf(ctx)
	}
	return j
}

// ID is the id of a job, a UUID.
type ID string

// UnmarshalText parses a UUID in any case.
func (i *ID) UnmarshalText(text []byte) error {
	*i = ID(strings.ToLower(string(text)))
	if !op.UUIDForm.MatchString(string(*i)) {
		return &problem.InputError{Code: problem.InvalidFormat, Accepted: "the UUID of a job, from GET /v1/jobs"}
	}
	return nil
}

// Schema describes the format of an id.
func (ID) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string", Format: "uuid"} }

type jobInput struct {
	ID ID `arg:"id" in:"path" doc:"Id of the job, as GET /v1/jobs lists it." example:"01a20687-40e0-7551-bb2e-a0b1a3896b10"`
}

// jobProblem turns an error of Jobs into a problem.
func jobProblem(ctx context.Context, id ID, err error) error {
	return op.StoreProblem(ctx, err, func() *problem.Problem {
		return problem.NotFound.New("the account has no job %s; GET /v1/jobs lists its jobs, which are deleted 7 "+
			"days after they end", id)
	}, "jobs cannot be read or changed right now; try again shortly")
}
