package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/internal/upload"
	"github.com/rodata/rodata/internal/work"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// Limits bound the jobs of an account.
type Limits struct {
	upload.Limits
	// Unfinished is the maximum number of an account's jobs that have not ended. Default 20.
	Unfinished int
	// Kept is the maximum number of an account's jobs. Default 500.
	Kept int
	// Storage is the maximum number of bytes that an account's jobs store: files and outcomes, compressed. The files of
	// their results, which are copies, may take as much again. Default 1 GiB.
	Storage int64
	// Result is the maximum size of a result in bytes. Default 1 GiB.
	Result int64
	// Rows is the maximum size of a file's rows in bytes, compressed. They exceed the size of the file by much
	// only if many cells share a text. Default 32 MiB.
	Rows int
	// Free is the number of bytes that files and results leave free on the disk, which the stores share. Default
	// 512 MiB.
	Free int64
}

// awaitInterval is the interval at which the store is polled for the end of a job.
const awaitInterval = 100 * time.Millisecond

// Service implements job.Jobs: it creates, lists and cancels jobs on behalf of accounts.
type Service struct {
	Store   Store
	Purse   Purse
	Results *Results
	Limits  Limits
	// Share is the part of the tax authority's ration that all jobs together may use.
	Share *work.Share
	// Wake is called once a job has been created.
	Wake func()
}

// NewService returns the service. Its fields must not be changed afterwards.
func NewService(s Service) *Service {
	s.Limits.Unfinished = cmp.Or(s.Limits.Unfinished, 20)
	s.Limits.Kept = cmp.Or(s.Limits.Kept, 500)
	s.Limits.Storage = cmp.Or(s.Limits.Storage, 1<<30)
	s.Limits.Result = cmp.Or(s.Limits.Result, 1<<30)
	s.Limits.Rows = cmp.Or(s.Limits.Rows, 32<<20)
	s.Limits.Free = cmp.Or(s.Limits.Free, 512<<20)
	return &s
}

// CreateJob implements [job.Jobs].
func (s *Service) CreateJob(ctx context.Context, caller account.Caller, order job.Order) (*job.Job, error) {
	read, err := s.prepare(ctx, caller, &order)
	if err != nil {
		return nil, err
	}
	defer read.close()

	created, err := s.Store.Create(ctx, read.job, read.read(), order.Key, order.Fingerprint, s.Limits)
	if err != nil {
		return nil, err
	}

	s.Wake()
	return created.toAPI(read.job.CreatedAt), nil
}

// prepare reads the file of an order, and checks that the account, if there is one, can pay for it. The chunker must be
// closed.
func (s *Service) prepare(ctx context.Context, caller account.Caller, order *job.Order) (*chunker, error) {
	j := &Job{ID: job.ID(account.NewID()), Account: caller.Account(), Status: job.Queued, CreatedAt: time.Now(),
		Heading: Heading{Name: order.Name}, Order: Order{Day: order.Day, Fields: order.Fields}}
	if caller.Key != nil {
		j.Order.Key = caller.Key.ID
	}

	read, err := s.read(ctx, j, order)
	if err != nil {
		return nil, err
	}

	if j.Account == "" { // a preview, which stores nothing
		return read, nil
	}
	if left, limited := s.Purse.Remaining(ctx, j.Account); limited && left < int64(j.Distinct) {
		read.close()
		return nil, job.TooFewCredits(j.Distinct, left)
	}
	return read, nil
}

// read parses the file of an order into chunks, and fills in what was recognised and the job's totals.
func (s *Service) read(ctx context.Context, job *Job, order *job.Order) (read *chunker, err error) {
	if err := s.Results.checkDisk(s.Limits.Free, "the file was not stored, and nothing was charged"); err != nil {
		return nil, err
	}

	inputs, err := upload.NewSpool(s.Results.Dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			inputs.Close()
		}
	}()

	c := &chunker{job: job, limit: int64(s.Limits.Rows), inputs: inputs, distinct: make(company.DistinctCompanies)}
	table, err := company.ReadTable(ctx, order.File, upload.Options{Limits: s.Limits.Limits, Media: order.Media,
		Column: order.Column, DateColumn: order.DateColumn, Sheet: order.Sheet, Temp: s.Results.Dir}, c.add)
	if err != nil {
		return nil, withChoices(err, &table)
	}

	o := &job.Order
	o.Columns, o.ID, o.Date, o.Kinds, job.Total = table.Columns, table.ID, table.Date, table.Kinds, table.Rows
	job.Heading = Heading{job.Heading.Name, o.Columns[o.ID], cellAt(o.Columns, o.Date), table.Sheet, table.Header,
		table.Delimiter}
	if size := estimate(job, c.all); size > s.Limits.Result {
		return nil, problem.Invalid(&problem.InputError{Parameter: "file", Code: problem.TooLong,
			Accepted: fmt.Sprintf("a file whose result has at most %d bytes", s.Limits.Result),
			Reason: fmt.Sprintf("the result may have %d bytes, as each of its %d rows repeats the names of %d "+
				"columns; split the file, or shorten the names of its columns", size, job.Total, len(table.Columns))})
	}

	c.sheets = table.Sheets
	return c, c.end()
}

// withChoices adds the sheets and columns of a table that was not recognised to the problem with it.
func withChoices(err error, t *upload.Table) error {
	if p, ok := errors.AsType[*problem.Problem](err); ok && p.Extensions == nil && t.Rows == 0 &&
		len(t.Sheets)+len(t.Columns) > 0 {
		p.Extensions = job.Choices{Sheets: t.Sheets, Columns: t.Columns}
	}
	return err
}

// AwaitJob implements [job.Jobs].
func (s *Service) AwaitJob(ctx context.Context, account string, id job.ID, wait time.Duration) (*job.Job, error) {
	over := time.Now().Add(wait)
	for {
		job, err := s.Job(ctx, account, id)
		if err != nil || job.Status.Ended() || !time.Now().Before(over) {
			return job, err
		}
		if err := work.Sleep(ctx, min(awaitInterval, time.Until(over))); err != nil {
			return nil, err
		}
	}
}

// Jobs implements [job.Jobs].
func (s *Service) Jobs(ctx context.Context, account string, limit, offset int) ([]job.Job, error) {
	all, err := s.Store.Jobs(ctx, account, limit, offset)
	if err != nil {
		return nil, err
	}

	shown := make([]job.Job, len(all))
	for i := range all {
		shown[i] = *all[i].toAPI(time.Now())
	}

	return shown, nil
}

// Job implements [job.Jobs].
func (s *Service) Job(ctx context.Context, account string, id job.ID) (*job.Job, error) {
	job, err := s.Store.Job(ctx, account, id)
	if err != nil {
		return nil, err
	}
	return job.toAPI(time.Now()), nil
}

// CancelJob implements [job.Jobs].
func (s *Service) CancelJob(ctx context.Context, account string, id job.ID) error {
	if _, err := s.Store.Job(ctx, account, id); err != nil {
		return err
	}

	err := s.Store.End(ctx, id, job.Cancelled, nil, time.Now())
	if errors.Is(err, ErrConflict) { // it has already ended
		return nil
	}

	return err
}

// DeleteJob implements [job.Jobs]. A process that works on the job stops at its next rows.
func (s *Service) DeleteJob(ctx context.Context, account string, id job.ID) error {
	if err := s.Store.Delete(ctx, account, id); err != nil {
		return err
	}
	return s.Results.Delete([]job.ID{id})
}

// JobResult implements [job.Jobs].
func (s *Service) JobResult(ctx context.Context, account string, id job.ID,
	order job.ResultOrder) (*op.Document, error) {
	j, err := s.Store.Job(ctx, account, id)
	switch {
	case err != nil:
		return nil, err
	case !j.Status.Ended() && !order.Partial:
		return nil, job.NotEnded(id, j.Done, j.Total)
	}

	file, err := s.Results.file(ctx, j, order, s.Limits)
	if err != nil {
		return nil, fmt.Errorf("writing the result of job %s: %w", id, err)
	}

	return op.NewStoredFile(file.path, order.Format.ContentType(), j.fileName(order.Format), file.tag,
		cmp.Or(j.CompletedAt, j.CreatedAt)), nil
}
