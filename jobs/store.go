package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/api"
)

// ErrMoved is the error of a change to a job or chunk that is no longer as it was read: the job was cancelled, or
// another process has gone on with it.
var ErrMoved = errors.New("the job is no longer as it was read")

// Store keeps jobs. It is a *store.DB. The error for a job that an account does not have is api.ErrUnknown.
type Store interface {
	// Create stores a job with its rows. If the account has used the key for a job with this fingerprint, it returns that
	// job; the error is api.ErrOtherUpload for another one, and an *api.JobsFull if the account has so many unfinished jobs.
	Create(ctx context.Context, job *Job, chunks []Chunk, key, fingerprint string, most int) (*Job, error)
	// Jobs returns the jobs of an account, the newest first.
	Jobs(ctx context.Context, account string) ([]Job, error)
	// Job returns a job of an account, or of any account if that is empty.
	Job(ctx context.Context, account string, id api.JobID) (*Job, error)
	// End gives a job its final state. If it already has one, the error is ErrMoved.
	End(ctx context.Context, id api.JobID, status api.JobStatus, why *Problem, now time.Time) error

	// Start makes a queued job a running one.
	Start(ctx context.Context, id api.JobID, now time.Time) error
	// Unfinished returns the jobs that have not ended, the oldest first.
	Unfinished(ctx context.Context) ([]Job, error)
	// Next returns the chunk to work on: one whose price is being charged, else the first open one, else one whose failed
	// rows are due. Without one it returns nil, and when the next is due; zero for never.
	Next(ctx context.Context, id api.JobID, now time.Time) (*Chunk, time.Time, error)
	// Price writes the outcomes of a pass, before they are charged. The error may be ErrMoved.
	Price(ctx context.Context, id api.JobID, chunk *Chunk, outcomes []Outcome, now time.Time) error
	// Settle makes a chunk that was charged Settled, or Partly until it is due. The error may be ErrMoved.
	Settle(ctx context.Context, id api.JobID, chunk *Chunk, state ChunkState, due, now time.Time) error
	// Chunk returns a chunk by its number; nil behind the last.
	Chunk(ctx context.Context, id api.JobID, number int) (*Chunk, error)

	// Expire deletes jobs whose time is over, and returns their ids.
	Expire(ctx context.Context, now time.Time) ([]api.JobID, error)
}
