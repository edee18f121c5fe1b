package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/api/job"
)

// ErrConflict reports that a job or chunk was changed since it was read: the job was cancelled, or another process has
// continued it.
var ErrConflict = errors.New("the job was changed in the meantime")

// Store keeps jobs. It is a *store.DB. The error for a job that an account does not have is op.ErrUnknown.
type Store interface {
	// Create stores a job with its chunks, whose inputs take job.Bytes. If the account has already used the key for a
	// job with this fingerprint, it returns that job; for a different fingerprint it returns job.ErrOtherUpload. If the
	// account would exceed the limits, it returns a problem.
	Create(ctx context.Context, job *Job, chunks Chunks, key, fingerprint string, limits Limits) (*Job, error)
	// Jobs returns a page of the jobs of an account, the newest first, without their orders.
	Jobs(ctx context.Context, account string, limit, offset int) ([]Job, error)
	// Job returns a job of an account. The empty account stands for any account.
	Job(ctx context.Context, account string, id job.ID) (*Job, error)
	// End gives a job its final state. If it already has one, the error is ErrConflict.
	End(ctx context.Context, id job.ID, status job.JobStatus, why *Problem, now time.Time) error
	// Delete deletes a job of an account with its rows.
	Delete(ctx context.Context, account string, id job.ID) error

	// Start changes the state of a queued job to running.
	Start(ctx context.Context, id job.ID, now time.Time) error
	// Unfinished returns the jobs that have not ended, the oldest first, without their orders.
	Unfinished(ctx context.Context) ([]Job, error)
	// Next returns the chunk to work on. A chunk whose price is being charged comes first, then the first open one,
	// then one with failed rows that are due. If there is no such chunk, Next returns nil and the time at which the
	// next one is due, or zero if there is none.
	Next(ctx context.Context, id job.ID, now time.Time) (*Chunk, time.Time, error)
	// Price writes the outcomes of a pass, before they are charged. The error may be ErrConflict.
	Price(ctx context.Context, id job.ID, chunk *Chunk, outcomes []Outcome, now time.Time) error
	// Settle changes the state of a charged chunk to Settled, or to Retrying with the time at which it is due. The
	// error may be ErrConflict.
	Settle(ctx context.Context, id job.ID, chunk *Chunk, state ChunkState, due, now time.Time) error
	// Chunk returns a chunk by its number. It returns nil after the last one.
	Chunk(ctx context.Context, id job.ID, number int) (*Chunk, error)

	// Expire deletes expired jobs, and returns their ids.
	Expire(ctx context.Context, now time.Time) ([]job.ID, error)
}
