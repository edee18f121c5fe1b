package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// errEnded is the error of a step that ended the job.
var errEnded = errors.New("the job has ended")

// run is the work of one process on a job.
type run struct {
	*Runner
	job    *Job
	caller account.Caller // on whose behalf the registries are asked
	hold   Hold
	paid   map[ro.CompanyDay]bool // the charged companies, each with a day
}

// open reads the job, and reserves the credits for the rows that have not been charged yet.
func (r *run) open(ctx context.Context, id job.ID) (err error) {
	if r.job, err = r.Store.Job(ctx, "", id); errors.Is(err, op.ErrUnknown) {
		return errEnded // it was deleted
	} else if err != nil {
		return err
	}

	r.caller.Key = &account.Key{ID: r.job.Order.Key, Account: r.job.Account}
	r.paid = make(map[ro.CompanyDay]bool)
	if r.job.Status == job.Running {
		if err := r.recall(ctx); err != nil {
			return err
		}
	}

	if err := r.Store.Start(ctx, r.job.ID, time.Now()); err != nil {
		return err
	}

	r.hold, err = r.Purse.Hold(ctx, r.job.Account, r.job.Order.Key, max(0, r.job.Distinct-r.job.Asked))
	return err
}

// recall reads from the store which companies earlier passes have charged.
func (r *run) recall(ctx context.Context) error {
	for number := 0; ; number++ {
		c, err := r.Store.Chunk(ctx, r.job.ID, number)
		if err != nil || c == nil {
			return err
		}
		if len(c.Outcomes) == 0 {
			continue
		}

		outcomes := unpack(c.Outcomes)
		for o := new(Outcome); outcomes.next(o); *o = (Outcome{Profile: o.Profile[:0]}) {
			if o.Paid {
				r.paid[r.companyOf(o)] = true
			}
		}

		if err := outcomes.close(); err != nil {
			return err
		}
	}
}

// companyOf returns the company and day of a row that was found. For a row without a day, that is the day of the
// upload.
func (r *run) companyOf(o *Outcome) ro.CompanyDay {
	day := o.Day
	if day == 0 {
		day = ro.DateIn(r.job.CreatedAt, ro.Bucharest)
	}
	return ro.CompanyDay{CUI: o.TaxID, Day: day}
}

func (r *run) release() {
	if r.hold != nil {
		r.hold.Release()
	}
}

// step processes the next rows of the job. If the job has to wait, it returns the time to continue.
func (r *run) step(ctx context.Context) (later time.Time, err error) {
	now := time.Now()
	chunk, due, err := r.Store.Next(ctx, r.job.ID, now)
	switch {
	case err != nil:
		return time.Time{}, err
	case chunk == nil && due.IsZero():
		return time.Time{}, r.end(ctx, job.Completed, nil)
	case chunk == nil:
		return due, nil
	}

	if chunk.State != Priced {
		outcomes, waits, err := r.lookUp(ctx, chunk, now)
		switch {
		case err != nil:
			return time.Time{}, err
		case waits:
			return now.Add(postponement), nil
		}

		chunk.Price = r.price(outcomes)
		if err := r.Store.Price(ctx, r.job.ID, chunk, outcomes, time.Now()); err != nil {
			return time.Time{}, err
		}
	}

	return r.charge(ctx, chunk)
}

// isTooLate reports whether it is too late to retry failed rows.
func (r *run) isTooLate(now time.Time) bool { return !now.Before(r.job.CreatedAt.Add(TriedFor)) }

// end ends the job.
func (r *run) end(ctx context.Context, status job.JobStatus, why *Problem) error {
	if err := r.Store.End(ctx, r.job.ID, status, why, time.Now()); err != nil {
		return err
	}

	job, err := r.Store.Job(ctx, "", r.job.ID)
	if err == nil && r.Ended != nil {
		r.Ended(ctx, job)
	}

	return errEnded
}
