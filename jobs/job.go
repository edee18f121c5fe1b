package jobs

import (
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

const (
	// KeptFor is the lifetime of the file and the result after the end of a job.
	KeptFor = 7 * 24 * time.Hour
	// TriedFor is the time after the upload during which rows that fail are retried.
	TriedFor = 24 * time.Hour
)

// Job is an uploaded file and the progress of its rows.
type Job struct {
	ID      api.JobID
	Account string
	Status  api.JobStatus
	Order   Order
	// Total is the number of rows, and Distinct the number of distinct companies on distinct days.
	Total, Distinct int
	Counts
	CreatedAt time.Time
	// StartedAt, CompletedAt and ExpiresAt are zero until these times are known.
	StartedAt, CompletedAt, ExpiresAt time.Time
	// Problem is the reason why the job failed. It is nil if the job did not fail.
	Problem *Problem
}

// Counts has the numbers of finished rows by outcome.
type Counts struct {
	Done, Found, NotFound, Invalid, Failed int
	// Asked is the number of distinct companies in these rows, and Cost the credits charged for them.
	Asked, Cost int
}

// Problem is the stored form of a problem.
type Problem struct {
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
}

func newProblem(p *problem.Problem) *Problem { return &Problem{p.Kind.Slug, p.Detail} }

// problem converts a stored problem back.
func (p *Problem) problem() *problem.Problem {
	for _, k := range problem.Kinds {
		if k.Slug == p.Kind {
			return &problem.Problem{Kind: k, Detail: p.Detail}
		}
	}

	return &problem.Problem{Kind: problem.Internal, Detail: p.Detail}
}

// shown returns the job as its account sees it.
func (j *Job) shown(now time.Time) *api.Job {
	job := &api.Job{
		ID: j.ID, Status: j.Status, Total: j.Total, Done: j.Done, Found: j.Found, NotFound: j.NotFound,
		Invalid: j.Invalid, Failed: j.Failed, CreditsCost: j.Cost, CreatedAt: j.CreatedAt.Truncate(time.Second),
	}
	if j.Order.ID < len(j.Order.Columns) {
		job.Column = j.Order.Columns[j.Order.ID]
	}

	if j.Status.Ended() {
		job.CompletedAt, job.ExpiresAt = new(j.CompletedAt.Truncate(time.Second)),
			new(j.ExpiresAt.Truncate(time.Second))
	} else {
		job.CreditsReserved, job.ETASeconds = max(0, j.Distinct-j.Asked), j.eta(now)
	}

	if j.Problem != nil {
		job.Problem = &api.EmbeddedProblem{Problem: j.Problem.problem()}
	}

	return job
}

// eta estimates the seconds for the remaining rows from the pace so far. It returns nil before any row is done.
func (j *Job) eta(now time.Time) *int {
	if j.Done == 0 || j.StartedAt.IsZero() {
		return nil
	}

	spent := now.Sub(j.StartedAt)
	left := spent * time.Duration(j.Total-j.Done) / time.Duration(j.Done)
	return new(problem.Seconds(left))
}
