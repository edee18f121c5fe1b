package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/jobs/upload"
)

// Limits bound the jobs of an account.
type Limits struct {
	upload.Limits
	// Unfinished is the maximum number of an account's jobs that have not ended. Default 20.
	Unfinished int
}

const defaultUnfinished = 20

// awaitInterval is the interval at which the store is polled for the end of a job.
const awaitInterval = 100 * time.Millisecond

// Service implements api.Jobs: it creates, lists and cancels jobs on behalf of accounts.
type Service struct {
	Store   Store
	Purse   Purse
	Results *Results
	Limits  Limits
	// Wake is called once a job has been created.
	Wake func()

	// reading limits the files that are read at a time to two, because each may take some hundred megabytes.
	reading chan struct{}
}

// NewService returns the service. Its fields must not be changed afterwards.
func NewService(s Service) *Service {
	s.Limits.Unfinished = cmp.Or(s.Limits.Unfinished, defaultUnfinished)
	s.reading = make(chan struct{}, 2)
	return &s
}

// CreateJob implements [api.Jobs].
func (s *Service) CreateJob(ctx context.Context, caller account.Caller, order api.JobOrder) (*api.Job, error) {
	now := time.Now()
	job := &Job{ID: api.JobID(account.NewID()), Account: caller.Account(), Status: api.QueuedJob, CreatedAt: now,
		Order: Order{Day: order.Day, Fields: order.Fields}}
	if caller.Key != nil {
		job.Order.Key = caller.Key.ID
	}

	chunks, err := s.read(ctx, job, &order)
	if err != nil {
		return nil, err
	}

	if left, limited := s.Purse.Remaining(ctx, job.Account); limited && left < int64(job.Distinct) {
		return nil, &api.JobTooDear{Needed: job.Distinct, Remaining: left}
	}

	created, err := s.Store.Create(ctx, job, chunks, order.Key, order.Fingerprint, s.Limits.Unfinished)
	if err != nil {
		return nil, err
	}

	s.Wake()
	return created.shown(now), nil
}

// read parses the file of an order into chunks, and fills in the job's totals.
func (s *Service) read(ctx context.Context, job *Job, order *api.JobOrder) ([]Chunk, error) {
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	c := &chunker{}
	table, err := upload.Read(order.File, order.Media, order.Column, s.Limits.Limits, c.add)
	if err != nil {
		return nil, err
	}
	if err := c.flush(); err != nil {
		return nil, err
	}

	job.Order.Columns, job.Order.ID, job.Order.Date, job.Total = table.Columns, table.ID, table.Date, table.Rows
	return c.chunks, c.count(job)
}

// AwaitJob implements [api.Jobs].
func (s *Service) AwaitJob(ctx context.Context, account string, id api.JobID, wait time.Duration) (*api.Job, error) {
	over := time.Now().Add(wait)
	for {
		job, err := s.Job(ctx, account, id)
		if err != nil || job.Status.Ended() || !time.Now().Before(over) {
			return job, err
		}
		if err := sleep(ctx, min(awaitInterval, time.Until(over))); err != nil {
			return nil, err
		}
	}
}

// Jobs implements [api.Jobs].
func (s *Service) Jobs(ctx context.Context, account string) ([]api.Job, error) {
	all, err := s.Store.Jobs(ctx, account)
	if err != nil {
		return nil, err
	}

	shown := make([]api.Job, len(all))
	for i := range all {
		shown[i] = *all[i].shown(time.Now())
	}

	return shown, nil
}

// Job implements [api.Jobs].
func (s *Service) Job(ctx context.Context, account string, id api.JobID) (*api.Job, error) {
	job, err := s.Store.Job(ctx, account, id)
	if err != nil {
		return nil, err
	}
	return job.shown(time.Now()), nil
}

// CancelJob implements [api.Jobs].
func (s *Service) CancelJob(ctx context.Context, account string, id api.JobID) error {
	if _, err := s.Store.Job(ctx, account, id); err != nil {
		return err
	}

	err := s.Store.End(ctx, id, api.CancelledJob, nil, time.Now())
	if errors.Is(err, ErrConflict) { // it has already ended
		return nil
	}

	return err
}

// JobResult implements [api.Jobs].
func (s *Service) JobResult(ctx context.Context, account string, id api.JobID,
	format api.JobFormat) (*api.Document, error) {
	job, err := s.Store.Job(ctx, account, id)
	switch {
	case err != nil:
		return nil, err
	case !job.Status.Ended():
		return nil, api.ErrJobRuns
	}

	file, err := s.Results.file(ctx, job, format)
	if err != nil {
		return nil, fmt.Errorf("writing the result of job %s: %w", id, err)
	}

	name := "job-" + string(id) + "." + string(format)
	return api.NewStoredFile(file.path, format.ContentType(), name, file.tag, job.CompletedAt), nil
}
